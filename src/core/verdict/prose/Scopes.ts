// Scopes: for each word of a clause, what governs it: a denial, a negation, a remedy.
// The one rule: one pass from left to right; what has been denied stays denied to the end of the clause.
import { type Denial, kindOf } from "./Denial.ts"
import {
  badManners,
  brings,
  defects,
  faults,
  finds,
  harms,
  mendNouns,
  mends,
  mishaps,
  nameHeads,
  neutralHeads,
  opinions,
  plainFaults,
  soft
} from "./Lexicon.ts"
import { has, isNone, isNot, within, words } from "./Words.ts"

/** What governs a word. `noun` and `verb` negation differ: a comma ends the reach of `no` for verbs only. */
export interface Governed {
  readonly noun: boolean
  readonly verb: boolean
  readonly mended: boolean
}

/** What governs each word of a clause, and whether the clause denies defects. */
export interface Scopes {
  readonly by: ReadonlyArray<Governed>
  readonly denial: Denial | null
}

/** Who looks at a change. */
export const reviewers = words("i we review reviewer inspection analysis examination reading pass scan")
const passive = words("was were been be are is")
const impersonal = words("failed unable could")
const whatever = words(`
  anything something scenario scenarios case way path input situation evidence differences difference deviation
  deviations counterexample counterexamples surprises leftover leftovers remnant remnants positives negatives
`)
const telling = words(
  "returns reports prints says logs emits yields shows report returning reporting displays raises"
)
const obligations = words("should must needs need ought to please")
const settled = words("actionable blocking wrong suspicious concerning notable stands stood to that else")
const objects = words("the a an that this all both any every each for against its these those with □ , how when")
const tasks = words("action actions changes fixes modifications follow-up work")
const called = words("required needed necessary warranted requested")
const predicates = words(`
  introduces creates causes leaves has contains exposes opens is are can may will could breaks crashes fails leads
  introducing causing leaving breaking exposing allowing making leading losing creating corrupting
`)

const isPredicate = (word: string | undefined): boolean =>
  has(predicates, word) || (word?.endsWith("s") === true && has(harms, word))

const tracked = words("tracking linked github jira referenced")

// "bug-introducing edits"
const compound = /^(?:bug|defect|regression|error)-(?:introducing|inducing|causing|prone)$/
const isVerb = (at: ReadonlyArray<string>, i: number): boolean =>
  at[i] === "issues" && /^(?:a|an|the|its|one|two|requests?|queries)$/.test(at[i + 1] ?? "")

/** Whether the word names a defect here: not "regression test", not the verb of "issues a request". */
export const isDefect = (at: ReadonlyArray<string>, i: number): boolean =>
  compound.test(at[i] ?? "") || (
    has(defects, at[i]) && !has(neutralHeads, at[i + 1]) && !has(nameHeads, at[i + 1]) && !has(tracked, at[i - 1]) &&
    !isVerb(at, i)
  )

const isOpinion = (at: ReadonlyArray<string>, i: number): boolean =>
  (has(opinions, at[i]) && !has(neutralHeads, at[i + 1])) || (at[i] === "flags" && at[i - 1] === "red")

const isNoun = (at: ReadonlyArray<string>, i: number): boolean =>
  isDefect(at, i) || isOpinion(at, i) || (has(mishaps, at[i]) && !has(neutralHeads, at[i + 1]))

// "I reviewed the case where both are set, and did not find any defect": code is not told of in that tense.
const concluded = (at: ReadonlyArray<string>, not: number): boolean =>
  at[not] === "not" && at[not - 1] === "did" && at[not - 2] === "and"

// A verb of looking denies only when it is the review that looked: "the scanner does not report issues" is a defect.
const looked = (at: ReadonlyArray<string>, not: number, i: number): boolean =>
  (has(finds, at[i]) || (at[i] === "come" && at[i + 1] === "across")) &&
  (not === 0 || within(at, not - 24, not, reviewers) || concluded(at, not) ||
    has(passive, at[i - 1]) || has(impersonal, at[0]))

// What a verb of looking did not find, said in whatever words, or in none: "and did not find any".
const unseen = (at: ReadonlyArray<string>, i: number): boolean =>
  (/^(?:any|ones)$/.test(at[i] ?? "") && i === at.length - 1) ||
  [defects, mishaps, opinions, harms, whatever].some((set) => has(set, at[i]))

// "did not identify incorrect guidance"
const isFault = (word: string | undefined): boolean => has(faults, word) && !has(plainFaults, word)

// A verb that gets rid of what follows it; "should fix" asks for that, and in "the tests introduce" it is a noun.
const seeking = words("looked searched checked scanned hunted tested examined watched reviewed inspected audited")
// "the fixed header": a participle that only describes; "the fixed leak" is one that is gone.
const describing = (at: ReadonlyArray<string>, i: number): boolean =>
  /ed$/.test(at[i] ?? "") && /^(?:the|an?|its|this|these)$/.test(at[i - 1] ?? "") &&
  !within(at, i + 1, i + 4, defects) && !within(at, i + 1, i + 4, mishaps)
