// RunStore: the port to the store of runs: which runs exist, the files kept beside their logs, and where they are.
// Nothing is created before the invocation is valid. A file is replaced as a whole, never edited.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { AgentRef, Latest, RunRef, TargetRef } from "../log/Refs.ts"
import type { BatchRef, ReviewRef } from "./Refs.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { brief } from "../text/Untrusted.ts"
import type { Digest } from "./Event.ts"

export const StoreReason = Schema.Union([
  /** The operating system, a lock or a database refused. */
  SystemFault,
  /** The default state root is a symbolic link. */
  Schema.TaggedStruct("RootIsLink", {}),
  /** The state root is not a directory. */
  Schema.TaggedStruct("RootIsNoDirectory", {}),
  /** The state root is called .ooda, which holds the repository's own configuration. */
  Schema.TaggedStruct("RootReserved", {}),
  /** Git tracks a file in the state root, so the authors of the repository could have written what lies there. */
  Schema.TaggedStruct("RootTracked", { file: Schema.String }),
  /** Git could not say whether it tracks the state root. */
  Schema.TaggedStruct("RootUntold", { why: Schema.String }),
  /** A state root was named for a store in a database, which has none. */
  Schema.TaggedStruct("RootInDatabase", {}),
  /** A store in a database holds only pull requests, and something else was named. */
  Schema.TaggedStruct("PullRequestOnly", {}),
  /** The pull request was not submitted to the store. */
  Schema.TaggedStruct("NotSubmitted", { number: Schema.Int }),
  /** No worker has looked at the pull request yet. */
  Schema.TaggedStruct("NotTakenUp", { number: Schema.Int }),
  /** The database server can lose in a crash what it has acknowledged. */
  Schema.TaggedStruct("NotDurable", { setting: Schema.String }),
  /** A newer version has set up the store. */
  Schema.TaggedStruct("StoreNewer", {}),
  /** The store gave this user its rights in an older version, or none. */
  Schema.TaggedStruct("RightMissing", {}),
  /** The fleet works below another path than the given one. */
  Schema.TaggedStruct("WorkRecorded", { work: Schema.String }),
  /** The store was set up without the path below which the fleet works. */
  Schema.TaggedStruct("WorkUnknown", {}),
  /** The store has no account of this name. */
  Schema.TaggedStruct("AccountUnknown", { name: Schema.String }),
  /** The database has no role of this name. */
  Schema.TaggedStruct("RoleUnknown", { name: Schema.String }),
  /** A row of the fleet's store is not as its rules want it. */
  Schema.TaggedStruct("RowRefused", { why: Schema.String }),
  /** The directory to export into is not empty. */
  Schema.TaggedStruct("NotEmpty", {}),
  /** A directory of the store belongs to another user. */
  Schema.TaggedStruct("OfAnotherUser", {}),
  /** Others can write into a directory of the store. */
  Schema.TaggedStruct("OpenToOthers", {}),
  /** The path to remove is no run of the store. */
  Schema.TaggedStruct("NotARun", {}),
  /** The path to remove leads through a link. */
  Schema.TaggedStruct("LinkOnTheWay", { link: Schema.String }),
  /** The path to remove leads through something that is no directory. */
  Schema.TaggedStruct("NoDirectoryOnTheWay", { at: Schema.String })
])
export type StoreReason = typeof StoreReason.Type

const orTrust = ", or trust what others put there with --trust-state-root"

// `FullDisk` names the largest users of the disk and what to do. Faults other than a refused call name their own
// remedy.
const isFull = (fault: SystemFault): boolean =>
  fault._tag === "SystemRefused" && (fault.code === "ENOSPC" || fault.code === "EDQUOT")
const orElsewhere = " [fix this, or name another place with --state-root]"

