// Scopes: for each word of a clause, what governs it: a denial, a negation, a remedy, the past.
// The one rule: one pass from left to right; every look to either side is bounded.
import { brings, defects, finds, harms, mendNouns, mends, mishaps, neutralHeads, opinions, partialKinds } from "./Lexicon.ts"

/** What governs a word. `noun` and `verb` negation differ: commas end the one for verbs only. */
export interface Governed {
  readonly noun: boolean
  readonly verb: boolean
  readonly mended: boolean
}

/** A clause's words with their governors, and whether it denies defects. */
export interface Scopes {
  readonly at: ReadonlyArray<string>
  readonly by: ReadonlyArray<Governed>
  /** `full`: no defects at all; `partial`: none of one kind (security, blocking); `others`: none but some. */
  readonly denial: "full" | "partial" | "others" | null
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const has = (set: ReadonlySet<string>, word: string | undefined): boolean => word !== undefined && set.has(word)

/** Whether one of the words from `from` up to, not including, `to` is in the set. */
export const within = (at: ReadonlyArray<string>, from: number, to: number, set: ReadonlySet<string>): boolean => {
  for (let i = Math.max(0, from); i < Math.min(at.length, to); i++) if (set.has(at[i] ?? "")) return true
  return false
}

const determiners = words("no nothing none neither nor zero without nobody nowhere")
const notNegating = words("longer doubt fewer less only just merely without least later sooner")
const reviewers = words("i we review reviewer inspection analysis examination reading pass scan")
const others = words("other another else")
const telling = words("returns reports prints says logs emits yields shows report shows returning reporting displays raises")
const predicates = words(
  "introduces creates causes leaves has contains exposes opens is are can may will could breaks crashes fails leads " +
    "introducing causing leaving breaking exposing allowing making leading losing creating corrupting"
)
const obligations = words("should must needs need ought to please")
const settled = words("actionable blocking wrong suspicious concerning notable stands stood to that else")

/** Whether the word negates the verb behind it. */
export const isNot = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  if (word === "not" || word === "never") return !has(notNegating, at[i + 1])
  return word === "cannot" || word === "unable" || word.endsWith("n't")
}

const isDeterminer = (at: ReadonlyArray<string>, i: number): boolean =>
  has(determiners, at[i]) && !has(notNegating, at[i + 1]) && !(at[i] === "without" && at[i - 1] === "not") ||
  at[i] === "free" && (at[i + 1] === "of" || at[i + 1] === "from") && at[i - 1] !== "not"

/** Whether the word names a defect here: not "regression test", not the verb of "issues a request". */
export const isDefect = (at: ReadonlyArray<string>, i: number): boolean =>
  has(defects, at[i]) && !has(neutralHeads, at[i + 1]) &&
  !(at[i] === "issues" && /^(?:a|an|the|its|one|two|requests?|queries)$/.test(at[i + 1] ?? ""))

const isNoun = (at: ReadonlyArray<string>, i: number): boolean =>
  isDefect(at, i) || (has(opinions, at[i]) || has(mishaps, at[i])) && !has(neutralHeads, at[i + 1])

// A verb of looking denies only when it is the review that looked: "the scanner does not report issues" is a defect.
const looked = (at: ReadonlyArray<string>, not: number, i: number): boolean =>
  has(finds, at[i]) && (not === 0 || within(at, not - 8, not, reviewers) || has(passive, at[i - 1]) || has(impersonal, at[0]))

const passive = words("was were been be")
const impersonal = words("failed unable could")
const whatever = words("anything something scenario scenarios case way path input situation evidence")

const objects = words("the a an that this all both any every each for against its these those with □ , how when")

// A verb that gets rid of what follows it; "should fix" asks for that, and in "the tests introduce" it is a noun.
const mendsHere = (at: ReadonlyArray<string>, i: number): boolean =>
  has(mends, at[i]) && !within(at, i - 3, i, obligations) && (!has(mendNouns, at[i]) || has(objects, at[i + 1]))

// "no further action is required", "no changes are needed"
const nothingToDo = (at: ReadonlyArray<string>, i: number): boolean =>
  within(at, i + 1, i + 4, words("action actions changes fixes modifications follow-up work")) &&
  within(at, i + 2, i + 7, words("required needed necessary warranted requested"))

const kindOf = (at: ReadonlyArray<string>, from: number, to: number): "full" | "partial" | "others" => {
  if (within(at, from, to, others)) return "others"
  return within(at, Math.max(from, to - 5), to, partialKinds) && !within(at, from, to, words("correctness functional actionable")) ?
    "partial" :
    "full"
}

/** Works out what governs each word. Linear in the length of the clause. */
export const scopesOf = (at: ReadonlyArray<string>): Scopes => {
  const by: Array<Governed> = []
  let not = -100
  let none = -1
  let comma = false
  let all = false
  let mended = false
  let pending: "looked" | "brought" | null = null
  let denial: Scopes["denial"] = null
  const deny = (kind: "full" | "partial" | "others") => {
    if (denial === null || denial === "partial") denial = kind
    all = true
  }
  for (let i = 0; i < at.length; i++) {
    const word = at[i] ?? ""
    if (word === ",") comma = true
    if ((word === "and" || word === ",") && !all && has(predicates, at[i + 1])) {
      not = -100
      none = -1
      mended = false
      pending = null
    }
    const near = i - not <= 4
    const without = none >= 0 && at[none] === "without"
    const verb = near || pending === "looked" || none >= 0 && (!comma || without && word.endsWith("ing"))
    by.push({ noun: all || none >= 0 || near || pending !== null, verb: all || verb, mended })
    if (isNot(at, i) || word === "no" && at[i + 1] === "longer") {
      not = i
      comma = false
    } else if (isDeterminer(at, i)) {
      none = i
      comma = false
      const looking = has(settled, at[i + 1]) || within(at, i - 3, i, finds) || at.length <= 2
      if (word === "nothing" && looking) deny("full")
      const sought = within(at, i + 1, i + 6, whatever) && within(at, i + 2, i + 8, finds)
      if (word === "no" && sought && within(at, i + 2, i + 8, passive)) deny("full")
      if (word === "none" && (at.length <= 3 || has(finds, at[i + 1]) || has(finds, at[i + 2]))) deny("full")
      if (word === "no" && (at[i + 1] === "reason" || at[i + 1] === "need" || nothingToDo(at, i))) deny("full")
    } else if (none >= 0 && at[none] === "nothing" && harms.has(word) && !within(at, none, i, mends)) deny("full")
    else if (/^fail(?:s|ed)?$/.test(word) && at[i + 1] === "to" && has(finds, at[i + 2])) not = i + 1
    else if (near && looked(at, not, i)) pending = "looked"
    else if (near && has(brings, word)) pending ??= "brought"
    else if (pending === "looked" && (isNoun(at, i) || has(defects, word) || has(mishaps, word) || harms.has(word) || whatever.has(word))) deny(kindOf(at, not, i))
    else if (pending === "brought" && isNoun(at, i)) deny(isDefect(at, i) ? kindOf(at, not, i) : "partial")
    else if (none >= 0 && !all && (isDefect(at, i) || has(opinions, word) && !has(neutralHeads, at[i + 1]))) {
      const aside = without && within(at, none + 1, i, harms) || within(at, none - 3, none, telling) &&
          !within(at, 0, none, reviewers)
      if (!aside) deny(kindOf(at, none, i))
    }
    if (mendsHere(at, i) && !near && (none < 0 || word === "against")) mended = true
  }
  return { at, by, denial }
}