const mendsHere = (at: ReadonlyArray<string>, i: number): boolean =>
  (at[i] === "for" && within(at, i - 4, i, seeking)) ||
  (has(mends, at[i]) && !describing(at, i) && !within(at, i - 3, i, obligations) &&
    (!has(mendNouns, at[i]) || has(objects, at[i + 1])))

// "Nothing in the diff needs to change before merging."
const asking = words("needs need requires require")
const tending = words("change changing fixing attention addressing revisiting")

// Denials that `no`, `none` and `nothing` make without naming a defect.
const deniesAlone = (at: ReadonlyArray<string>, i: number): boolean => {
  const next = at[i + 1]
  if (at[i] === "nothing") {
    const asked = within(at, i + 1, i + 7, asking) && within(at, i + 2, i + 9, tending)
    return has(settled, next) || within(at, i - 3, i, finds) || at.length <= 2 || asked
  }
  const last = i === at.length - 1 && (has(passive, at[i - 1]) || has(finds, at[i - 1]))
  const them = at[i + 1] === "of" && /^(?:them|these|those)$/.test(at[i + 2] ?? "") && i + 3 >= at.length
  if (at[i] === "none" && them && has(finds, at[i - 1])) return true
  if (at[i] === "none") return last || at.length <= 3 || has(finds, next) || has(finds, at[i + 2])
  if (at[i] !== "no") return false
  if (within(at, i + 1, i + 3, whatever) && within(at, i - 2, i, finds)) return true
  const sought = within(at, i + 1, i + 6, whatever) && within(at, i + 2, i + 8, finds)
  return next === "reason" || next === "need" || (sought && within(at, i + 2, i + 8, passive)) ||
    // "no further action is required"
    (within(at, i + 1, i + 4, tasks) && within(at, i + 2, i + 7, called))
}

// "without forcing the race", "the linter reports no issues": not the reviewer's denial.
const beside = (at: ReadonlyArray<string>, none: number, i: number): boolean =>
  (at[none] === "without" && within(at, none + 1, i, harms)) ||
  (within(at, none - 3, none, telling) && !within(at, none - 10, none, reviewers))

// "handles letters and incorrectly rejects digits"
const spoils = (at: ReadonlyArray<string>, i: number): boolean =>
  has(badManners, at[i]) && /[^s]s$/.test(at[i + 1] ?? "")

// "does not alter the output or break callers": the negation goes on to the second verb.
const goesOn = (at: ReadonlyArray<string>, i: number): boolean =>
  /^(?:or|nor)$/.test(at[i] ?? "") && [harms, soft, brings].some((set) => has(set, at[i + 1]))

const far = -100
const reach = 10

/** Works out what governs each word. Linear in the length of the clause. */
export const scopesOf = (at: ReadonlyArray<string>): Scopes => {
  const by: Array<Governed> = []
  // Where the last negation of a verb and the last `no` stand, and what a negated verb waits for.
  let not = far
  let none = -1
  let pending: "looked" | "brought" | null = null
  let comma = false
  let mended = false
  let denial: Denial | null = null
  for (let i = 0; i < at.length; i++) {
    const word = at[i] ?? ""
    if (word === ",") comma = true
    if ((word === "and" || word === ",") && denial === null && (isPredicate(at[i + 1]) || spoils(at, i + 1))) {
      not = far
      none = -1
      mended = false
      pending = null
    }
    const near = i - not <= 4
    const listed = none >= 0 && at[none] === "without" && word.endsWith("ing")
    const verb = near || pending === "looked" || (none >= 0 && (!comma || listed))
    const denied = denial !== null
    by.push({ noun: denied || none >= 0 || near || pending !== null, verb: denied || verb, mended })
    let found: Denial | null = null
    if (isNot(at, i) || (word === "no" && at[i + 1] === "longer") || (i - not <= reach && goesOn(at, i))) {
      not = i
      comma = false
    } else if (isNone(at, i)) {
      none = i
      comma = false
      if (deniesAlone(at, i)) found = "full"
    } else if (none >= 0 && at[none] === "nothing" && harms.has(word) && !within(at, i - 12, i, mends)) found = "full"
    else if (/^fail(?:s|ed)?$/.test(word) && at[i + 1] === "to" && has(finds, at[i + 2])) not = i + 1
    else if (near && looked(at, not, i)) pending = "looked"
    else if (near && (has(brings, word) || (word === "turn" && at[i + 1] === "up"))) pending ??= "brought"
    else if (pending === "looked" && (unseen(at, i) || (i - not <= 5 && isFault(word)))) found = kindOf(at, not, i)
    else if (pending === "brought" && isNoun(at, i)) found = isDefect(at, i) ? kindOf(at, not, i) : "partial"
    else if (none >= 0 && !denied && (isDefect(at, i) || isOpinion(at, i)) && !beside(at, none, i)) {
      found = kindOf(at, none, i)
    }
    if (found !== null && (denial === null || denial === "partial")) denial = found
    if (mendsHere(at, i) && !near && (none < 0 || word === "against")) mended = true
  }
  return { by, denial }
}
