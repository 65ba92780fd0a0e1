// RunStore: the port to the store of runs: which runs there are, what is kept beside their logs, and where it all is.
// Nothing is created before the invocation is valid. A file is replaced as a whole, never edited.
import { Context, type Effect, Schema } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { BatchPlaces } from "../core/findings/Review.ts"
import type { BatchRef, ReviewRef, RunRef, TargetRef } from "../core/run/Refs.ts"
import { brief } from "../core/text/Untrusted.ts"
import { StoreReason, storeReasonText } from "./StoreReason.ts"

/**
 * Whether a store is used although a directory of it belongs to somebody else, or others can write into it: what they
 * put there passes for reviews.
 */
export const TrustStateRoot = Context.Reference<boolean>("ooda-codex-review/services/TrustStateRoot", {
  defaultValue: () => false
})

/** The state root is unsafe, or a directory or small file could not be read or written. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  path: Schema.String,
  reason: StoreReason
}) {
  override get message() {
    return `${brief(this.path, 500)}: ${storeReasonText(this.reason)}`
  }
}

/** What `latest` of a target says: no pointer, a name that leads nowhere, or a run. */
export type Latest =
  | { readonly _tag: "None" }
  | { readonly _tag: "Dangling" }
  | { readonly _tag: "Run"; readonly run: RunRef }

/** Where the parts of a run lie. These texts are for people and programs to read; nothing here takes them apart. */
export interface RunPlaces {
  /** The directory of the run. */
  readonly directory: string
  /** The document that an agent is handed about the whole run. */
  readonly history: string
  /** The transcript of any slot of any batch: `<L>`, `<n>` and `<slot>` stand for level, batch and slot. */
  readonly transcripts: string
}

/** What one look at a run shows. `changedAt` in epoch milliseconds: when its log was last written. */
export interface Trace {
  readonly changedAt: number
  /** Whether a guard of one of its reviewers still lives, whatever the log says. */
  readonly reviewersAlive: boolean
}

/** What a store takes up on its disk, and the file that takes up most of it. */
export interface Usage {
  readonly bytes: number
  readonly largest: { readonly path: string; readonly bytes: number } | null
}

/** An attempt whose transcript may be cut: a recorded review, an open attempt, one that failed, or one before it. */
export interface Cuttable {
  readonly review: ReviewRef
  readonly state: "Reviewed" | "Open" | "Failed" | "Archived"
}

export class RunStore extends Context.Service<RunStore, {
  /**
   * Opens a store once it is found to be safe: `configured`, else OODA_STATE_ROOT, else the default one; relative to
   * `cwd`. Its name is the `root` of references. Here and wherever runs are named, directories that others own or can
   * write are refused, unless `TrustStateRoot` says otherwise.
   */
  readonly open: (configured: string | null, cwd: string) => Effect.Effect<string, StoreFailed>
  /** Where a target lies, in a text for people and programs. This and the next two look at no file. */
  readonly targetPlace: (target: TargetRef) => string
  readonly runPlaces: (run: RunRef) => RunPlaces
  /** `size` is the number of the batch's slots. */
  readonly batchPlaces: (batch: BatchRef, size: number) => BatchPlaces

  /** A new run id for now. */
  readonly newRunId: Effect.Effect<string>
  /** 32 random hexadecimal digits: they tie the lines of a log to their run. */
  readonly nonce: Effect.Effect<string>
  /** A new id of a review attempt, unique on this machine. */
  readonly newAttemptId: Effect.Effect<string>

  readonly latest: (target: TargetRef) => Effect.Effect<Latest, StoreFailed>
  /** A target's runs, newest first. */
  readonly runs: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>
  /**
   * The runs of a repository, or of every repository, newest first, under the names that the store gives them. A log
   * may name its run otherwise, which is a finding. None where there is no such store.
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
  /** Makes `latest` of its target name a run: replaced atomically, durable when it returns. */
  readonly point: (run: RunRef) => Effect.Effect<void, StoreFailed>

  /** Keeps a text of a run under the name of its digest, and returns the digest. */
  readonly keepText: (run: RunRef, text: string) => Effect.Effect<Digest, StoreFailed>
  /** Whether a run keeps this very text under the name of its digest. */
  readonly keeps: (run: RunRef, text: string) => Effect.Effect<boolean, StoreFailed>
  /** The digest of something that a run keeps, by the name that its log gives, or null when it is not there. */
  readonly digest: (run: RunRef, name: string) => Effect.Effect<Digest | null, StoreFailed>
  /** Writes the findings document of a batch, in the place of an older one. Whole and durable when it returns. */
  readonly writeFindings: (batch: BatchRef, text: string) => Effect.Effect<void, StoreFailed>
  /** Writes the history document of a run, in the same way. */
  readonly writeHistory: (run: RunRef, text: string) => Effect.Effect<void, StoreFailed>

  /** Runs an effect while this process alone makes or removes private repositories of a run. */
  readonly isolating: <A, E, R>(run: RunRef, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
  /**
   * Removes the private repositories of a run except the one of the batch that `keep` gives. `keep` runs while no
   * other process makes or removes one. Nothing is removed while another process makes one.
   */
  readonly clearIsolated: <E, R>(
    run: RunRef,
    keep: Effect.Effect<BatchRef | null, E, R>
  ) => Effect.Effect<void, E | StoreFailed, R>
  /** The runs of a target that keep private repositories, newest first. */
  readonly withIsolated: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>

  /** What a store takes up. Never fails: what cannot be looked at counts as nothing. */
  readonly usage: (root: string) => Effect.Effect<Usage>
  /**
   * Cuts long transcripts down to both their ends, which is all that is read of them, and returns how many bytes that
   * frees. An open attempt that lives or may hold a review is left alone. With `dryRun` nothing is cut.
   */
  readonly cutTranscripts: (
    attempts: ReadonlyArray<Cuttable>,
    options: { readonly dryRun: boolean }
  ) => Effect.Effect<number, StoreFailed>

  readonly look: (run: RunRef) => Effect.Effect<Trace, StoreFailed>
  /**
   * Removes a run, and `latest` with it where `isLatest`. It is gone at once and then deleted; what an earlier removal
   * that was cut short left is deleted too. Nothing outside the runs of a store is ever touched, and no link followed.
   */
  readonly remove: (run: RunRef, options: { readonly isLatest: boolean }) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/RunStore") {}
