// ReviewFiles: the port to what a finished reviewer left behind: its streams, their digests, its session file.
// A transcript is never read whole: its head and its tail are, and the body within a bound.
import { Context, type Effect, Schema } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { SlotFiles } from "../core/run/Paths.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** A file of a reviewer could not be read or stored. */
export class ReviewFilesFailed extends Schema.TaggedError<ReviewFilesFailed>()("ReviewFilesFailed", {
  path: Schema.String,
  reason: SystemFault
}) {
  override get message() {
    // Which of a reviewer's files was refused is known from node's own words alone.
    const why = this.reason._tag === "SystemRefused" ? this.reason.said : systemFaultText(this.reason)
    return `${this.path}: ${why}`
  }
}

/** What a reviewer left: both ends of standard error's part of the log, standard output, and the session's review. */
export interface Evidence {
  readonly logHead: string
  readonly logTail: string
  readonly out: string
  /** `review_output` of the session file: absent when no session file was found, null when codex recorded none. */
  readonly session: { readonly _tag: "Absent" } | { readonly _tag: "Found"; readonly output: unknown }
  readonly digests: { readonly log: Digest; readonly out: Digest; readonly review: Digest | null }
}

export class ReviewFiles extends Context.Service<ReviewFiles, {
  /**
   * Reads what the current attempt of a slot left, and keeps a copy of its session's review beside it. With `acting`
   * false (default true) it only reads.
   */
  readonly evidence: (
    files: SlotFiles,
    options?: { readonly acting: boolean }
  ) => Effect.Effect<Evidence, ReviewFilesFailed>
}>()("ooda-codex-review/services/ReviewFiles") {}
