// Pinned: what is known of a submission's code for as long as it is pinned: the same on every machine.
// Marks of one machine's files are left out, since another clone of the same commits has others.
import { Result } from "effect"
import { Identity, identityText } from "../run/Identity.ts"
import type { Submission } from "./Submission.ts"

/**
 * The identity that every clone of a submission has, from what git told of one of them; or one line why that is no
 * clone of it.
 */
export const pinnedIdentity = (told: Identity, { base, branch, head }: Submission): Result.Result<Identity, string> => {
  if (told._tag === "Unknown") return Result.fail(`the tree cannot be told: ${identityText(told)}`)
  if (told.head !== head || told.base !== base || told.branch !== branch) {
    return Result.fail(`the tree shows ${identityText(told)}, and another head or base is pinned`)
  }
  if (told.untracked !== false || told.tree === null || told.tree !== told.headTree || told.tree !== told.indexTree) {
    return Result.fail("the tree shows more or less than its head")
  }
  const { baseMoved: _b, held: _h, indexMoved: _i, moved: _m, movedBefore: _mb, stamps: _s, viewMoved: _v, ...same } =
    told
  return Result.succeed(Identity.cases.Known.make(same))
}
