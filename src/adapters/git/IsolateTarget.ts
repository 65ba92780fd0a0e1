// IsolateTarget: the private repository of a batch, in its place in the store, with the identity of what is in it.
// The identity is that of the captured code, so reviewers see exactly that from their beginning to their end.
import { existsSync, realpathSync } from "node:fs"
import { Effect } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import type { BatchRef } from "../../core/run/Refs.ts"
import type { BranchName } from "../../core/run/Target.ts"
import { Environment, withoutRepository } from "../../services/Environment.ts"
import { IsolationFailed, type ToIsolate } from "../../services/Git.ts"
import { makeDirectories } from "../process/Directories.ts"
import { privateRepository } from "../store/Layout.ts"
import { removeTree } from "../store/PrivateRepositories.ts"
import { baseOf, noBase } from "./Base.ts"
import { against, baseMark, inTime, ofCommit, seenIn } from "./Identity.ts"
import { isolate } from "./Isolate.ts"

const failed = (error: unknown): IsolationFailed =>
  new IsolationFailed({ why: error instanceof Error ? error.message : String(error) })

/** An empty place for a private repository, as processes that work in it name it. */
const emptied = (batch: BatchRef): string => {
  const path = privateRepository(batch)
  if (existsSync(path)) removeTree(path)
  makeDirectories(path)
  return realpathSync(path)
}

/** The base of the worktree and, in the private repository, the commit that codex compares with. */
const frozenBase = Effect.fnUntraced(function*(root: string, place: string, branch: BranchName | null) {
  if (branch === null) return noBase
  const base = yield* baseOf(root, branch)
  const frozen = baseOf(place, branch).pipe(Effect.updateService(Environment, withoutRepository))
  return { ...base, mergeBase: (yield* frozen).mergeBase }
})

/** Makes the private repository of a batch. See the port. */
export const isolateTarget = Effect.fn("Git.isolate")(function*(root: string, batch: BatchRef, what: ToIsolate) {
  const { base, link, target } = what
  const branch = target._tag === "Base" ? target.branch : base
  const place = yield* Effect.try({ try: () => emptied(batch), catch: failed })
  const captured = yield* Effect.scoped(Effect.mapError(inTime(isolate(root, place, { branch, link })), failed))
  const frozen = yield* frozenBase(root, place, branch)
  const identity: Identity = target._tag === "Commit"
    ? yield* ofCommit(root, target.sha)
    : {
      _tag: "Known",
      ...seenIn(captured),
      ...against(target, branch, frozen),
      ...baseMark(branch, frozen, captured.scratch.beside)
    }
  return { place, identity }
})
