// Ooda: loop mode: observe, orient, decide, act, until a decision halts with an Outcome.
// The one rule: no policy lives here; `core/Decide.ts` decides, and a lost race is decided again from what won.
import { Clock, Effect, Option, Ref } from "effect"
import { awaitReviews } from "./AwaitReviews.ts"
import { decide, needsIdentity } from "../core/loop/Decide.ts"
import type { Identity } from "../core/run/Identity.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { handoffPaths, recordHalt } from "./Halt.ts"
import { completedBy, foresee, observe, orient } from "./Observe.ts"
import { refresh, type Run } from "../runs/Run.ts"
import { runReviews } from "./StartReviews.ts"
import { Git } from "../services/Git.ts"
import type { StepOptions } from "../step/StepOptions.ts"

/**
 * What `decide` needs beside the manifest. The identity is computed only where it matters, and not a second time
 * where it was computed a moment ago (`lately`): whoever waits is kept waiting by it.
 */
const contextOf = Effect.fnUntraced(function*(
  run: Run,
  options: StepOptions,
  openedAt: number,
  lately: Identity | null = null
) {
  const { manifest } = run
  const { batch, target, worktree } = manifest
  const git = yield* Git
  const identity = batch._tag === "Started" && needsIdentity(manifest, options.limits.retries)
    ? lately ?? (yield* git.identity(worktree, target, batch.base))
    : null
  return {
    ceiling: options.ceiling,
    retries: options.limits.retries,
    openedAt,
    identity,
    maxBatches: options.maxBatches,
    paths: handoffPaths(run)
  }
})

/** One observation and one decision, acting on nothing: `--inspect`. */
export const inspect = Effect.fn("Ooda.inspect")(function*(run: Run, options: StepOptions) {
  const seen = yield* foresee(run, options.limits)
  const decision = decide(seen.manifest, yield* contextOf(seen, options, run.head.seq))
  return decision._tag === "Halt"
    ? decision.outcome
    : { _tag: "WouldAdvance", action: decision._tag } satisfies Outcome
})

/** Runs the loop on an opened run until an iteration yields an Outcome. `current` holds the run as last read. */
export const loop = Effect.fn("Ooda.loop")(function*(current: Ref.Ref<Run>, options: StepOptions) {
  const openedAt = (yield* Ref.get(current)).head.seq
  const startedAt = yield* Clock.currentTimeMillis
  const until = options.stepTimeout === null ? Number.POSITIVE_INFINITY : startedAt + options.stepTimeout
  let iterations = 0
  let lastFull = ""
  // What the wait before this iteration completed the batch with, just now.
  let awaited: Identity | null = null

  const iterate = Effect.gen(function*() {
    const before = yield* Ref.get(current)
    const run = yield* orient(before, yield* observe(before), options.limits)
    yield* Ref.set(current, run)
    const lately = completedBy(before, run) ?? awaited
    awaited = null
    const decision = decide(run.manifest, yield* contextOf(run, options, openedAt, lately))
    switch (decision._tag) {
      case "Halt": {
        yield* Ref.set(current, yield* recordHalt(run, decision.outcome, options.ceiling))
        return Option.some(decision.outcome)
      }
      case "RunReviews": {
        if (decision.key === lastFull) {
          return Option.some<Outcome>({ _tag: "StuckRepeated", action: "RunReviews", key: decision.key })
        }
        yield* Ref.set(current, yield* runReviews(run, decision.cause, options.starting))
        lastFull = decision.key
        iterations++
        return capped("RunReviews", decision.key)
      }
      case "AwaitReviews": {
        const { completed, timeOver } = yield* awaitReviews(current, options, until)
        awaited = completed
        if (timeOver) return Option.some<Outcome>({ _tag: "Idle" })
        if (options.maxIter.explicit) iterations++
        return capped("AwaitReviews", decision.key)
      }
    }
  })

  const capped = (action: "RunReviews" | "AwaitReviews", key: string): Option.Option<Outcome> =>
    iterations >= options.maxIter.value ? Option.some({ _tag: "StuckCapReached", action, key }) : Option.none()

  // Another process committed first: take in what it wrote and decide again.
  const again = Effect.gen(function*() {
    awaited = null
    yield* Ref.set(current, yield* refresh(yield* Ref.get(current)))
    return Option.none<Outcome>()
  })

  while (true) {
    const outcome = yield* iterate.pipe(Effect.catchTag("LogConflict", () => again))
    if (Option.isSome(outcome)) return outcome.value
  }
})
