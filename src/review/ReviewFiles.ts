// ReviewFiles: the port to the files that reviewers leave: streams with digests, the session's review, how they ended.
// It reads only the head and the tail of a transcript, and a bounded part of a body.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Head } from "../log/StreamKind.ts"
import type { Digest } from "../run/Event.ts"
import type { ReviewRef } from "../run/Refs.ts"
import type { Usage } from "../run/Usage.ts"
import type { Sources } from "./verdict/Judge.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/** A file of a reviewer could not be read or stored. */
export class ReviewFilesFailed extends Schema.TaggedError<ReviewFilesFailed>()("ReviewFilesFailed", {
  path: Schema.String,
  reason: SystemFault
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    // Only node's own message names the file that was refused.
    const why = this.reason._tag === "SystemRefused" ? this.reason.said : systemFaultText(this.reason)
    return `${this.path}: ${why}`
  }
}

/** What a reviewer left: what its verdict is read from, and the digests of the files that hold it. */
export interface Evidence extends Sources {
  readonly digests: { readonly log: Digest; readonly out: Digest; readonly review: Digest | null }
  /** The tokens that the review used, where codex recorded them. */
  readonly usage?: Usage
}

/** What the journal of an attempt says: its id, and if recorded, its line, exit status and sizes of its outputs. */
export interface AttemptJournal {
  readonly id: string
  readonly line: Head | null
  readonly end: { readonly status: number; readonly logBytes: number; readonly outBytes: number } | null
}

/** What a reviewer left; `status` is null without an exit file, `journal` if it never began. */
export interface StoredReview {
  readonly journal: AttemptJournal | null
  readonly joined: boolean
  /** Whether its transcript was cut to free space: then it is not the recorded one any more. */
  readonly pruned?: boolean
  readonly missing: ReadonlyArray<"log" | "out" | "exit" | "review">
  readonly status: number | null
  readonly evidence: Evidence
}

/** What became of an attempt whose end is not in the log. */
export type Fate = "Alive" | "Exited" | "Gone"

/** Whether the log says that a copy of the session's review was kept: only then is it read. */
export interface StoredOptions {
  readonly session: boolean
}

export class ReviewFiles extends Context.Service<ReviewFiles, {
  /** Reads what a slot's current attempt left, and keeps a copy of codex's session unless `acting` is false. */
  readonly evidence: (
    review: ReviewRef,
    options?: { readonly acting: boolean }
  ) => Effect.Effect<Evidence, ReviewFilesFailed>
  /** Reads what the run itself keeps of a review: codex's own files are not asked, and nothing is written. */
  readonly stored: (review: ReviewRef, options: StoredOptions) => Effect.Effect<StoredReview, ReviewFilesFailed>
  /** What the run keeps of a review, without the digests, for which whole transcripts would have to be read. */
  readonly said: (review: ReviewRef, options: StoredOptions) => Effect.Effect<Sources, ReviewFilesFailed>
  /** Looks at an attempt's process and exit file. Takes no lock, so a wrapper of unknown identity counts as gone. */
  readonly fate: (review: ReviewRef) => Effect.Effect<Fate, ReviewFilesFailed>
}>()("ooda-codex-review/services/ReviewFiles") {}
