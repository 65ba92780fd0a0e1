// StepLoop: the part of a step that loops or inspects, with what a signal makes of it.
// The one rule: a step that a signal ends leaves it recorded, and no reviewer behind that a person meant to stop.
import { Effect, Ref } from "effect"
import type { Outcome } from "../core/loop/Outcome.ts"
import { loop } from "../ooda/Ooda.ts"
import { commit, refresh, type Run } from "../runs/Run.ts"
import { Progress } from "../services/Progress.ts"
import type { SignalName } from "../services/Signals.ts"
import type { StepOptions } from "./StepOptions.ts"
import { stopEvents, stopProcesses } from "../ooda/Stop.ts"
import { takeIn } from "../ooda/StopRun.ts"

export { inspect } from "../ooda/Ooda.ts"

/** Records that a signal ended the step, and stops the reviewers when a person sent it. */
const abort = Effect.fnUntraced(function*(current: Ref.Ref<Run>, signal: SignalName) {
  const read = yield* refresh(yield* Ref.get(current))
  const run = signal === "SIGINT" ? yield* takeIn(read) : read
  const stops = signal === "SIGINT" ? stopEvents(run, "Interrupt") : []
  const after = yield* commit(run, [...stops, { _tag: "StepAborted", signal }])
  if (signal === "SIGINT") yield* stopProcesses(run)
  return after
})

/** Loop mode on an opened run, until it yields an outcome or a signal that was `asked` for ends it. */
export const runLoop = Effect.fnUntraced(function*(run: Run, options: StepOptions, asked: Effect.Effect<SignalName>) {
  const current = yield* Ref.make(run)
  const { clear } = yield* Progress
  const outcome = yield* Effect.ensuring(Effect.raceFirst(asked, loop(current, options)), clear)
  if (typeof outcome !== "string") return { outcome, run: yield* Ref.get(current) }
  // However many steps end at once, each says so: whoever loses a race has seen another one win it.
  const after = yield* Effect.retry(abort(current, outcome), { while: (e) => e._tag === "LogConflict" })
  return { outcome: { _tag: "DoneAborted" } satisfies Outcome, run: after }
})
