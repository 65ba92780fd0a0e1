// TestRuns: runs the project's tests for a round, and takes the end of one that another driver has started.
// A test is committed before it starts. One whose end is lost says nothing, and runs again.
import { Effect } from "effect"
import type { ConvergeEventOf } from "../core/converge/Event.ts"
import type { TestRef } from "../core/run/Refs.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { RunStore } from "../services/RunStore.ts"
import { type TestEnd, Tests } from "../services/Tests.ts"
import { type Driving, record, worktreeOf } from "./Driving.ts"

const refOf = ({ run: { ref } }: Pick<Driving, "run">, { id, test }: ConvergeEventOf<"TestStarted">): TestRef => ({
  run: ref,
  test,
  id
})

const startedOf = ({ driver: { state } }: Pick<Driving, "driver">, test: number) =>
  state.tests.find(({ started }) => started.test === test)?.started ?? null

/** Starts a test; where another process was first, nothing is started. */
const begun = Effect.fnUntraced(function*(driving: Driving, round: number, command: string) {
  const test = driving.driver.state.tests.length + 1
  const id = yield* (yield* RunStore).newAttemptId
  const started: ConvergeEventOf<"TestStarted"> = { _tag: "TestStarted", test, id, round, command }
  // Between the commit and the start no signal may step in: a committed test is a started one.
  return yield* Effect.uninterruptible(Effect.gen(function*() {
    const next = yield* record(driving, [started])
    if (startedOf(next, test)?.id === id) {
      const what = { command, cwd: worktreeOf(driving), timeout: driving.settings.testTimeout }
      yield* (yield* Tests).start(refOf(next, started), what)
    }
    return { driving: next, test }
  }))
})

const nothing: TestEnd = { exit: null, output: { algorithm: "sha256", hex: "", bytes: 0 }, tail: "" }

/**
 * A test of this call's own whose end is lost was killed, as a rule for its memory: it counts as red, because it would
 * be killed again. One of an earlier driver says nothing.
 */
const ended = Effect.fnUntraced(function*(driving: Driving, test: number, told: TestEnd | null, own: boolean) {
  const end = told ?? (own ? nothing : null)
  if (end === null) return yield* record(driving, [{ _tag: "TestStopped", test, cause: "Lost" }])
  const content = yield* presentIdentity(driving.run.manifest)
  return yield* record(driving, [{ _tag: "TestFinished", test, exit: end.exit, output: end.output, content }])
})

/** Runs a test of a round to its end, or takes the end of the one that is `running`. */
export const runTest = Effect.fn("TestRuns.runTest")(
  function*(driving: Driving, round: number, command: string, running: number | null) {
    const begin = running === null ? yield* begun(driving, round, command) : { driving, test: running }
    const started = startedOf(begin.driving, begin.test)
    if (started === null) return begin.driving
    const end = yield* (yield* Tests).follow(refOf(begin.driving, started))
    return yield* ended(begin.driving, begin.test, end, running === null)
  }
)

/** The end of what a test printed; the empty text where that is gone. */
export const tailOfTest = Effect.fn("TestRuns.tailOfTest")(
  function*(driving: Pick<Driving, "driver" | "run">, test: number) {
    const started = startedOf(driving, test)
    if (started === null) return ""
    const end = yield* (yield* Tests).follow(refOf(driving, started))
    return end?.tail ?? ""
  }
)

/** The tests that run now. */
export const runningTests = (driving: Driving): ReadonlyArray<TestRef> =>
  driving.driver.state.tests.flatMap(({ standing, started }) =>
    standing._tag === "Running" ? [refOf(driving, started)] : []
  )

/** Ends the tests that run now. */
export const stopTests = Effect.fn("TestRuns.stopTests")(
  function*(driving: Driving, cause: ConvergeEventOf<"TestStopped">["cause"]) {
    const running = runningTests(driving)
    if (running.length === 0) return driving
    yield* (yield* Tests).stop(running)
    return yield* record(driving, running.map(({ test }) => ({ _tag: "TestStopped", test, cause })))
  }
)
