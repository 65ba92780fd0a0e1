// Assessment: what a review says in a change's favour or by way of describing it.
// The one rule: it only ever settles a doubt; no assessment outweighs a single assertion of a defect.
import { badManners, checksRun, defects, faults, harms, mishaps, neutralHeads, soft } from "./Lexicon.ts"
import { has, isNot, within, words } from "./Words.ts"

const modals = words("can could may might would to still")
const manner = words("correctly consistently properly safely accurately faithfully appropriately cleanly well")
const predicate = words(`
  sound safe correct consistent unchanged compatible appropriate reasonable good fine equivalent complete idempotent
  valid intact clean solid straightforward accurate covered satisfied upheld aligned identical ready okay ok
  acceptable harmless behavior-preserving isolated gated confined unaffected optional additive reversible
  backward-compatible mechanical cosmetic self-contained contained well-contained
`)
const doing = words(`
  pass passes passed passing works agree agrees align aligns match matches preserves preserve satisfies succeed
  succeeds succeeded covers cover conforms adheres preserving matching
`)
const mending = words("fixes resolves closes eliminates corrects prevents addresses removes avoids")
const exercised = words("exercised pinned asserted tested guarded enforced checked")
const tests = words("test tests suite assertion assertions")
const ailing = /^(?:ignor|fail|skip|drop|discard|overwrit|truncat|throw|panic|duplicat|mask|expos|caus|omit|leav)/

/** "no longer ignores failures": what was wrong is so no more. */
export const cured = (at: ReadonlyArray<string>, i: number): boolean =>
  at[i] === "longer" && at[i - 1] === "no" && (has(harms, at[i + 1]) || ailing.test(at[i + 1] ?? ""))

const former = words("before previously previous prior earlier")
const stated = words("intended expected documented described designed specified")

/** Verbs by which something is said to be so. */
export const copulas = words(`
  is are was were be been being look become becomes keep keeps kept remain remains stay stays seems appears appear looks
  left isn't aren't
`)

const bad = (at: ReadonlyArray<string>, from: number, to: number): boolean =>
  [defects, mishaps, harms, faults, badManners, soft].some((set) => within(at, from, to, set))

/** "prevents the stale closure": a remedy, when what it is applied to is bad; "prevents users from" is none. */
export const remedies = (at: ReadonlyArray<string>, i: number): boolean =>
  has(mending, at[i]) && i > 0 && (at[i] === "fixes" || bad(at, i + 1, i + 9))

// "correct for ASCII input only": an assessment with a limit; not "the only caller".
const onlyBehind = (at: ReadonlyArray<string>, i: number): boolean =>
  at.slice(i + 1, i + 6).some((word, k) => word === "only" && !/^(?:the|an?|its)$/.test(at[i + k] ?? ""))

/** Whether the word at `i` calls the change right, or reports a check that passes. */
export const assessed = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i]
  const before = at[i - 1]
  if (word === "no" && /^(?:reports?|shows?)$/.test(before ?? "")) return within(at, i - 6, i, checksRun)
  // "There are no missing keys"; not "no invalid input check".
  if (word === "no" && has(faults, at[i + 1])) return !has(neutralHeads, at[i + 2]) && !has(neutralHeads, at[i + 3])
  if (word === "lgtm" || word === "approved" || word === "approve") return true
  if (word === "as" && has(stated, at[i + 1])) return true
  if (/^(?:verified|confirmed|checked|traced)$/.test(word ?? "")) return before === "i" || before === "we"
  if (has(modals, before) || has(modals, at[i - 2]) || before === "only" || onlyBehind(at, i)) return false
  if (has(manner, word)) return i > 0
  if (word === "same") return within(at, i + 1, i + 4, former)
  // "passes even when the code is gone": what holds regardless proves nothing.
  if (/^pass/.test(word ?? "") && at[i + 1] === "even") return false
  if (has(predicate, word)) return within(at, i - 6, i, copulas) || (i === 1 && /^looks?$/.test(at[0] ?? ""))
  if (has(exercised, word)) return has(copulas, before) && at[i + 1] === "by" && within(at, i + 2, i + 6, tests)
  if (word === "checks" && at[i + 1] === "out") return true
  return (has(doing, word) && i > 0) || remedies(at, i)
}

const touching = words("affect change alter modify touch impact ship reach")
const itself = words("change changes patch commit diff")
const products = words("application app product library package users callers consumers")
const differences = words("change changes impact effect effects difference differences behavior")
const effects = words(`
  behavior behaviour behavioral functional runtime production logic semantics api output user-visible observable
  semantic source code
`)

const touched = words("affected changed altered modified touched impacted")

/** "does not affect runtime behavior", "no functional changes", "no code is affected": the change cannot do harm. */
export const harmless = (at: ReadonlyArray<string>, i: number): boolean => {
  const what = within(at, i + 1, i + 5, effects) || (within(at, i + 1, i + 5, products) && within(at, 0, 4, itself))
  if (isNot(at, i)) return what && within(at, i + 1, i + 3, touching)
  const none = at[i] === "no" || (at[i] === "any" && (isNot(at, i - 2) || isNot(at, i - 3)))
  const unmoved = what && within(at, i + 2, i + 6, copulas) && within(at, i + 3, i + 7, touched)
  return none && (unmoved || (what && within(at, i + 1, i + 4, differences)) || at[i + 1] === "risk")
}

const changing = words(`
  adds add updates update updated removes removed renames moves moved bumps replaces replaced refactors migrates
  extends documents wires threads splits extracts switches converts aligns clarifies reorganizes simplifies deletes
  pins tightens narrows touches limited reviewed inspected checked traced verified refactor rename bump cleanup
  introduces collects restores uses now only documentation implements makes keeps preserves ensures provides supports
  includes reverts reworks rewrites wraps hardens unifies consolidates normalizes generalizes improves corrects fixes
  resolves addresses enables centralizes relocates inlines isolates exports registers reorders edits rewords bounds caps
`)

/** Whether the sentence tells what the change does, or what the reviewer did. */
export const describes = (at: ReadonlyArray<string>): boolean => within(at, 0, 24, changing)
