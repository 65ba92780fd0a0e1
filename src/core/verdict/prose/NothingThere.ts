// NothingThere: clauses that say there was no change to review.
// The one rule: "no changes" counts only where it ends there or says of what; "no changes in behaviour" is a review.
import { bases, inspecting, ranges } from "./Compared.ts"
import type { Clause } from "./Sentences.ts"
import { quoted, quotedRead } from "./Sentences.ts"
import { negates, suppositions, telling } from "./Unseen.ts"
import { has, within, words } from "./Words.ts"

const kinds = words(`
  reviewable actual local pending uncommitted staged unstaged untracked tracked file files code source , or and
  relevant new patch reviewed effective changed modified committed branch git net commit working working-tree pr
  lines line unique own
`)
const changes = words("changes change diff diffs differences difference patch modifications edits commits code hunks")
const ofCode = words("code source")
const changed = words("changed modified")
const compared = words(`
  relative against between compared versus vs since under exist exists present found ahead detected available
  included provided supplied submitted staged committed
`)
const wholes = words("tree diff range branch repository index workspace worktree")
const making = words(`
  make makes made require requires required need needs recommend recommends suggest suggests want introduces
  adds add adding performs
`)
const showing = words("there see find found contain has have produce show return aren't isn't")
const emptied = words(`
  diff diffs patch commit changeset range comparison tree ${quoted} ${quotedRead} output index branch worktree
`)
const giving = words("returned returns produced produces gave gives yielded yields printed shows showed")
const trees = words("branch head tree commit worktree commits trees")
const clean = words("tree worktree")
const pointing = words("point points pointing both resolve resolves")

const closing = words(", for in between against")
const scopes = words("branch head base main master review range scope")
const requested = words("review requested diff")
const holding = words("contains contained has had includes included")

const saysNone = (at: ReadonlyArray<string>, i: number): boolean => {
  const comparing = at[i - 1] === "introduces" && has(compared, at[i + 2])
  if (within(at, i - 3, i, making) && !comparing) return false
  const any = at[i] === "any" && at.slice(Math.max(0, i - 4), i).some(negates) && within(at, i - 4, i, showing)
  return at[i] === "no" || at[i] === "zero" || at[i] === "0" || any
}

// "no files were changed", "... in this commit"
const wereChanged = (at: ReadonlyArray<string>, i: number): boolean =>
  has(changed, at[i + 1]) &&
  (i + 2 >= at.length || at[i + 2] === "," || (at[i + 2] === "in" && within(at, i + 3, i + 6, emptied)))

// "no changes to review", "no staged or unstaged changes", "no changes relative to the base", "returned no changes"
const noChanges = (at: ReadonlyArray<string>, i: number): boolean => {
  if (!saysNone(at, i)) return false
  if (at[i + 1] === "reviewable") return true
  const closed = at[i + 2] === undefined || at[i + 2] === ","
  if (at[i + 1] === "files" && closed && within(at, i - 2, i, holding)) return within(at, i - 5, i, emptied)
  let j = i + 1
  while (j < i + 12 && has(kinds, at[j])) j++
  while (j > i + 1 && /^(?:,|or|and)$/.test(at[j - 1] ?? "") && !has(changes, at[j])) j--
  if (/^files?$/.test(at[j - 2] ?? "") && at[j - 1] === "changed" && (at[j] === undefined || at[j] === ",")) return true
  const unchanged = /^(?:files?|lines?)$/.test(at[j - 1] ?? "") && (within(at, i + 1, j, changed) || wereChanged(at, j))
  if (!unchanged && !has(changes, at[j]) && !has(changes, at[j - 1])) return false
  const rest = !has(changes, at[j]) ? j : /^sets?$/.test(at[j + 1] ?? "") ? j + 2 : j + 1
  const next = at[rest] ?? ""
  // "no code changes in this diff to review"
  if (next === "in" && at[at.length - 2] === "to" && at.length < rest + 7 && has(inspecting, at.at(-1))) return true
  if (/^(?:to|for)$/.test(next) && within(at, rest + 1, rest + 4, inspecting)) return true
  if (next === "under" && at[rest + 1] === "review") return true
  if (!unchanged && within(at, i + 1, j + 1, ofCode)) {
    const from = rest + (/^exists?$/.test(next) ? 1 : /^(?:was|were|are|is)$/.test(next) ? 2 : 0)
    return at[from] === "in" && within(at, from, from + 5, ranges)
  }
  if (/^exists?$/.test(next) && at[rest + 1] === "for") return within(at, rest + 2, rest + 5, scopes)
  if (rest >= at.length || next === "," || has(compared, next)) return true
  if (/^(?:was|were|is|are|has|have)$/.test(next)) {
    return within(at, rest, rest + 4, compared) || (at[j - 1] === "files" && wereChanged(at, rest))
  }
  if (next === "of") return /^(?:its|their)$/.test(at[rest + 1] ?? "") && at[rest + 2] === "own"
  if (/^(?:to|from)$/.test(next)) return within(at, rest + 1, rest + 4, bases)
  return (next === "in" || next === "on") && within(at, rest, rest + 5, wholes)
}

// "nothing to compare", "the diff is empty", "the tree is clean", "HEAD is identical to main"
const noMaterial = (at: ReadonlyArray<string>, i: number): boolean => {
  switch (at[i]) {
    case "nothing":
      if (/^(?:changed|differs)$/.test(at[i + 1] ?? "") && has(compared, at[i + 2])) return true
      if (/^(?:was|were|has)$/.test(at[i + 1] ?? "") && has(changed, at[i + 2])) return within(at, i + 3, i + 7, wholes)
      if (has(giving, at[i - 1]) && has(closing, at[i + 1] ?? ",")) return within(at, i - 5, i, emptied)
      return (at[i + 1] === "to" || at[i + 2] === "to") && within(at, i + 2, i + 5, inspecting)
    case "blank":
    case "empty":
      return at[i - 2] === "scope" && within(at, i - 5, i - 2, requested)
    case "clean":
      return within(at, i - 3, i, clean) && /^(?:is|was)$/.test(at[i - 1] ?? "")
    case "equals":
    case "matches":
      return has(trees, at[i - 1]) && has(bases, at[i + 1]) && (at[i + 2] === undefined || at[i + 2] === ",")
    case "identical":
      return at[i - 2] === "base" && at[i - 3] === "merge"
    case "same":
      return /^(?:commit|tree|revision)$/.test(at[i + 1] ?? "") && within(at, i - 5, i, pointing)
    default:
      return false
  }
}

const present = words("present found included detected contained")

/** "The commit contains no code changes.": nothing to review, unless the review tells of documents instead. */
export const saysNoCode = ({ lead, words: at }: Clause): boolean => {
  if (has(suppositions, lead)) return false
  return at.some((word, i) => {
    if (word !== "no" || !has(ofCode, at[i + 1]) || !has(changes, at[i + 2])) return false
    const held = within(at, i - 2, i, holding) && within(at, i - 5, i, emptied)
    if (i + 3 >= at.length) return held
    return has(present, at[i + 3]) && at[i + 4] === "in" && within(at, i + 5, i + 8, emptied)
  })
}

/** Whether the clause says that there was nothing to review. */
export const saysNothingThere = (clause: Clause): boolean => {
  const at = clause.words
  if (has(suppositions, clause.lead)) return false
  const git = /^(?:git|□read)$/.test(at[0] ?? "")
  return at.some((_, i) => (git || !within(at, i - 6, i, telling)) && (noChanges(at, i) || noMaterial(at, i)))
}
