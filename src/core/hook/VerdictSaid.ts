// VerdictSaid: what one line of a review says of its verdict.
// When in doubt a line is doubtful or says nothing; no reading makes a verdict of words that could mean another.

/** The two verdicts. */
export type Said = "PASS" | "FAIL"

/** What a line says. A firm verdict is the line's only word, or follows a label; the others begin a line. */
export type LineSaid =
  | { readonly _tag: "Verdict"; readonly said: Said; readonly firm: boolean }
  | { readonly _tag: "Doubt" }
  | { readonly _tag: "Nothing" }

const passing = "pass(?:ed)?|approved?|lgtm|ok"
const failing = "fail(?:ed)?|reject(?:ed)?|block(?:ed)?"
const ends = String.raw`(?![\p{L}\p{N}]|-[\p{L}\p{N}])`
const word = new RegExp(`^(?:(${passing})|${failing})${ends}`, "iu")
const label = /^(?:(?:my|our|the|final|overall|review)\s+){0,3}(?:verdict|result|status|decision)\s*[:=–—-]+\s*/i

const joint = String.raw`\s*(?:[/|,&]|->|\u2192|\b(?:or|and|vs)\b)\s*`
const likewise = {
  PASS: new RegExp(`^(?:${joint}(?:${passing})${ends})*`, "iu"),
  FAIL: new RegExp(`^(?:${joint}(?:${failing})${ends})*`, "iu")
} as const
const opposite = {
  PASS: new RegExp(`^(?:${joint}|\\W*)(?:${failing})${ends}`, "iu"),
  FAIL: new RegExp(`^(?:${joint}|\\W*)(?:${passing})${ends}`, "iu")
} as const
// A verdict is written in capitals where it is meant as one. OK is not among them: it is a button's name, too.
const shouted = { PASS: /\b(?:FAIL|REJECT|BLOCK)(?:ED)?\b/, FAIL: /\b(?:PASS(?:ED)?|APPROVED?|LGTM)\b/ } as const

const beginsWith = (words: string): RegExp => new RegExp(String.raw`^\W*(?:${words})\b`, "i")
const turns = "but|however|although|though|yet|except"
const limits = "if|unless|until|pending|once|provided|conditional(?:ly)?|only (?:if|once|when|after)|subject to"
const withLimits = String
  .raw`with (?!no\b)(?:\w+ ){0,2}(?:reservations?|caveats?|concerns?|conditions?|blockers?|blocking)`
// `PASSED 3 of 5 tests` counts, and says nothing of the whole.
const counting = /^\W*\d+\s*(?:of|out of|\/)\s*\d/i

const turned = beginsWith(turns)
const limited = beginsWith(`not|${limits}|${withLimits}`)
const limitedSomewhere = new RegExp(String.raw`\b(?:${turns}|${limits}|${withLimits})\b`, "i")
const negated = beginsWith(
  "not?|never|neither|cannot|cant|can not|dont|do not|does not|doesnt|wont|will not|isnt|is not"
)
// Words that talk about a verdict and give none: `PASS is not warranted`, `FAIL would be harsh`, `PASS not given`.
const saidOf = beginsWith(
  "(?:is|was|would|should|could|does)(?:nt)?|can|cant|cannot|may|might|must|seems|needs|requires|depends|not?|never|" +
    "nor|neither|criteria|conditions?"
)
// `Pass the token`, `Failed to read`: sentences about something else.
const object = beginsWith("the|an?|this|that|these|those|its?|on|in|me|you|us|let")
const elsewhere = beginsWith("to|through|over|into|along|by value|as")

const nothing: LineSaid = { _tag: "Nothing" }
const doubt: LineSaid = { _tag: "Doubt" }

const withoutMarks = (line: string): string =>
  line.replace(/[*_`[\]"'✅❌✓✗✔✘\ufe0e\ufe0f\ufeff]/gu, "").replace(/^(?:[\s#>•–—-]|\d{1,3}[.)])+/, "").trim()

/** A verdict and where it stands: whether a sentence may follow it, and whether it is one form of its word. */
interface Found {
  readonly verdict: LineSaid & { readonly _tag: "Verdict" }
  readonly own: string
  readonly leads: boolean
}

const isParticiple = (own: string): boolean => /^(?:.*ed|lgtm)$/i.test(own)
const isShouted = (own: string): boolean => own === own.toUpperCase()

/** What follows a verdict and a `:`, a dash or the like: its reason, unless it takes the verdict back. */
const withReason = ({ leads, own, verdict }: Found, delimiter: string, why: string): LineSaid => {
  const { said } = verdict
  const none = /^\W*(?:0|none|nothing|nil)\b/i.test(why)
  // `Failed: 3` counts tests, and so does `Failed: 0` behind a verdict.
  if (isParticiple(own) && !isShouted(own) && (none || /^\W*\d/.test(why))) return nothing
  if (said === "FAIL" && none) return leads ? doubt : nothing
  if (turned.test(why) || opposite[said].test(why)) return doubt
  if (said === "PASS" && (limited.test(why) || /^\W*no\W*$/i.test(why))) return doubt
  // `OK, let me see` is how a sentence begins.
  const begins = /ok/i.test(own) ? !leads || /[.!,]/.test(delimiter) : !leads && delimiter === ","
  return begins ? nothing : verdict
}

/** What follows a verdict without a break. */
const withSentence = ({ leads, own, verdict }: Found, rest: string): LineSaid => {
  if (!leads) return nothing
  if (saidOf.test(rest) || turned.test(rest)) return doubt
  if (/ok/i.test(own) || elsewhere.test(rest)) return nothing
  if (!isParticiple(own) && (object.test(rest) || !isShouted(own))) return nothing
  const [sentence = ""] = rest.split(/[.;!?]/, 1)
  return verdict.said === "PASS" && limitedSomewhere.test(sentence) ? doubt : verdict
}

const saidBy = (text: string, labelled: boolean, leads: boolean): LineSaid => {
  const found = word.exec(text)
  if (found === null) {
    const near = text.split(/\s+/, 5).some((one) => word.test(one))
    return leads && negated.test(text) && near ? doubt : nothing
  }
  const [own = "", pass] = found
  const said = pass === undefined ? "FAIL" : "PASS"
  const rest = text.slice(own.length).replace(likewise[said], "")
  if (new RegExp(`^${joint}`, "iu").test(rest) && opposite[said].test(rest)) return doubt
  if (shouted[said].test(rest) || /^\s*\?/.test(rest)) return doubt
  if (/^[\s.!:;,–—-]*$/.test(rest)) return { _tag: "Verdict", said, firm: true }
  if (leads && said === "PASS" && counting.test(rest)) return doubt
  const one: Found = { verdict: { _tag: "Verdict", said, firm: labelled }, own, leads }
  const delimiter = /^\s*(?:[:.;!,(–—]|-(?=\s))/.exec(rest)?.[0]
  return delimiter === undefined
    ? withSentence(one, rest)
    : withReason(one, delimiter.trim(), rest.slice(delimiter.length))
}

/** Reads a line of a review. Only the first line may go on after the verdict as a sentence. */
export const lineSaid = (line: string, first: boolean): LineSaid => {
  const text = withoutMarks(line)
  const labelled = label.exec(text)?.[0]
  return saidBy(text.slice(labelled?.length ?? 0), labelled !== undefined, first || labelled !== undefined)
}
