// RunStore: the port to the directories of runs: the state root, `latest`, and the small files beside the log.
// The one rule: nothing is created before the invocation is valid, and `latest` is replaced, never edited.
import { Context, type Effect, Schema } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { RunRef, TargetRef } from "../core/run/Refs.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/**
 * Why the store refused: the system did; the default state root, which lies in a shared directory, cannot be trusted;
 * or what is to be removed is no run, or not a plain directory all the way down.
 */
export const StoreReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("RootIsLink", {}),
  Schema.TaggedStruct("RootIsNoDirectory", {}),
  Schema.TaggedStruct("RootOfAnotherUser", {}),
  Schema.TaggedStruct("RootOpenToOthers", {}),
  Schema.TaggedStruct("NotARun", {}),
  Schema.TaggedStruct("LinkOnTheWay", { link: Schema.String }),
  Schema.TaggedStruct("NoDirectoryOnTheWay", { at: Schema.String })
])
export type StoreReason = typeof StoreReason.Type

/** Why the store refused, for people. */
export const storeReasonText = (reason: StoreReason): string => {
  switch (reason._tag) {
    case "RootIsLink":
      return "the default state root is a link; name a directory with --state-root"
    case "RootIsNoDirectory":
      return "the default state root is not a directory; name one with --state-root"
    case "RootOfAnotherUser":
      return "the default state root belongs to another user; name one with --state-root"
    case "RootOpenToOthers":
      return "others can write into the default state root; make it private (chmod 700)"
    case "NotARun":
      return "is no run of this state root"
    case "LinkOnTheWay":
      return `${reason.link} is a link; nothing behind it is removed`
    case "NoDirectoryOnTheWay":
      return `${reason.at} is not a directory`
    default:
      return systemFaultText(reason)
  }
}

/** The state root is unsafe, or a directory or small file could not be read or written. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  path: Schema.String,
  reason: StoreReason
}) {
  override get message() {
    return `${this.path}: ${storeReasonText(this.reason)}`
  }
}

/** What `latest` says: no pointer, a name that leads nowhere, or a run. */
export type Latest =
  | { readonly _tag: "None" }
  | { readonly _tag: "Dangling" }
  | { readonly _tag: "Run"; readonly run: RunRef }

export class RunStore extends Context.Service<RunStore, {
  /** The state root to use: `configured`, else OODA_STATE_ROOT, else the checked default; relative to `cwd`. */
  readonly stateRoot: (configured: string | null, cwd: string) => Effect.Effect<string, StoreFailed>
  /** A new run id for now. */
  readonly newRunId: Effect.Effect<string>
  /** 32 random hexadecimal digits: they tie the lines of a log to their run. */
  readonly nonce: Effect.Effect<string>
  /** A new id of a review attempt, unique on this machine. */
  readonly newAttemptId: Effect.Effect<string>
  readonly latest: (target: TargetRef) => Effect.Effect<Latest, StoreFailed>
  /** A target's runs, newest first. */
  readonly runs: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>
  /** Makes `latest` of its target name a run: replaced atomically, durable when it returns. */
  readonly point: (run: RunRef) => Effect.Effect<void, StoreFailed>
  /** Keeps a text of a run under the name of its digest, and returns the digest. */
  readonly keepText: (run: RunRef, text: string) => Effect.Effect<Digest, StoreFailed>
  /** Makes room for a target's runs, and keeps a store inside the worktree out of what is reviewed. */
  readonly prepare: (target: TargetRef, worktree: string) => Effect.Effect<void, StoreFailed>
  /** Makes the place of a new run, private to the user. */
  readonly create: (run: RunRef) => Effect.Effect<void, StoreFailed>
  /** Replaces a file of the store atomically and durably, private to the user. */
  readonly writeFile: (path: string, text: string) => Effect.Effect<void, StoreFailed>
  /** Runs an effect under the target's lock: opening and creating runs, and `latest`. */
  readonly locked: <A, E, R>(target: TargetRef, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
}>()("ooda-codex-review/services/RunStore") {}
