// IsolateTarget: the private repository of a batch, in its place in the store, with the identity of what is in it.
// Its identity is that of the captured code. Its own marks tell in the end whether reviewers saw exactly that.
import { existsSync, realpathSync } from "node:fs"
import { Effect } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import type { BatchRef } from "../../core/run/Refs.ts"
import type { BranchName } from "../../core/run/Target.ts"
import { Environment, withoutRepository } from "../../services/Environment.ts"
import { IsolationFailed, type ToIsolate } from "../../services/Git.ts"
import { programFaultText } from "../../services/ProgramFault.ts"
import { makeDirectories } from "../process/Directories.ts"
import { isFull, systemRefused } from "../process/SystemError.ts"
import { privateRepository } from "../store/Layout.ts"
import { removeTree } from "../store/PrivateRepositories.ts"
import { baseOf, noBase } from "./Base.ts"
import { against, baseMark, identityOf, inTime, ofCommit, seenIn } from "./Identity.ts"
import { isolate } from "./Isolate.ts"
import { probeRoom } from "./Scratch.ts"

const failed = (error: unknown): IsolationFailed =>
  new IsolationFailed({ reason: { _tag: "Complained", said: error instanceof Error ? error.message : String(error) } })

/** The same for a file call that the system refused. */
const refused = (place: string) => (error: unknown): IsolationFailed =>
  isFull(error)
    ? new IsolationFailed({ reason: { ...systemRefused(error), _tag: "PlaceFull", place } })
    : failed(error)

/** Says that the disk is full where it is, and otherwise what git complained of. */
const failedIn = (place: string) => (why: string): Effect.Effect<never, IsolationFailed> =>
  Effect.andThen(Effect.try({ try: () => probeRoom(place), catch: refused(place) }), Effect.fail(failed(why)))

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
}, Effect.mapError(programFaultText))

/** Makes the private repository of a batch. See the port. */
export const isolateTarget = Effect.fn("Git.isolate")(function*(root: string, batch: BatchRef, what: ToIsolate) {
  const { base, link, target } = what
  const branch = target._tag === "Base" ? target.branch : base
  const place = yield* Effect.try({ try: () => emptied(batch), catch: refused(privateRepository(batch)) })
  const made = inTime(isolate(root, place, { branch, link }))
  const captured = yield* Effect.scoped(Effect.catch(made, failedIn(place)))
  const frozen = yield* Effect.catch(frozenBase(root, place, branch), failedIn(place))
  const identity: Identity = target._tag === "Commit"
    ? yield* ofCommit(root, target.sha)
    : {
      _tag: "Known",
      ...seenIn(captured),
      ...against(target, branch, frozen),
      ...baseMark(branch, frozen, captured.scratch.headDirectory)
    }
  const looked = identityOf(place, target, base)
  const own: Identity = yield* Effect.updateService(looked, Environment, withoutRepository)
  // A reviewer that asks git for the status may write the index once.
  const { indexMoved: _, ...copy } = own
  if (copy._tag === "Unknown") return yield* failed(copy.why)
  return { place, identity, copy }
})
