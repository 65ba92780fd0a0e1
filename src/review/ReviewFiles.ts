// ReviewFiles: the port to the files of reviewers: streams with digests, the session's review, how they ended.
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
    return `${this.path}: ${systemFaultText(this.reason, this.path)}`
  }
}

/** The files of a reviewer: what its verdict is read from, and the digests. */
export interface Evidence extends Sources {
  readonly digests: { readonly log: Digest; readonly out: Digest; readonly review: Digest | null }
  /** The tokens of the review, if codex recorded them. */
  readonly usage?: Usage
}

/** The journal of an attempt: its id, and if recorded, its line, exit status and sizes of its outputs. */
export interface AttemptJournal {
  readonly id: string
  readonly line: Head | null
  readonly end: { readonly status: number; readonly logBytes: number; readonly outBytes: number } | null
}

/** The files of a reviewer; `status` is null without an exit file, `journal` if it never began. */
export interface StoredReview {
  readonly journal: AttemptJournal | null
  readonly joined: boolean
  /** Whether its transcript was cut to free space: then it is no longer the recorded one. */
  readonly pruned?: boolean
  readonly missing: ReadonlyArray<"log" | "out" | "exit" | "review">
  readonly status: number | null
  readonly evidence: Evidence
}

/** The state of an attempt whose end is not in the log. */
export type Fate = "Alive" | "Exited" | "Gone"

/** Whether the log says that a copy of the session's review was stored: only then it is read. */
export interface StoredOptions {
  readonly session: boolean
}

export class ReviewFiles extends Context.Service<ReviewFiles, {
  /** Reads the files of a slot's current attempt, and stores a copy of codex's session unless `acting` is false. */
  readonly evidence: (
    review: ReviewRef,
    options?: { readonly acting: boolean }
  ) => Effect.Effect<Evidence, ReviewFilesFailed>
  /** Reads the run's own files of a review: codex's files are not read, and nothing is written. */
  readonly stored: (review: ReviewRef, options: StoredOptions) => Effect.Effect<StoredReview, ReviewFilesFailed>
  /** The run's files of a review, without the digests, which would need whole transcripts. */
  readonly said: (review: ReviewRef, options: StoredOptions) => Effect.Effect<Sources, ReviewFilesFailed>
  /** Looks at an attempt's process and exit file. Takes no lock, so a wrapper of unknown identity counts as gone. */
  readonly fate: (review: ReviewRef) => Effect.Effect<Fate, ReviewFilesFailed>
}>()("ooda-codex-review/services/ReviewFiles") {}
