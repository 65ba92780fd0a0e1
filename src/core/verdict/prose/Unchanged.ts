// Unchanged: clauses that say the reviewed code does not differ from what it is compared with.
// The one rule: what is the same must be trees, revisions or files as a whole; equal behaviour is a review's praise.
import { bases, inspecting, ranges } from "./Compared.ts"
import type { Clause } from "./Sentences.ts"
import { negates, suppositions, telling } from "./Unseen.ts"
import { has, within, words } from "./Words.ts"

type Words = ReadonlyArray<string>

const comparing = words("relative against compared versus vs between since ahead beyond from to with as")
const wholes = words(`
  revisions revision commits commit trees tree branches branch refs ref heads head sides snapshots checkout worktree
  workspace
`)
const describing = words(`
  the this these those two both current working local checked-out feature topic source target base review given all
  compared named specified requested merge and main master my your our its
`)
const being = words("is are was were appears appear seems seem")
const hedges = words("already now fully completely entirely exactly currently also therefore all both to be")
const same = words("identical even equal level unchanged")
const differing = words("changed differs differ changes different diverged diverges")
const denying = words("does do did has have doesn't don't didn't hasn't haven't")
const parting = words("differ diverge diverged changed moved")
const auxiliaries = words("has have is are was were been appears appear to")
const kinds = words("actual tracked untracked source relevant code reviewable local committed the new other further")
const left = words("remaining introduced effective unique net outstanding unmerged")
const things = words("changes change modifications edits diff diffs differences difference delta commits patch hunks")
const reviewed = words("code patch diff changes change changeset commit commits")

/** Whether nothing more is said at `i` than what the code was compared with. */
const endsAt = (at: Words, i: number): boolean => {
  const next = at[i]
  if (next === undefined || next === "," || next === "and") return true
  if (has(comparing, next)) return next === "between" || within(at, i + 1, i + 6, bases)
  return (next === "in" || next === "on") && within(at, i + 1, i + 4, ranges)
}

const skip = (at: Words, from: number, set: ReadonlySet<string>, most = 6): number => {
  let i = from
  while (i < from + most && has(set, at[i])) i++
  return i
}

// "nothing differs from main", "no files have changed since the base"
const nothingDiffers = (at: Words, i: number): boolean => {
  const files = skip(at, i + 1, kinds)
  const subject = at[i] === "nothing" ? i + 1 : /^files?$/.test(at[files] ?? "") ? files + 1 : -1
  if (subject < 0 || (at[i] !== "nothing" && at[i] !== "no")) return false
  const verb = skip(at, subject, auxiliaries)
  return has(differing, at[verb]) && endsAt(at, verb + 1)
}

// "the two revisions are identical", "the current checkout does not differ from the base", "is even with main"
const sameTrees = (at: Words): boolean => {
  const head = skip(at, 0, describing, 8)
  if (!has(wholes, at[head])) return false
  const verb = /^(?:at|of)$/.test(at[head + 1] ?? "") ? skip(at, head + 2, bases) : head + 1
  if (has(denying, at[verb]) && (negates(at[verb]) || negates(at[verb + 1]))) {
    const next = negates(at[verb]) ? verb + 1 : verb + 2
    return has(parting, at[next]) && endsAt(at, next + 1)
  }
  if (!has(being, at[verb])) return false
  const predicate = skip(at, verb + 1, hedges)
  if (at[predicate] === "the" && at[predicate + 1] === "same") return endsAt(at, predicate + 2)
  return has(same, at[predicate]) && endsAt(at, predicate + 1)
}

// "all files match the base branch"
const allMatch = (at: Words, i: number): boolean => {
  if (!/^(?:all|every)$/.test(at[i] ?? "")) return false
  const files = skip(at, i + 1, kinds)
  if (!/^files?$/.test(at[files] ?? "")) return false
  return /^(?:match|matches|equal|equals)$/.test(at[files + 1] ?? "") && within(at, files + 2, files + 5, bases) &&
    at.length < files + 7
}

// "has no remaining diff", "no changes have been made on this branch", "there is no patch here to judge"
const noneLeft = (at: Words, i: number): boolean => {
  if (at[i] !== "no" && at[i] !== "zero") return false
  if (has(left, at[i + 1]) && has(things, at[i + 2])) return endsAt(at, i + 3)
  if (has(things, at[i + 1]) && /^(?:have|has)$/.test(at[i + 2] ?? "") && at[i + 3] === "been") {
    return /^(?:made|committed|staged)$/.test(at[i + 4] ?? "") && endsAt(at, i + 5)
  }
  if (!/^(?:is|was|there's|are|were)$/.test(at[i - 1] ?? "") || !has(reviewed, at[i + 1])) return false
  if (at[i + 2] !== "here") return false
  return i + 3 >= at.length || at[i + 3] === "," || (at[i + 3] === "to" && has(inspecting, at[i + 4]))
}

/** Whether the clause says that there is no difference to review. */
export const saysUnchanged = ({ lead, words: at }: Clause): boolean => {
  if (has(suppositions, lead)) return false
  return sameTrees(at) || at.some((_, i) =>
    !within(at, i - 6, i, telling) && (nothingDiffers(at, i) || allMatch(at, i) || noneLeft(at, i)))
}
