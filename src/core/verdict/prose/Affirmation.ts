// Affirmation: sentences that say of the change that it is right, or tell what it does in a plain manner.

const right = new RegExp(
  "\\b(?:correct(?:ly)?|consistent(?:ly)?|preserv(?:es?|ed|ing)|sound|coherent(?:ly)?|clean(?:ly)?|safe(?:ly)?|" +
    "straightforward|match(?:es)?|mirrors?|align(?:s|ed)?|agrees?|accurate(?:ly)?|appropriate(?:ly)?|properly|" +
    "valid|as (?:intended|expected|documented|described)|intended|equivalent|identical|unchanged|intact|compatible|" +
    "lgtm|looks? good|well (?:tested|covered)|idempotent|deterministic|successfully|additive|inert|atomically|" +
    "covers?|coverage|covered|stays focused|behavior-preserving|expected|appears? (?:fine|good)|harmless|trivial|" +
    "pure rename|checks out|(?:same|still|continues? to) (?:work|hold|as before)s?)\\b"
)
// Not "incorrect", but "not correct", "hardly consistent".
const wrong = new RegExp(
  "\\b(?:not|never|hardly|barely|\\w{2,6}n't|cannot|neither|far from)(?: \\w{1,20}){0,2} " +
    "(?:correct|consistent|sound|safe|coherent|match|preserve|valid|clean)"
)
const harmless = new RegExp(
  "\\b(?:does|do|did|is|are|will|should|can)(?: not|n't) (?:\\w{1,20} ){0,3}?(?:affect|alter|change|modify|" +
    "impact|touch|break|regress(?!i))|\\b(?:no|without) (?:\\w{1,20} ){0,2}?(?:change|impact|effect|code is " +
    "affected|code paths are affected)s?\\b|\\b(?:nothing|neither|none|no)\\b.{0,60}\\b(?:break|affect|depends)"
)
const passes = new RegExp(
  "\\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|compiles?|builds|reports? (?:zero|no)|green)\\b"
)
const verbs =
  "(?:adds?|removes?|updates?|replaces?|moves?|renames?|bumps?|introduces?|extracts?|refactors?|prevents?|" +
  "avoids?|handles?|fix(?:es)?|resolves?|advances?|clarif(?:y|ies)|makes?|reduces?|simplif(?:y|ies)|appl(?:y|" +
  "ies)|edits?|enforces?|validates?|migrates?|includes?|keeps?|supports?|uses?|implements?|rejects?|returns?|" +
  "reads?|writes?|checks?|restores?|wraps?|wires?|exposes?|shifts?|adjusts?|limits?|narrows?|tightens?|hardens?|" +
  "pins?|serializes?|stores?|passes|reports?|runs?|continues?|defaults?|behaves?|retains?|maintains?|reflects?|" +
  "describes?|resolves?|sorts?|converts?|splits?|separates?|skips?|closes?|releases?|retries|stops?|starts?|" +
  "calls?|emits?|records?|sets?|clears?|touch(?:es)?)"
const told = "(?:added|removed|updated|replaced|moved|renamed|bumped|applied|validated|threaded|migrated|implemented|" +
  "covered|tested|handled|wrapped|gated|limited to|confined to|restricted|shared|bounded|scoped|aligned|" +
  "rejected|refused|" +
  "listed|logged|reported|retried|rewritten|documented|derived|wired|reachable|optional|gone|reversible|fixed|resolved)"
const tells = new RegExp(
  `^.{0,240}?\\b(?:${verbs}|${told}|only|reviewed|inspected|compared|traced|examined|verified)\\b`
)

/** What a sentence says for the change: that it is right, what it does, or neither. */
export type Affirmation = "right" | "tells" | null

/** Reads a sentence, as `sentences` gives it, its denials taken out. */
export const affirmationIn = (sentence: string): Affirmation => {
  if (harmless.test(sentence)) return "right"
  if (wrong.test(sentence)) return null
  if (right.test(sentence) || passes.test(sentence)) return "right"
  return tells.test(sentence) ? "tells" : null
}
