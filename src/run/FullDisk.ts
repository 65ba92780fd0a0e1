// FullDisk: a failure because the disk is full, with the largest user of space and the command that frees some.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { shellWord, size } from "../text/Phrases.ts"
import { RunStore } from "./RunStore.ts"

/** The size of a store on its disk, and its largest file. */
export interface DiskUsage {
  readonly root: string
  readonly bytes: number
  readonly largest: { readonly path: string; readonly bytes: number } | null
}

// A shorter transcript is never cut.
const worthCutting = 200_000

/** The largest users of the disk, in words. */
export const diskUsageText = ({ bytes, largest, root }: DiskUsage): string =>
  `the state root ${root} holds ${size(bytes)}` +
  (largest === null ? "" : `, ${size(largest.bytes)} of it in ${largest.path}`)

/** How to free space without losing a run. */
export const howToFree = ({ largest, root }: DiskUsage): string =>
  largest === null || largest.bytes < worthCutting
    ? `free space on the disk of ${shellWord(root)}`
    : `ooda-codex-review runs --prune --transcripts --all --state-root ${shellWord(root)}`

/** The state root's disk is full. `said` is the failure itself. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", {
  said: Schema.String,
  root: Schema.String,
  bytes: Schema.Number,
  largest: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Schema.Number }))
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.said}; ${diskUsageText(this)} [${howToFree(this)}, then call again]`
  }
}

/** Whether a failure is caused by a full disk. */
export const isFull = (error: object): boolean => {
  const reason: unknown = "reason" in error ? error.reason : null
  if (typeof reason !== "object" || reason === null) return false
  if ("fault" in reason) return isFull({ reason: reason.fault })
  if ("code" in reason && (reason.code === "ENOSPC" || reason.code === "EDQUOT")) return true
  return "_tag" in reason && reason._tag === "ShortWrite"
}

/**
 * Runs an invocation about a store. If it fails because the disk is full, its failure names the largest users of space.
 */
export const explainFullDisk = <A, E extends Error, R>(root: string, use: Effect.Effect<A, E, R>) =>
  Effect.catch(
    use,
    Effect.fnUntraced(function*(error: E) {
      if (!isFull(error)) return yield* Effect.fail(error)
      const usage = yield* (yield* RunStore).usage(root)
      return yield* new DiskFull({ said: error.message, root, ...usage })
    })
  )
