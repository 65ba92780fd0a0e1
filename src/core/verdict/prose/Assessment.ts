// Assessment: what a review says in a change's favour or by way of describing it.
// The one rule: it only ever settles a doubt; no assessment outweighs a single assertion of a defect.
import { badManners, checksRun, defects, faults, harms, mishaps, neutralHeads, soft } from "./Lexicon.ts"
import { has, isNone, isNot, within, words } from "./Words.ts"

const modals = words("can could may might would to still")
const finding = words("found find")
const seeming = words("appear appears seem seems continue continues")
// "appears to preserve", "seems to be correct": said of what is, where "added to preserve" says what for.
const seemsTo = (at: ReadonlyArray<string>, to: number): boolean =>
  at[to] === "to" && (has(seeming, at[to - 1]) || (at[to + 1] === "be" && within(at, to - 6, to, finding)))
/** Manners in which only something right is done. */
export const manner = words("correctly consistently properly safely accurately faithfully appropriately cleanly well")
const predicate = words(`
  sound safe correct consistent unchanged compatible appropriate reasonable good fine equivalent complete idempotent
  valid intact clean solid straightforward accurate covered satisfied upheld aligned identical ready okay ok
  acceptable harmless behavior-preserving isolated gated confined unaffected optional additive reversible
  backward-compatible preserved mechanical cosmetic self-contained contained well-contained
`)
const doing = words(`
  pass passes passed passing works agree agrees align aligns match matches preserves preserve satisfies succeed
  succeeds succeeded covers cover conforms adheres preserving matching
`)
const holding = words("preserve work honor honour respect satisfy agree align conform")
const keeping = words("keeps keep keeping retain retains retaining maintain maintains maintaining match follow")
const standing = words("existing current previous prior original backward backwards compatibility")
const these = words(`
  change changes patch commit diff update edits refactor pr revision implementation wiring rename migration
`)
// A handler that keeps existing sessions may be wrong to; a change that keeps existing behavior is said to be right.
const ofChange = (at: ReadonlyArray<string>, i: number, led: boolean): boolean =>
  led || within(at, 0, Math.min(i, 5), these)
// Verbs that open a clause behind "which" or "while", where the change is their subject.
const opening = words("aligns matches preserves conforms agrees adheres satisfies preserving")
const nothing = words("nothing none neither few")
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
  left came comes isn't aren't
`)

const bad = (at: ReadonlyArray<string>, from: number, to: number): boolean =>
  [defects, mishaps, harms, faults, badManners, soft].some((set) => within(at, from, to, set))

// "preventing children from blocking the loop"; "preventing stale users from signing in" is none.
const averts = (at: ReadonlyArray<string>, i: number): boolean => {
  const from = at.slice(i, i + 10).indexOf("from")
  return from < 0 ? bad(at, i + 1, i + 6) : bad(at, i + from + 1, i + from + 4)
}

/** "prevents the stale closure": a remedy, when what it is applied to is bad; "prevents users from" is none. */
export const remedies = (at: ReadonlyArray<string>, i: number): boolean =>
  at[i] === "preventing" ? averts(at, i) : has(mending, at[i]) && i > 0 && (at[i] === "fixes" || bad(at, i + 1, i + 9))

// "correct for ASCII input only": an assessment with a limit; not "the only caller".
const onlyBehind = (at: ReadonlyArray<string>, i: number): boolean =>
  at.slice(i + 1, i + 6).some((word, k) => word === "only" && !/^(?:the|an?|its)$/.test(at[i + k] ?? "")) ||
  (at.at(-1) === "only" && at.length < i + 16)

/** Whether the word at `i` calls the change right, or reports checks that pass. `led`: the clause hangs on another. */
export const assessed = (at: ReadonlyArray<string>, i: number, led: boolean): boolean => {
  const word = at[i]
  const before = at[i - 1]
  if (word === "no" && /^(?:reports?|shows?)$/.test(before ?? "")) return within(at, i - 6, i, checksRun)
  // "There are no missing keys"; not "no invalid input check".
  if (word === "no" && has(faults, at[i + 1])) return !has(neutralHeads, at[i + 2]) && !has(neutralHeads, at[i + 3])
  if (word === "lgtm" || word === "approved" || word === "approve") return true
  if (word === "as" && has(stated, at[i + 1])) return true
  if (/^(?:verified|confirmed|checked|traced)$/.test(word ?? "")) return before === "i" || before === "we"
  const seems = seemsTo(at, i - 1) || seemsTo(at, i - 2)
  const only = before === "only" || (seems && at.slice(Math.max(0, i - 4), i).includes("only"))
  if ((!seems && (has(modals, before) || has(modals, at[i - 2]))) || only || onlyBehind(at, i)) return false
  if (seems && has(holding, word)) return ofChange(at, i, false)
  if (has(nothing, at[i + 1])) return false
  if (i === 0 && led && has(opening, word)) return true
  if (has(keeping, word)) return within(at, i + 1, i + 5, standing) && ofChange(at, i, led)
  if (has(manner, word)) return i > 0
  if (word === "same") return within(at, i + 1, i + 4, former)
  // "passes even when the code is gone": what holds regardless proves nothing.
  if (/^pass/.test(word ?? "") && /^(?:even|without|regardless)$/.test(at[i + 1] ?? "")) return false
  if (has(predicate, word)) return within(at, i - 6, i, copulas) || (i === 1 && /^looks?$/.test(at[0] ?? ""))
  if (has(exercised, word)) return has(copulas, before) && at[i + 1] === "by" && within(at, i + 2, i + 6, tests)
  if (word === "checks" && at[i + 1] === "out") return true
  return (has(doing, word) && i > 0) || remedies(at, i)
}

const limiting = words("only unless")
const touching = words("affect change alter modify touch impact ship reach")
const itself = words("change changes patch commit diff")
const products = words("application app product library package users callers consumers")
const flows = words("flow flows workflow workflows functionality callers consumers users")
const differences = words("change changes impact effect effects difference differences behavior")
const effects = words(`
  behavior behaviour behavioral functional runtime production logic semantics api output user-visible observable
  semantic source code
