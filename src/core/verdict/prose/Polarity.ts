// Polarity: what one clause of a review says about defects: denies them, asserts one, or neither.
// The one rule: a word of harm counts unless a negation, a remedy or the past governs it.
import { assessed, copulas, cured, harmless, manner, remedies, spared } from "./Assessment.ts"
import type { Denial } from "./Denial.ts"
import { advises, asks, lacking, neutral } from "./Demand.ts"
import { isPast, isSettled, notOfThisChange, notRun } from "./Exemption.ts"
import { badManners, faults, finds, harms, mends, mishaps, neutralHeads, plainFaults, soft } from "./Lexicon.ts"
import { type Governed, isDefect, reviewers, scopesOf } from "./Scopes.ts"
import type { Clause } from "./Sentences.ts"
import { has, isNot, within, words } from "./Words.ts"

/** What a clause says: `strong` assertions count always, `weak` ones where nothing denies defects. */
export interface Reading {
  readonly denial: Denial | null
  readonly asserts: "strong" | "weak" | null
  /** It calls the change right, or reports checks that pass. */
  readonly assesses: boolean
  /** It tells of a defect that was there before, or is mended. */
  readonly recalls: boolean
  /** It speaks of what was there before the change, or is meant. */
  readonly exempt: boolean
  /** It speaks of checks that could not be run. */
  readonly idle: boolean
  /** A denial or a remedy holds at its end, and in a `where` behind it. */
  readonly governs: boolean
}

const modals = words("can could may might would")
const conditions = words("when if whenever unless until once")
const articles = words("a an the its any each every another on merge")
const caches = words("cache lookup near")
const nominal = words("a an the on per each")
const hedges = words("mostly almost partly partially largely generally nearly")
const leaving = words("leave leaves leaving")
// "makes the limit unbounded"; not "makes missing entries visible".
const predicative = (at: ReadonlyArray<string>, i: number): boolean => has(behind, at[i + 1] ?? ",")
const behind = words(", for when in on to and or by after under at if with")
const rendering = words("makes make making renders")
const giving = words(`
  return returns returned returning produce produces producing yields gives use uses using reports sends writes stores
  shows displays prints compares computes reads
`)
const making = words(`
  introduce introduces introduced introducing cause causes causing create creates creating contain contains has have
  there lead leads leading result results resulting expose exposes reintroduce reintroduces leaves leaving risks
  enabling potential possible likely adds adding trigger triggers triggering opens
`)
const mild = words("closed loudly fast early explicitly gracefully as safe if when only with the it a them")

// "yields 404, a missing grant", "returned for a missing row": what a verb gives ends there.
const givenFrom = (at: ReadonlyArray<string>, from: number, to: number): number => {
  for (let i = to - 1; i >= Math.max(0, from); i--) if (at[i] === "," || at[i] === "for") return i
  return from
}

type Strength = Reading["asserts"]

// "is wrong", "returns the wrong code", "leaves it stale"; "a stale entry" describes.
const faulted = (at: ReadonlyArray<string>, i: number, clause: Clause): Strength => {
  if (!has(faults, at[i])) return null
  const plain = has(plainFaults, at[i])
  if (within(at, i - 3, i, copulas)) return plain ? "weak" : "strong"
  if (within(at, i - 4, i, rendering) && !has(articles, at[i - 1]) && predicative(at, i)) return "strong"
  const given = within(at, givenFrom(at, i - 4, i), i, giving)
  if (given || within(at, i - 6, i, leaving)) return "strong"
  return plain && !(i === 0 && clause.lead === "") ? null : "weak"
}

// "panic recovery", "drift checks": nouns there.
const guarded = words("drift conflict panic overflow delay trigger escape")
const met = words(`
  reported rejected flagged logged detected counted caught surfaced handled listed raised recorded collected shown
  refused treated diagnosed
`)

// "inspection failed to reveal": the reviewer's search, not the code's.
const searched = (at: ReadonlyArray<string>, i: number): boolean =>
  has(finds, at[i + 2]) && (i === 0 || within(at, i - 8, i, reviewers))

const agents = words("by")

// "violations are reported", "a mismatch is logged": what the code does when it meets one.
const metBy = (at: ReadonlyArray<string>, i: number): boolean => {
  if (within(at, i - 8, i, making) || within(at, i - 8, i, finds) || within(at, i, i + 8, agents)) return false
  const now = /^(?:is|are)$/
  return at.slice(i + 1, i + 6).some((word, k) => has(met, word) && now.test(at[i + k] ?? ""))
}

const pinning = /^(?:assert|pin|verif|test|document|describe|expect)(?:s|ies|ed|ing)?$/

// "asserts the wrong value": the remedy is wrong itself.
const pinsWrong = (at: ReadonlyArray<string>, i: number): boolean =>
  /^(?:wrong|incorrect)$/.test(at[i] ?? "") && /^(?:the|an?)$/.test(at[i - 1] ?? "") && pinning.test(at[i - 2] ?? "")

// What the noun at `i` asserts by being there.
const named = (at: ReadonlyArray<string>, i: number): Strength => {
  if (isDefect(at, i)) return metBy(at, i) ? "weak" : "strong"
  return has(mishaps, at[i]) && !has(neutralHeads, at[i + 1]) && within(at, i - 6, i, making) ? "strong" : null
}

