// opened: a run on a machine in memory with given lines, for tests of code that works on an opened run.
import { Cause, Clock, Effect, Exit, Ref } from "effect"
import type { Event } from "../../../src/run/Event.ts"
import { fold } from "../../../src/run/Manifest.ts"
import type { Target } from "../../../src/run/Target.ts"
import type { Run } from "../../../src/run/Run.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { lives, Memory, System, World } from "../../../src/testing.ts"
import { created, runRef } from "./events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"

/** Runs an effect on a new machine under virtual time. Rejects with its failure. */
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

/** Begins a run with this creation, appends these lines, and opens it. */
export const begun = Effect.fnUntraced(function*(creation: Event, lines: ReadonlyArray<ReadonlyArray<Event>>) {
  const log = yield* EventLog
  let head = yield* log.create(reviewRun, runRef(), [creation])
  for (const events of lines) head = yield* log.append(reviewRun, runRef(), head, events)
  const manifest = fold((yield* log.read(reviewRun, runRef())).commits)
  if (manifest === null) return yield* Effect.die(new Error("the first line creates no run"))
  return { ref: runRef(), manifest, head } satisfies Run
})

/** Begins a run of a target with these lines after its creation, and opens it. */
export const openedFor = (target: Target, ...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
  begun(created({ target }), lines)

/** Begins a strict run of the uncommitted changes. */
export const openedStrict = (...lines: ReadonlyArray<ReadonlyArray<Event>>) => begun(created({ strict: true }), lines)

/** Begins a run of the uncommitted changes. */
export const opened = (...lines: ReadonlyArray<ReadonlyArray<Event>>) => openedFor({ _tag: "Uncommitted" }, ...lines)

/** The lines of the run's log after its creation, each as its events. */
export const lines = Effect.map(
  EventLog.use((log) => log.read(reviewRun, runRef())),
  ({ commits }) => commits.slice(1).map(({ events }) => events)
)

/** The tags of those lines' events. */
export const tags = Effect.map(lines, (all) => all.map((events) => events.map(({ _tag }) => _tag)))

/** The tags of the events of any run's log, line by line. */
export const tagsOf = (run: Run | null) =>
  run === null ? Effect.succeed([]) : EventLog.use((log) => log.read(reviewRun, run.ref)).pipe(
    Effect.map(({ commits }) => commits.map(({ events }) => events.map(({ _tag }) => _tag)))
  )

/** What another process commits after everything that the log holds. */
export const byAnother = (run: Run, events: ReadonlyArray<Event>) =>
  EventLog.use((log) =>
    Effect.flatMap(log.read(reviewRun, run.ref), ({ head }) => log.append(reviewRun, run.ref, head, events))
  )

/** The slots whose reviewers live. */
export const living = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const reviewers = yield* World.use((world) => Ref.get(world.reviewers))
  return reviewers.filter((one) => lives(one, now)).map(({ attempt }) => attempt.slot)
})
