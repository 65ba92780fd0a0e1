// Doubt: words in a sentence that take back what a review denies or praises: a contrast, a demand, a harm.
// The lists are short on purpose: among real reviews without findings hardly any sentence holds one of these words.

import { denialIn } from "./Denial.ts"

// An object ends at a mark and at a word that turns the sentence: "handles the failure but loses the row".
const turn = "(?:but|while|because|so|which|by|instead|except|when|if|even|although|however|only|from being)\\b"
const object =
  `(?:(?! ${turn}| and (?!(?:\\w{1,20} )?(?:errors?|failures?|rejections?|races?|conflicts?)\\b|\\w{1,20}-\\w` +
  "{1,20} (?:issues?|bugs?|problems?)\\b))[^,;:.()\u2014]){0,120}"
// What code does about harm is no harm: "prevents stale rows", "handles loading and rendering failures".
const averted = new RegExp(
  "\\b(?:(?:should|will|would) )?(?:prevents?|preventing|avoid(?:s|ed|ing)?|reject(?:s|ed|ing)?|handl(?:es|ed|" +
    "ing)|(?:correctly|to|and|,) handle|guards? against|fix(?:es|ed)?|detect(?:s|ed|ing)?|resolv(?:es?|ed)|" +
    "replac(?:es?|ed|ing)|eliminat(?:es?|ed|ing)|reports?|catch(?:es)?|cover(?:s|ed|ing)?|exercis(?:es?|ed)|" +
    "address(?:es|ed)?|clos(?:es?|ed)|refus(?:es?|ed)|reproduces?|verif(?:y|ies)|corrects|clarifies|documents?|" +
    "distinguish(?:es)?|backfills?|adds? (?:a|the) missing|surfaces?|confirms?|hardens?|removes? (?:the |an? " +
    ")?(?:\\w{1,20} ){0,3}(?:bugs?|issues?|race|branch|block|import|" +
    `code|fields?))\\b${object}|` +
    "\\b(?:error|failure|crash|panic|race|conflict|regression|timeout|null|undefined|retry|stale|issue|problem|" +
    "bug)[- ](?:handling|checks?|propagation|accounting|paths?|reporter|recovery|messages?|types?|classifier|" +
    "catalog|contracts?|tests?|suites?|coverage|conditions?|modes?|guards?|policy|counts?|response|tracker|list|" +
    "models?|reports?|boards?)\\b",
  "g"
)
// What a change does not do: "does not affect runtime", "nothing would break". Not: "does not update the cache".
const spared = new RegExp(
  "\\b(?:(?:should|will|would) )?(?:without|not|\\w{2,6}n't|nothing|none|neither|no|cannot)(?: longer)? " +
    "(?:[\\w/-]{1,20} ){0,6}?(?:affect|alter|chang|modif|impact|touch|require|depend|relat|caus|tied|crash|leak|" +
    "los|deadlock|reach|exceed|overlap|interfer|referenc|" +
    `regress|degrad|weaken|introduc)\\w{0,4}\\b${object}|` +
    "\\b(?:(?:should|will|would) )?(?:not|nor|\\w{2,6}n't|nothing|none|cannot) (?:[\\w/-]{1,20} ){0,6}?break(?:s|" +
    "ing)? (?:any|existing|the (?:existing|public|build)|callers|consumers|users|behaviou?r|functionality|" +
    "compatibility|production|it|ci|clients)\\b[^,;:.]{0,60}",
  "g"
)
// Defects of the past: "the two bugs noted earlier have been resolved".
const mended = new RegExp(
  "\\b(?:the|earlier|previous(?:ly)?|prior|both|those|all)\\b(?:(?! (?:but|one of|partially|only|not|never|" +
    "n't)\\b)[^;.]){0,120}\\b(?:fixed|resolved|addressed|gone|corrected|eliminated|repaired)\\b",
  "g"
)
// What was so before the change: "retries previously failed reviews".
const former = new RegExp(
  "\\b(?:previously|formerly)[- ](?:failed|failing|broken|missing|invalid|ignored|dropped|lost|unhandled)\\b",
  "g"
)
const contrast = new RegExp(
  "\\b(?:but|however|although|though|except|excepting|one exception|yet|nevertheless|nonetheless|unless|modulo|" +
    "(?:aside|apart) from(?! (?:the )?(?:[\\w/-]{1,20} ){0,4}(?:imports?|renames?|rewiring|formatting|whitespace|" +
    "layout|docs?)\\b)|other than|with the exception of|barring|in addition to the|whereas|despite|only (?:if|for|" +
    "because|appears?)|that said|on the other hand|caveat|provided that|assuming|so long as|as long as|a few|nits?|" +
    "partially|nearly|partly|contrary|still(?! (?:work|pass|run|hold|valid|compil|decod|throw|wrapp|succe)\\w*| " +
    "(?:rejecting|preserving|enforcing|supporting)\\b)|(?:correct|safe|fine|good|sound|consistent),?(?: " +
    "\\w{1,20}){0,2} (?:if|besides|save|bar|beyond|outside)|not a single|one of (?:the two|them)|one thing|only in|" +
    "only because|astray|cannot tell|hides?|mislead\\w{0,3}|(?:could|was|were|am|can)(?: not|n't)(?: able to)? " +
    "(?!find|identify|spot|construct|see|detect|reproduce|think|run|be)\\w+|cannot (?:inspect|assess|review|" +
    "confirm)|unable to (?!find|identify|spot|construct|see|detect|reproduce|run)\\w+)\\b"
)
const demand = new RegExp(
  "\\b(?:should(?! not)|must(?! not)|ought|recommend|suggest|advise|please|request changes|would (?:be better|" +
    "prefer)|needs? (?:to|an?|the|more|some)|follow[- ]?up|fixme|have to be|has to be|required? (?:changes|fix)|" +
    "not (?:safe|ready))\\b"
)
const grave = new RegExp(
  "\\b(?:fails?(?! (?:fast|closed|loudly|as|on purpose))|crash(?:es)?|leaks?|breaks?|deadlocks?|panics?|overflows?|" +
    "corrupts?|loses?|wrong(?:ly)?|incorrect(?:ly)?|insecure|vulnerable|bypasses|never|silently|by zero|(?:not|" +
    "\\w{2,6}n't|no|none) (?:[\\w]{1,20} ){0,4}pass(?:es|ed)?|unhandled|uncaught|inverted|reversed|swapped|off[- " +
    "]by[- ]one|hangs?|bugs?|defects?|flaws?|problems?|issues?|concerns?|regress(?:es|ions?)?|omits?|forg[eo]ts?|" +
    "lacks?|incomplete|typo|p[0-3]|unusable|reintroduces?|cut off|not (?:idempotent|reset|released|closed|checked|" +
    "validated|escaped|awaited|handled|covered)|two threads|collides?|n\\+1|full table scan|double free|unsorted|" +
    "forever|hiding|reject changes|still (?:there|passes|returns|points|uses the old|contains|re-exports|reaches)|" +
    "remains?(?= (?:in|open|there)\\b|$))\\b|\\b(?:dropp?(?:s|ing)|remov(?:es|ing)|skips|skipping|bypassing) (?:the |" +
    "its |an? )?(?:\\w{1,20} ){0,2}(?:checks?|validation|probe|locks?|guards?|permissions?|auth\\w{0,11})\\b"
)
const suspect = new RegExp(
  "\\b(?:invalid|inconsisten\\w*|discrepanc\\w*|mismatch\\w*|undermin\\w*|misclassif\\w*|false (?:negatives?|" +
    "positives?|green)|gaps?|failed|failing|throws?|slow\\w*|degrad\\w*|unsafe\\w*|missing|null|undefined|infinite|" +
    "unbounded|exhaust\\w*|races?|unclear|unsure|uncertain|might|broken|violat\\w*|twice|discards?|overwrit\\w*|" +
    "ignores?|may|can|anyone|could|possibl[ey]|potential\\w*|perhaps|suspicious|risk\\w*|hazard\\w*|instead|not|" +
    "cannot|hard-coded|\\w{1,10}n't|too|so|means|meant|tr(?:y|ies)|lets?|leaving every|every|preventing|truncated|" +
    "handled?|works for|the first \\w+|alive|in the middle|otherwise|once|until|some|minor|(?<!\\bwhile )still|" +
    "lost|rather than|even|mostly|almost|should|todo|injection|expose|contradict\\w*|duplicated?|drops?|dropping|" +
    "only (?:for|when)|no (?:error|validation|check|way|longer|test|guard|limit|output))\\b|\\?$|\\bonly$"
)