// What the verb or adjective at `i` asserts, when nothing governs it. `idle`: the clause is about checks not run.
const acted = (at: ReadonlyArray<string>, i: number, clause: Clause, idle: boolean): Strength => {
  const word = at[i] ?? ""
  const next = at[i + 1]
  const conditional = has(conditions, clause.lead)
  const past = isPast(at, i)
  if ((has(badManners, word) && !past) || advises(at, i) || (word === "off" && next === "by")) return "strong"
  if (/^fail(?:s|ed)?$/.test(word) && next === "to" && !idle && !searched(at, i)) {
    return conditional && i < 4 && !at.slice(0, i).includes(",") ? "weak" : "strong"
  }
  const noun = (has(nominal, at[i - 1]) && !word.endsWith("ing")) || (i < 3 && /^(?:is|are)$/.test(next ?? "")) ||
    (/^miss(?:es)?$/.test(word) && has(caches, at[i - 1]))
  const said = !conditional && !past
  if (said && !noun && has(harms, word) && !has(articles, at[i - 1]) && !has(neutralHeads, next) && !isSettled(at, i)) {
    // "Reads that race with compaction are retried": some of them are spoken of.
    return at[i - 1] === "that" && i < 3 ? "weak" : "strong"
  }
  const fault = said ? faulted(at, i, clause) : null
  if (fault !== null) return fault
  if (remainsHarmful(at, i) && !past) return "strong"
  if (unguards(at, i)) return "weak"
  if (/^(?:results?|resulting|leads?|leading|led)$/.test(word) && /^(?:in|to)$/.test(next ?? "")) return "weak"
  if (word === "longer" && at[i - 1] === "no" && !has(neutral, next) && !has(harms, next)) return "weak"
  const mildly = (/^fail/.test(word) && has(mild, next)) || has(manner, at[i - 1])
  const tidies = /^(?:deletes|drops|drop|strips)$/.test(word) && 
    (within(at, i + 1, i + 4, deadCode) || within(at, i + 1, i + 5, papers))
  const ordinary = idle || past || mildly || tidies || remedies(at, i) ||
    (has(guarded, word) && has(neutralHeads, next))
  return has(soft, word) && !ordinary && !noun ? "weak" : null
}

const lasting = words("remain remains persist persists")
const lastingHarms = words("leak leaks race races crash crashes deadlock deadlocks hang hangs overflow overflows")

// "One leak remains in the reader."
const remainsHarmful = (at: ReadonlyArray<string>, i: number): boolean =>
  has(lasting, at[i]) && at.slice(Math.max(0, i - 10), i).some((_, k, part) =>
    isDefect(part, k) || (has(lastingHarms, part[k]) && !has(neutralHeads, part[k + 1])))

const safeguards = words(`
  check checks validation guard guards authorization authentication permission permissions escaping sanitization
  verification protection lock locking
`)
const deadCode = words("redundant dead unused obsolete unnecessary unreachable deprecated")
const papers = words("documentation docs document documents plan plans planning notes artifacts changelog comments")
const idleCode = new Set([...deadCode, "duplicate", "duplicated", "legacy", "stale", "old", "extra", "manual"])

// "while removing the permission check": what guarded the code is gone.
const unguards = (at: ReadonlyArray<string>, i: number): boolean =>
  /^remov(?:es|ing)$/.test(at[i] ?? "") && within(at, i + 1, i + 5, safeguards) && !within(at, i + 1, i + 5, idleCode)

const harmful = (at: ReadonlyArray<string>, i: number): boolean =>
  isDefect(at, i) || ((has(mishaps, at[i]) || has(harms, at[i])) && !has(neutralHeads, at[i + 1]))

const free: Governed = { noun: false, verb: false, mended: false }
const bound: Governed = { noun: true, verb: true, mended: true }

/**
 * Reads one clause. `carried`: a denial or a remedy of the clause before holds in it; `ofChecks`: its pronoun stands
 * for checks. Linear in its length.
 */
export const readClause = (clause: Clause, carried: boolean, ofChecks: boolean): Reading => {
  const at = clause.words
  const { by, denial } = scopesOf(at)
  const conditional = has(conditions, clause.lead)
  const idle = notRun(at, ofChecks)
  let asserts: Strength = clause.lead === "" && asks(at) ? "strong" : null
  let recalls = false
  let assesses = denial === "partial"
  let told = false
  const assert = (strength: Strength) => {
    if (strength === "strong") asserts = "strong"
    if (strength === "weak") asserts ??= "weak"
  }
  for (let i = 0; i < at.length; i++) {
    // "the bug was that …", "the leaks were fixed": what follows tells of what is gone.
    if (isDefect(at, i) && isSettled(at, i)) told = true
    const governed = carried || told ? bound : by[i] ?? free
    recalls ||= harmful(at, i) && denial === null && (governed.mended || isPast(at, i))
    if (harmless(at, i) || cured(at, i) || (!conditional && spared(at, i))) assesses = true
    if (!governed.verb && !conditional && assessed(at, i, clause.lead !== "")) {
      if (within(at, i - 3, i, hedges)) assert("weak")
      else assesses = true
    }
    if (isNot(at, i) && denial === null && !governed.verb && !idle && !conditional) assert(lacking(at, i))
    // "nor fixes the bug"
    if (pinsWrong(at, i) || (at[i] === "nor" && has(mends, at[i + 1]) && at[i + 1]?.endsWith("s"))) assert("strong")
    if (governed.mended) continue
    if (!governed.noun && !conditional && !isPast(at, i)) assert(named(at, i))
    if (governed.verb) continue
    if (has(modals, at[i]) && !idle) assert("weak")
    assert(acted(at, i, clause, idle))
  }
  const governs = carried || denial !== null || by.at(-1)?.mended === true
  return { denial, asserts, assesses, recalls, exempt: clause.lead !== "except" && notOfThisChange(at), idle, governs }
}
