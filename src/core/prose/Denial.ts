// Denial: how far a denial of defects goes: to all of them, to one kind, or to those not told of.
// The one rule: a kind that stands alone leaves the others open; one general kind in a row makes the denial general.
import { partialKinds } from "./Lexicon.ts"
import { has, within, words } from "./Words.ts"

/** `full`: no defects at all; `partial`: none of one kind (security, blocking); `others`: none but some. */
export type Denial = "full" | "partial" | "others"

const others = words("other another else")
const general = words("correctness functional actionable maintainability behavioral reliability logic regression")
const plainly = words(`
  discrete actionable new introduced obvious evident clear definite concrete apparent additional any blocking other
`)
const isKind = (word: string | undefined): boolean =>
  word !== undefined && word !== "," && !has(partialKinds, word) && !has(plainly, word)

// "accessibility or state-handling issues": a row of kinds, one of which is not known to leave others open.
const joined = (at: ReadonlyArray<string>, to: number): boolean =>
  /^(?:or|and)$/.test(at[to - 2] ?? "") && (isKind(at[to - 1]) || isKind(at[at[to - 3] === "," ? to - 4 : to - 3]))

/** What the denial reaches whose negation stands at `from` and whose defect at `to`. */
export const kindOf = (at: ReadonlyArray<string>, from: number, to: number): Denial => {
  for (let i = Math.max(from, to - 12); i < to; i++) {
    // "lost updates or other races": what stands before the `or` is denied as well.
    if (has(others, at[i]) && !/^(?:or|and|nor)$/.test(at[i - 1] ?? "")) return "others"
  }
  const near = Math.max(from, to - 5)
  // "correctness, security, or performance": one general kind in the row makes the denial general.
  if (!within(at, near, to, partialKinds) || within(at, Math.max(from, to - 10), to, general)) return "full"
  return joined(at, to) ? "full" : "partial"
}