/** Why the store refused, for people. */
export const storeReasonText = (reason: StoreReason): string => {
  switch (reason._tag) {
    case "RootIsLink":
      return "the default state root is a link; name a directory with --state-root"
    case "RootIsNoDirectory":
      return "the state root is not a directory; name one with --state-root"
    case "RootReserved":
      return "a directory called .ooda is never a state root itself; name one below it, such as .ooda/state"
    case "RootTracked":
      return `git tracks files of this state root (${reason.file}); name another directory with --state-root`
    case "RootUntold":
      return `git cannot tell whether it tracks this state root (${reason.why}); name another with --state-root`
    case "RootInDatabase":
      return "a store in a database has no state root [leave out --state-root]"
    case "PullRequestOnly":
      return "a store in a database holds pull requests [name one with --pr NUM, or a run by its id; " +
        "--state-root names a store of this machine]"
    case "NotSubmitted":
      return `pull request ${reason.number} of this repository was not submitted to it [ooda-codex-review fleet submit]`
    case "NotTakenUp":
      return `no worker has taken up pull request ${reason.number} yet [wait, or start a worker: fleet worker]`
    case "NotDurable":
      return `its server has ${reason.setting} off, so that a crash takes what was recorded [turn it on]`
    case "StoreNewer":
      return "it was set up by a newer version of ooda-codex-review [use that version here]"
    case "RightMissing":
      return "this user has no rights of this version [the owner of the store gives them: fleet init --writer USER]"
    case "WorkRecorded":
      return `this fleet works below ${brief(reason.work, 300)} on every machine; logs and findings hold that path ` +
        "[leave out --work]"
    case "WorkUnknown":
      return "a fleet is set up with the path on every machine below which it reviews [fleet init --work DIR]"
    case "AccountUnknown":
      return `there is no account ${brief(reason.name, 100)} [add it: fleet init --account NAME=CAP]`
    case "RoleUnknown":
      return `the database has no role ${brief(reason.name, 100)} [create role ... login, or name another]`
    case "RowRefused":
      return `a row breaks the fleet's rules: ${reason.why} [remove it, and see who may write to this database]`
    case "NotEmpty":
      return "holds something already [name a directory that is new or empty]"
    case "OfAnotherUser":
      return `belongs to another user; name a directory of your own with --state-root${orTrust}`
    case "OpenToOthers":
      return `others can write into it; make it private (chmod 700)${orTrust}`
    case "NotARun":
      return "is not a run of this state root; `ooda-codex-review runs` lists those that are"
    case "LinkOnTheWay":
      return `${reason.link} is a link; nothing that it leads to is removed`
    case "NoDirectoryOnTheWay":
      return `${reason.at} is not a directory; remove it, or name another state root`
    default:
      return systemFaultText(reason) + (isFull(reason) || reason._tag !== "SystemRefused" ? "" : orElsewhere)
  }
}

/** Whether a store is used although others own or can write one of its directories: their files pass for reviews. */
export const TrustStateRoot = Context.Reference<boolean>("ooda-codex-review/services/TrustStateRoot", {
  defaultValue: () => false
})

/** The state root is unsafe, or a directory or small file could not be read or written. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  path: Schema.String,
  reason: StoreReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 500)}: ${storeReasonText(this.reason)}`
  }
}

/** Where the parts of a run lie. These texts are for people and programs to read; nothing here parses them. */
export interface RunPlaces {
  readonly directory: string
  /** The document for an agent about the whole run. */
  readonly history: string
  /** The transcript of any slot of any batch: `<L>`, `<n>` and `<slot>` mean level, batch and slot. */
  readonly transcripts: string
  readonly agentTranscript: (attempt: Pick<AgentRef, "agent" | "attempt">) => string
}

/** The files of one slot's reviewer: its transcript, its standard output, the stored copy of its session's review. */
export interface SlotPlaces {
  readonly log: string
  readonly out: string
  readonly review: string
}

/** Where the parts of a batch lie. These texts come from the store; nothing parses them. */
export interface BatchPlaces {
  readonly directory: string
  /** The document for an agent. */
  readonly findings: string
  /** The transcripts of all slots in a few words: the first and, if there are several, the last. */
  readonly transcripts: string
  /** By slot, which is counted from 1. */
  readonly slots: ReadonlyArray<SlotPlaces>
}

/** The result of one look at a run. `changedAt` in epoch milliseconds: when its log was last written. */
export interface Trace {
  readonly changedAt: number
  /** Whether a guard of one of its reviewers still lives, whatever the log says. */
  readonly reviewersAlive: boolean
}

/** The size of a store on its disk, and its largest file. */
export interface Usage {
  readonly bytes: number
  readonly largest: { readonly path: string; readonly bytes: number } | null
}

/** An attempt whose transcript may be cut: a recorded review, an open attempt, one that failed, or one before it. */
export interface CuttableTranscript {
  readonly review: ReviewRef
  readonly state: "Reviewed" | "Open" | "Failed" | "Archived"
}

/** Which copy of code a run keeps: the one at a path, the newest so that it can become the next one, or none. */
export type KeptCopy =
  | { readonly _tag: "At"; readonly place: string }
  | { readonly _tag: "Newest" }
  | { readonly _tag: "None" }