// What keeps out the good is harm: "prevents valid callbacks", "rejects legitimate users".
const barred = new RegExp(
  "\\b(?:prevent|reject|block|refus|den(?:y|ies)|drop|stop|exclud|skip)\\w{0,4} (?:(?!no\\b|in|mal)[\\w-]{1,20} " +
    "){0,2}?(?:valid|legitimate|genuine|well-formed|authori[sz]ed|healthy)\\b(?! (?:and|or) )"
)

// The reviewer does not know, or has seen a part alone.
const sought =
  "find|found|identif|spot|construct|see (?:any|an?\\b)|detect|observe|notice|uncover|discover|reproduce|" +
  "think|run|test|execut|be\\b"
const some = "(?:only|most of|some of|part of|(?:the|only the) first|(?:one|two|three|\\d{1,3}) of|as much as)\\b"
const unsure = new RegExp(
  "\\b(?:cannot|can't|couldn't|could not) (?:tell|say|judge)\\b|\\bnot (?:sure|certain)\\b|\\b(?:(?:half|subset|" +
    "parts) of|the part|did not allow|without access to)\\b|\\bmost of [\\w ]{1,40}(?:looks?|seems?|(?:is|are) " +
    "(?:fine|correct|good))\\b|\\b(?:i|we)(?: have| had to)? (?:only|skim|sampled|stopped|spot-?checked|skip|was " +
    "(?:shown|given))|\\b(?:i|we|my review)(?: have)? (?:read|reviewed|looked at|checked|saw|got through|covers)" +
    `(?: [\\w-]{1,20}){0,3}? ${some}|\\b(?:i|we) (?:did|have|had|could)(?: not|n't)(?: yet)? (?!${sought})\\w|` +
    "\\b(?:parts?|what|everything|files) (?:that )?(?:i|we) (?:could|read|saw)\\b|" +
    "(?:\\bnot|n't)(?: able to)? (?:find|see|locate) (?:the|where|\\u25a1)|" +
    "\\b(?:diff|patch|output) (?:was|is|got) (?:truncated|cut)|\\b(?:files?|hunks?|commits?) (?:was|were) skipped\\b"
)

