// Denial: how far a denial of defects goes: to all of them, to one kind, or to those not told of.
// The one rule: a kind that stands alone leaves the others open; one general kind in a row makes the denial general.
import { partialKinds } from "./Lexicon.ts"
import { has, within, words } from "./Words.ts"

/** `full`: no defects at all; `partial`: none of one kind (security, blocking); `others`: none but some. */
export type Denial = "full" | "partial" | "others"

const others = words("other another else")
// "Otherwise I found no issues", "no further issues": whoever says so has told of some, or may have.
const residual = words("further additional")
const aside = words("otherwise elsewhere")
// What a denial speaks of that speaks of the whole: "no issues in the changed lines", "in these edits".
const whole = words(`
  change changes changed changeset diff diffs patch commit commits code implementation modified touched reviewed these
  this it its them files file lines scope refactor update updates updated branch pr new introduced provided edits edit
  modification modifications added addition additions revision set migration they both any either feature fix work
  logic production runtime introducing
`)
// Codex's own formula names what was changed, not a part of it: "no discrete issues in the storage layer".
const formal = words("discrete actionable introduced evident clear apparent regression regressions")
const parting = words("in within for inside")
const ending = words("found identified detected spotted seen observed noted evident apparent present visible were was")

// "no issues in the backend part", "no problems found in the parser": the rest of the change is left open.
const ofPart = (at: ReadonlyArray<string>, to: number): boolean => {
  let i = to + 1
  while (i < to + 5 && has(ending, at[i])) i++
  if (!has(parting, at[i])) return false
  const end = at.slice(i, i + 12).indexOf(",")
  return !within(at, i + 1, i + (end < 0 ? 12 : end), whole)
}

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
  const apart = within(at, from, to, residual) || within(at, from - 5, from, aside) || ofPart(at, to)
  if (apart && !within(at, from, to + 1, formal)) return "partial"
  const near = Math.max(from, to - 5)
  // "correctness, security, or performance": one general kind in the row makes the denial general.
  if (!within(at, near, to, partialKinds) || within(at, Math.max(from, to - 10), to, general)) return "full"
  return joined(at, to) ? "full" : "partial"
}
