// Verdict: PASS, FAIL or UNCERTAIN, read from what the second model answered.
// Each of the first lines is read by itself. Words that could mean something else give no verdict.
import { isFields, parseJson, textOf, textOrNull } from "../text/Json.ts"
import { plain } from "../text/Untrusted.ts"

type ClearVerdict = "PASS" | "FAIL"

/** What a line says. A verdict is firm if it is the whole line or follows a label, such as `Verdict:`. */
type LineVerdict =
  | { readonly _tag: "Verdict"; readonly said: ClearVerdict; readonly firm: boolean }
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
// In capitals the opposite word is meant as a verdict. OK is left out: it is also the name of a button.
const shouted = { PASS: /\b(?:FAIL|REJECT|BLOCK)(?:ED)?\b/, FAIL: /\b(?:PASS(?:ED)?|APPROVED?|LGTM)\b/ } as const

const beginsWith = (words: string): RegExp => new RegExp(String.raw`^\W*(?:${words})\b`, "i")
const turns = "but|however|although|though|yet|except"
const limits = "if|unless|until|pending|once|provided|conditional(?:ly)?|only (?:if|once|when|after)|subject to"
const withLimits = String
  .raw`with (?!no\b)(?:\w+ ){0,2}(?:reservations?|caveats?|concerns?|conditions?|blockers?|blocking)`
// `PASSED 3 of 5 tests` counts tests and is no verdict.
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

const nothing: LineVerdict = { _tag: "Nothing" }
const doubt: LineVerdict = { _tag: "Doubt" }

const withoutMarks = (line: string): string =>
  line.replace(/[*_`[\]"'✅❌✓✗✔✘\ufe0e\ufe0f\ufeff]/gu, "").replace(/^(?:[\s#>•–—-]|\d{1,3}[.)])+/, "").trim()

/** A verdict, the word that states it, and whether a sentence may follow the word. */
interface Found {
  readonly verdict: LineVerdict & { readonly _tag: "Verdict" }
  readonly own: string
  readonly leads: boolean
}

const isParticiple = (own: string): boolean => /^(?:.*ed|lgtm)$/i.test(own)
const isShouted = (own: string): boolean => own === own.toUpperCase()

/** The verdict of a line whose verdict is followed by a `:`, a dash and so on: a reason, or words that take it back. */
const withReason = ({ leads, own, verdict }: Found, delimiter: string, why: string): LineVerdict => {
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

/** The verdict of a line in which a sentence continues after the verdict. */
const withSentence = ({ leads, own, verdict }: Found, rest: string): LineVerdict => {
  if (!leads) return nothing
  if (saidOf.test(rest) || turned.test(rest)) return doubt
  if (/ok/i.test(own) || elsewhere.test(rest)) return nothing
  if (!isParticiple(own) && (object.test(rest) || !isShouted(own))) return nothing
  const [sentence = ""] = rest.split(/[.;!?]/, 1)
  return verdict.said === "PASS" && limitedSomewhere.test(sentence) ? doubt : verdict
}

const saidBy = (text: string, labelled: boolean, leads: boolean): LineVerdict => {
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

/** Reads a line of a review. Only in the first line may a sentence continue after the verdict. */
export const lineVerdict = (line: string, first: boolean): LineVerdict => {
  const text = withoutMarks(line)
  const labelled = label.exec(text)?.[0]
  return saidBy(text.slice(labelled?.length ?? 0), labelled !== undefined, first || labelled !== undefined)
}

// The verdict of a whole review: an object of the requested schema, or text, whose first lines are read

/** The verdict of a review. Whatever is not clearly PASS or FAIL is UNCERTAIN. */
export type HookVerdict = ClearVerdict | "UNCERTAIN"

const bounds = { lines: 5, characters: 20_000 } as const
const fields = ["verdict", "result", "status", "decision"] as const
const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\r?\n([^]*)\n(?:```|~~~)$/i

/** The verdict of an answer in JSON. If a name appears twice, a parser keeps the last value. */
const ofJson = (text: string): HookVerdict => {
  const value = parseJson(text)
  if (!isFields(value) || fields.some((name) => text.split(new RegExp(`"${name}"\\s{0,99}:`), 3).length > 2)) {
    return "UNCERTAIN"
  }
  const said = new Set(
    fields.filter((name) => Object.hasOwn(value, name)).map((name) => {
      const read = lineVerdict(textOrNull(value[name]) ?? "", false)
      return read._tag === "Verdict" && read.firm ? read.said : "UNCERTAIN"
    })
  )
  const [only = "UNCERTAIN"] = said
  return said.size === 1 ? only : "UNCERTAIN"
}

const ofLines = (text: string): HookVerdict => {
  let found: ClearVerdict | null = null
  for (const [i, line] of text.split("\n", bounds.lines).entries()) {
    const read = lineVerdict(line, i === 0)
    if (found === "FAIL") {
      // Only a firm PASS further down takes a FAIL back.
      if (read._tag === "Verdict" && read.said === "PASS" && read.firm) return "UNCERTAIN"
    } else if (read._tag === "Doubt") return "UNCERTAIN"
    else if (read._tag === "Verdict") {
      if (found !== null && found !== read.said) return "UNCERTAIN"
      found = read.said
    }
  }
  return found ?? "UNCERTAIN"
}

/** Reads the verdict of a review. What does not clearly say PASS or FAIL in its first five lines is uncertain. */
export const parseHookVerdict = (text: string): HookVerdict => {
  const whole = text.replace(/^\ufeff/, "").trim()
  const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
  return json.startsWith("{") ? ofJson(json) : ofLines(plain(whole.slice(0, bounds.characters)).trimStart())
}

// The verdict and the rest of the review

export interface Review {
  readonly verdict: HookVerdict
  /** Its bullets, without a line that holds only the verdict. */
  readonly text: string
}

/** The JSON schema of a review. Codex accepts only schemas whose every property is required. */
export const reviewSchema = {
  type: "object",
  properties: {
    verdict: { type: "string", enum: ["PASS", "FAIL"] },
    review: { type: "string", description: "The bullets; empty where there is nothing to report." }
  },
  required: ["verdict", "review"],
  additionalProperties: false
} as const

const verdictWords = "pass(?:ed)?|fail(?:ed)?|approved?|lgtm|ok|reject(?:ed)?|block(?:ed)?"
const alone = new RegExp(String.raw`^\W*(?:(?:verdict|result|status|decision)\W*)?(?:${verdictWords})\W*$`, "i")

/** The text of an answer that is a JSON object; null for any other answer. */
const wordsIn = (text: string): string | null => {
  const value = parseJson(text)
  return isFields(value) ? textOf(value["review"]) : null
}

/** Reads a review. The verdict is read before anything is cut. */
export const readHookReview = (text: string): Review => {
  const verdict = parseHookVerdict(text)
  const words = wordsIn(text.trim())
  // A PASS whose text says FAIL is uncertain.
  const both = verdict === "PASS" && words !== null && parseHookVerdict(words) === "FAIL"
  if (words !== null) return { verdict: both ? "UNCERTAIN" : verdict, text: words.trim() }
  const lines = text.trim().split("\n")
  return { verdict, text: (alone.test(lines[0] ?? "") ? lines.slice(1) : lines).join("\n").trim() }
}
