// FullDisk: a failure because the disk is full, told with what fills the disk and how to free some of it.
import { Effect, Schema } from "effect"
import { fillingText, howToFree } from "../core/doctor/Space.ts"
import { RunStore } from "../services/RunStore.ts"

/** There was no space in the state root. `said` is the failure itself. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", {
  said: Schema.String,
  root: Schema.String,
  bytes: Schema.Number,
  largest: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Schema.Number }))
}) {
  override get message() {
    return `${this.said}; ${fillingText(this)} [${howToFree(this)}, then call again]`
  }
}

/** Whether the reason of a failure is a full disk. */
export const isFull = (error: object): boolean => {
  const reason: unknown = "reason" in error ? error.reason : null
  if (typeof reason !== "object" || reason === null) return false
  if ("code" in reason && (reason.code === "ENOSPC" || reason.code === "EDQUOT")) return true
  return "_tag" in reason && reason._tag === "ShortWrite"
}

/** Runs an invocation about a store. If it fails because the disk is full, its failure names what fills the disk. */
export const tellingWhatFills = <A, E extends Error, R>(root: string, use: Effect.Effect<A, E, R>) =>
  Effect.catch(
    use,
    Effect.fnUntraced(function*(error: E) {
      if (!isFull(error)) return yield* Effect.fail(error)
      const usage = yield* (yield* RunStore).usage(root)
      return yield* new DiskFull({ said: error.message, root, ...usage })
    })
  )