`)

/** What is done to what a change reaches. */
export const touched = words("affected changed altered modified touched impacted")

// "does not appear to alter existing flows"
const seemsUntouched = (at: ReadonlyArray<string>, i: number): boolean =>
  has(seeming, at[i + 1]) && at[i + 2] === "to" && has(touching, at[i + 3]) &&
  (within(at, i + 4, i + 8, effects) || within(at, i + 4, i + 8, flows))

/** "does not affect runtime behavior", "no functional changes", "no code is affected": the change cannot do harm. */
export const harmless = (at: ReadonlyArray<string>, i: number): boolean => {
  if (confined(at, i)) return true
  const what = within(at, i + 1, i + 5, effects) || (within(at, i + 1, i + 5, products) && within(at, 0, 4, itself))
  if (isNot(at, i)) return (what && within(at, i + 1, i + 3, touching)) || seemsUntouched(at, i)
  const none = at[i] === "no" || (at[i] === "any" && (isNot(at, i - 2) || isNot(at, i - 3)))
  const unmoved = what && within(at, i + 2, i + 6, copulas) && within(at, i + 3, i + 7, touched)
  return none && (unmoved || (what && within(at, i + 1, i + 4, differences)) || at[i + 1] === "risk")
}

const hurting = words(`
  regress degrade crash corrupt leak weaken violate contradict mishandle undermine jeopardize misroute mangle
  regressing degrading crashing corrupting leaking weakening violating contradicting undermining
  regresses degrades crashes corrupts leaks weakens violates contradicts undermines
`)
const breaking = words("break breaks breaking")
// "without affecting other fields"
const reaching = words("affecting altering changing touching disturbing")
const besides = words("other existing unrelated any the remaining")
const unbroken = words(`
  existing behavior behaviour compatibility callers caller consumers consumer users clients client api apis contract
  contracts tests build builds anything any functionality pages layout backward public current other workflows flows
`)
const unsure = words("may might must whether if cannot unable impossible hard difficult")
const lightly = words("appear seem be to materially obviously functionally otherwise also currently neither likely")

/** "does not appear to break callers", "without degrading throughput": what is spared. "Break" needs an object. */
export const spared = (at: ReadonlyArray<string>, i: number): boolean => {
  const none = isNone(at, i) && /^(?:without|neither)$/.test(at[i] ?? "")
  if (!none && !isNot(at, i)) return false
  if (within(at, i - 12, i, unsure) || within(at, i + 1, i + 12, limiting)) return false
  let j = i + 1
  while (j < i + 5 && has(lightly, at[j])) j++
  if (at[i] === "without" && has(reaching, at[j]) && within(at, j + 1, j + 3, besides)) return true
  return has(hurting, at[j]) || (has(breaking, at[j]) && within(at, j + 1, j + 5, unbroken))
}

const bounded = words("limited confined restricted scoped")
const inert = words(`
  test tests coverage documentation docs readme comment comments spec changelog version versions lockfile markdown
  wording whitespace formatting typo copy notes instructions
`)
const applied = words(`
  adds updates clarifies adjusts bumps edits rewords documents fixes touches tightens expands extends
`)

// "are limited to version bumps", "only updates the docs": what the change does not reach it cannot harm.
const confined = (at: ReadonlyArray<string>, i: number): boolean => {
  if (!within(at, 0, Math.min(i, 4), these) || i > 8) return false
  if (has(bounded, at[i])) return at[i + 1] === "to" && within(at, i - 3, i, copulas)
  const applies = has(applied, at[i + 1]) || has(applied, `${at[i + 1]}s`)
  return at[i] === "only" && applies && within(at, i + 2, i + 7, inert)
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
