// StoredReviews: the port to what a reviewer left in the run's own directory, for readers of the past.
// Only the copies in the run count: codex's home is not asked, and nothing is written.
import { Context, type Effect } from "effect"
import type { Sources } from "../core/verdict/ChooseVerdict.ts"
import type { SlotFiles } from "../core/run/Paths.ts"
import type { Evidence, ReviewFilesFailed } from "./ReviewFiles.ts"

/** What of a reviewer's files is there, and what they say. `status` is null when there is no exit file. */
export interface StoredReview {
  readonly missing: ReadonlyArray<"log" | "out" | "exit" | "review">
  readonly status: number | null
  readonly evidence: Evidence
}

/** What became of an attempt whose end no line tells of. */
export type Fate = "Alive" | "Exited" | "Gone"

export class StoredReviews extends Context.Service<StoredReviews, {
  /** Reads the stored files of a slot; the copy of the session's review only when `session` says there is one. */
  readonly read: (
    files: SlotFiles,
    options: { readonly session: boolean }
  ) => Effect.Effect<StoredReview, ReviewFilesFailed>
  /** What the stored files of a slot say, without the digests, for which whole transcripts would have to be read. */
  readonly said: (
    files: SlotFiles,
    options: { readonly session: boolean }
  ) => Effect.Effect<Sources, ReviewFilesFailed>
  /** Looks at an attempt's process and exit file. Takes no lock, so a wrapper of unknown identity counts as gone. */
  readonly fate: (files: SlotFiles) => Effect.Effect<Fate, ReviewFilesFailed>
}>()("ooda-codex-review/services/StoredReviews") {}
