// Demand: what a review wants changed, and what it says the change fails to do.
// The one rule: duties and demands are told by grammar (a verb without subject, "should", a negation), not by topic.
import { brings, defects, duties, faults, finds, harms, mishaps, soft } from "./Lexicon.ts"
import { has, within, words } from "./Words.ts"

const emphatic = words(`
  actually really properly correctly fully reliably always entirely completely quite consistently safely
`)
const good = words(`
  safe ready correct complete sufficient right enough reliable robust thread-safe equivalent idempotent consistent
`)
const secrets = words("credentials secrets tokens passwords personal sensitive private pii confidential")
const fillers = words("be been yet a an any the so by in to of have")

const unreached = words("run executed called used read reached invoked referenced")

/** Verbs whose negation says nothing against a change: "does not modify", "is not used". */
export const neutral = words(`
  modify change changes alter affect affects touch touches impact impacts require requires need needs apply applies
  matter mean expect intended depend depends rely relies run executed execute yet used use referenced reference
  necessarily alone caused related tied attributable due part meant verified tested start want exported imported
  changed modified touched affected altered required needed possible applicable evident clear obvious material
  evidently warrant appear seem exercised checked inspected reviewed in limited just ship ships shipped
`)

/**
 * What the negation at `i` takes from the change: "does not enforce", "is never removed", "cannot be used". Null when
 * the negated verb is one of harm, of looking, or neutral.
 */
export const lacking = (at: ReadonlyArray<string>, i: number): "strong" | "weak" | null => {
  const next = at[i + 1]
  if (has(emphatic, next) || has(good, next) || (next === "be" && has(good, at[i + 2]))) return "strong"
  if (next === "include" && within(at, i + 2, i + 6, secrets)) return null
  if (has(duties, next) || has(duties, at[i + 2])) {
    return at[i] === "never" || /^(?:do|did|does)/.test(at[i - 1] ?? at[i] ?? "") ? "strong" : "weak"
  }
  let seen = 0
  for (let j = i + 1; j < Math.min(at.length, i + 6) && seen < 2; j++) {
    if (!has(fillers, at[j])) seen++
    if (at[i] === "never" && has(unreached, at[j])) return "weak"
    if ([neutral, finds, brings, harms, soft, mishaps, faults, defects].some((set) => has(set, at[j]))) return null
  }
  return at.length > i + 1 ? "weak" : null
}

const imperatives = words(`
  add use make move wrap replace rename don't do stop require treat accept allow parse render force seed show block
  drop delete provision run call switch convert limit document include exclude warn fail skip evaluate verify register
`)
const described = words(`
  looks is was are were has appears applied works verified confirmed reviewed and , handling path logic added review
  verdict outcome improvement
`)

const plural = words("are were")
const relative = words("that which , and")

// "Force pushes to protected branches are refused": the verb's form is part of a name.
const subject = (at: ReadonlyArray<string>): boolean => {
  const verb = at.slice(0, 8).findIndex((word) => has(plural, word))
  return /[^s]s$/.test(at[1] ?? "") && verb > 1 && !within(at, 1, verb, relative)
}

/** "Guard against null": a sentence without a subject asks for a change. */
export const asks = (at: ReadonlyArray<string>): boolean =>
  (has(duties, at[0]) || has(imperatives, at[0])) && at.length > 1 && !within(at, 1, 3, described) && !subject(at)

const advice = words("consider please recommend suggest prefer ensure")
const repairs = words(`
  fixed corrected revised addressed changed removed handled resolved updated reverted restored added moved merged
  shipped considered rejected replaced renamed guarded escaped validated checked awaited released applied made
  reworked
`)

/** Whether the word at `i` opens advice: "consider", "I suggest", "should be fixed", "you need". */
export const advises = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i]
  if (i === 0 && has(advice, word)) return true
  if (word === "recommend" || word === "suggest") return at[i - 1] === "i" || at[i - 1] === "we"
  if (word !== "should" && word !== "must" && word !== "needs" && word !== "need") return false
  return within(at, i + 1, i + 5, repairs) || at[i - 1] === "you"
}