export class RunStore extends Context.Service<RunStore, {
  /**
   * Opens a store after checking that it is safe: `configured`, else OODA_STATE_ROOT, else the default one; relative to
   * `cwd`. Its name is the `root` of references. Here and wherever runs are named, directories that others own or can
   * write are refused, unless `TrustStateRoot` allows them.
   */
  readonly open: (configured: string | null, cwd: string) => Effect.Effect<string, StoreFailed>
  /**
   * The stores in which a call may find runs, the preferred one first: the named one, else the user's own if it exists
   * or `making` says that it will be created, and the one that `open` opens.
   */
  readonly roots: (
    configured: string | null,
    cwd: string,
    making: boolean
  ) => Effect.Effect<ReadonlyArray<string>, StoreFailed>
  /** Where a target lies, in a text for people and programs. This and the next two read no file. */
  readonly targetPlace: (target: TargetRef) => string
  readonly runPlaces: (run: RunRef) => RunPlaces
  /** `size` is the number of the batch's slots. */
  readonly batchPlaces: (batch: BatchRef, size: number) => BatchPlaces

  readonly newRunId: Effect.Effect<string>
  /** 32 random hexadecimal digits: they tie the lines of a log to their run. */
  readonly nonce: Effect.Effect<string>
  /** A new id of a review attempt, unique on this machine. */
  readonly newAttemptId: Effect.Effect<string>

  readonly latest: (target: TargetRef) => Effect.Effect<Latest, StoreFailed>
  /** A target's runs, newest first. */
  readonly runs: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>
  /**
   * The runs of a repository, or of every repository, newest first, under their names in the store. A log may name its
   * run differently, which an audit reports. Empty if there is no such store.
   */
  readonly list: (root: string, repoId: string | null) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>

  /** Makes the directory of a target's runs. Has git ignore a store inside the worktree, so that no review sees it. */
  readonly prepare: (target: TargetRef, worktree: string) => Effect.Effect<void, StoreFailed>
  /** Runs an effect under the target's lock: opening, creating and removing runs, and `latest`. */
  readonly locked: <A, E, R>(target: TargetRef, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
  /** Removes the temporary copies of code that dead processes left in a target's store. */
  readonly clearScratches: (target: TargetRef) => Effect.Effect<void, StoreFailed>
  /** Makes the place of a new run, private to the user. */
  readonly create: (run: RunRef) => Effect.Effect<void, StoreFailed>
  /** Sets `latest` of its target to a run: replaced atomically, durable when it returns. */
  readonly point: (run: RunRef) => Effect.Effect<void, StoreFailed>

  /** Stores a text of a run under the name of its digest, and returns the digest. */
  readonly keepText: (run: RunRef, text: string) => Effect.Effect<Digest, StoreFailed>
  /** Whether a run has exactly this text under the name of its digest. */
  readonly keeps: (run: RunRef, text: string) => Effect.Effect<boolean, StoreFailed>
  /** The digest of a stored file of a run, by its name in the log, or null if it is missing. */
  readonly digest: (run: RunRef, name: string) => Effect.Effect<Digest | null, StoreFailed>
  /** Writes the findings document of a batch, replacing an older one. Whole and durable when it returns. */
  readonly writeFindings: (batch: BatchRef, text: string) => Effect.Effect<void, StoreFailed>
  /** Writes the history document of a run, in the same way. */
  readonly writeHistory: (run: RunRef, text: string) => Effect.Effect<void, StoreFailed>

  /** Runs an effect while this process alone makes or removes private repositories of a run. */
  readonly isolating: <A, E, R>(run: RunRef, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
  /**
   * Removes copies of code of a run that are no longer needed, as `keep` says. `keep` is called while no other process
   * makes or removes one. Nothing is removed while another process makes one.
   */
  readonly clearIsolated: <E, R>(
    run: RunRef,
    keep: Effect.Effect<KeptCopy, E, R>
  ) => Effect.Effect<void, E | StoreFailed, R>
  /** The runs of a target that keep private repositories, newest first. */
  readonly withIsolated: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>

  /** The size of a store. Never fails: what cannot be read counts as nothing. */
  readonly usage: (root: string) => Effect.Effect<Usage>
  /**
   * Cuts long transcripts to both their ends, the only parts that are read, and returns how many bytes that frees. An
   * open attempt that lives or may hold a review is left alone. With `dryRun` nothing is cut.
   */
  readonly cutTranscripts: (
    attempts: ReadonlyArray<CuttableTranscript>,
    options: { readonly dryRun: boolean }
  ) => Effect.Effect<number, StoreFailed>

  readonly look: (run: RunRef) => Effect.Effect<Trace, StoreFailed>
  /** The ids of the agents, tests and reviewers that this machine has started for a run. */
  readonly jobs: (run: RunRef) => Effect.Effect<ReadonlyArray<string>, StoreFailed>
  /**
   * Removes a run, and `latest` with it if `isLatest`. It disappears at once and is then deleted, with the rest of
   * earlier removals that were cut short. Nothing outside the runs of a store is ever touched, and no link followed.
   */
  readonly remove: (run: RunRef, options: { readonly isLatest: boolean }) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/RunStore") {}
