// opened: a run on a machine in memory that stands after given lines, for the tests of what works on an opened run.
import { Cause, Effect, Exit } from "effect"
import type { Event } from "../../../src/core/run/Event.ts"
import { fold } from "../../../src/core/run/Manifest.ts"
import type { Run } from "../../../src/runs/Run.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Memory, System, type World } from "../../../src/testing.ts"
import { created, runRef } from "../core/run/events.ts"
import { reviewRun } from "../../../src/core/run/ReviewRun.ts"

/** Runs an effect on a new machine under virtual time. Rejects with what it fails with. */
export const onMachine = async <A, E>(
  effect: Effect.Effect<A, E, Memory.Services | World>,
  options: Memory.Options = {}
): Promise<A> => {
  const machine = System.start(Memory.layer(options))
  try {
    const exit = await machine.run(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  } finally {
    await machine.dispose()
  }
}

/** Begins a run whose log holds these lines after its creation, and opens it. */
export const opened = Effect.fnUntraced(function*(...lines: ReadonlyArray<ReadonlyArray<Event>>) {
  const log = yield* EventLog
  let head = yield* log.create(reviewRun, runRef(), [created()])
  for (const events of lines) head = yield* log.append(reviewRun, runRef(), head, events)
  const manifest = fold((yield* log.read(reviewRun, runRef())).commits)
  if (manifest === null) return yield* Effect.die(new Error("the first line creates no run"))
  return { ref: runRef(), manifest, head } satisfies Run
})

/** The lines of the run's log after its creation, each as its events. */
export const lines = Effect.map(
  EventLog.use((log) => log.read(reviewRun, runRef())),
  ({ commits }) => commits.slice(1).map(({ events }) => events)
)

/** The tags of those lines' events. */
export const tags = Effect.map(lines, (all) => all.map((events) => events.map(({ _tag }) => _tag)))

/** What another process commits: whatever the log holds by now comes before it. */
export const byAnother = (run: Run, events: ReadonlyArray<Event>) =>
  EventLog.use((log) => Effect.flatMap(log.read(reviewRun, run.ref), ({ head }) => log.append(reviewRun, run.ref, head, events)))