const checks = new RegExp(
  "\\b(?:tests?|suites?|testing|typecheck\\w*|type-?checks?|type[- ]checking|lint\\w*|clippy|builds?|compil\\w+|" +
    "pytest|cargo|npm|vitest|shellcheck|validation|verification|inspection|ci)\\b"
)
// Why a check that did not run or pass says nothing about the change.
const excuse = new RegExp(
  "\\b(?:unrelated|pre-?existing|outside (?:of )?(?:this|the)|not (?:appear |seem )?(?:to be )?(?:tied|related|" +
    "caused)|sandbox\\w*|environment\\w*|permissions?|network|(?:missing|install\\w*) dependenc\\w+|not installed|" +
    "not available|read-only|unavailable|unreachable|as (?:documented|expected|intended|designed)|intentional(?:ly)? " +
    "(?:fail\\w*|skip\\w*|red)|untouched|on the base|(?:was|were|is) not (?:re-?)?(?:run|executed|performed|built)|" +
    "not (?:run|executed)|(?:could not|couldn't|unable to) (?:be )?(?:run|execute\\w*))\\b"
)

/** How heavily a sentence speaks against a clean review; `null` when it does not. */
export type Doubt = "asserts-defect" | "in-doubt" | null

/** Whether the sentence tells of tests, type checks, builds and the like. */
export const tellsOfChecks = (sentence: string): boolean => checks.test(sentence)

/** Whether the sentence recalls a defect that is mended. */
export const recallsMended = (sentence: string): boolean => sentence.search(mended) >= 0

// The other half of a contrast may say that the first does not matter: "one test failed, but it is not related".
const takenBack = (sentence: string): boolean => {
  const found = contrast.exec(sentence)
  if (found === null) return false
  const other = sentence.slice(found.index + found[0].length)
  return other.search(spared) < 0 && denialIn(other).kind !== "full" && !(tellsOfChecks(other) && excuse.test(other))
}

const harmIn = (sentence: string): string =>
  sentence.replace(former, " ").replace(mended, " ").replace(spared, " ").replace(averted, " ")
const harms = (part: string): boolean => {
  const said = harmIn(part)
  return demand.test(said) || grave.test(said)
}
// An excuse for a check excuses no defect that another clause tells.
const clause = /(?<=[;,])\s+|\s+(?=which\b|and (?:the|a|an|it|this|these)\b)/

/**
 * What speaks against a clean review in a sentence whose denials were taken out; `whole` is the sentence with them.
 * `denied` says that the review denies all defects somewhere: then a description may hold words that would otherwise be
 * suspicious.
 */
export const doubtIn = (sentence: string, whole: string, denied: boolean): Doubt => {
  if (tellsOfChecks(sentence) && excuse.test(sentence) && !/\b(?:should|must) be\b/.test(sentence)) {
    return sentence.split(clause).some((part) => !tellsOfChecks(part) && harms(part)) ? "asserts-defect" : null
  }
  const said = harmIn(sentence)
  if (demand.test(said) || grave.test(said) || barred.test(sentence)) return "asserts-defect"
  if (unsure.test(whole)) return "in-doubt"
  return takenBack(sentence) || (!denied && suspect.test(said)) ? "in-doubt" : null
}
