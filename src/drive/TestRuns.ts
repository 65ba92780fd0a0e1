// TestRuns: runs the project's tests for a round, and takes the end of one that another driver has started.
// The start of a test is recorded before it starts. A test whose end is lost runs again.
import { Effect } from "effect"
import type { DrivenEvent, DrivenEventOf, DrivenState } from "./State.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import type { TestRef } from "../log/Refs.ts"
import { commitDriver, type Driver, type DriverStream, transactDriver } from "../agent/TaskLog.ts"
import { type Identity, sameContent } from "../run/Identity.ts"
import { presentIdentity } from "../code/PresentIdentity.ts"
import { RunStore } from "../run/RunStore.ts"
import { changedCode, lastRed, type TestEnd, Tests } from "./Tests.ts"
import { type Drive, record } from "./Drive.ts"

const refOf = ({ ref }: DriverStream<DrivenState>, { id, test }: DrivenEventOf<"TestStarted">): TestRef => ({
  run: ref,
  test,
  id
})

const startedOf = ({ state }: DriverStream<DrivenState>, test: number) =>
  state.tests.find(({ started }) => started.test === test)?.started ?? null

/** Starts a test, unless another process was first. */
const begun = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>, round: number, command: string) {
    const test = drive.driver.state.tests.length + 1
    const id = yield* (yield* RunStore).newAttemptId
    const before = yield* presentIdentity(drive.run.manifest)
    const started: DrivenEventOf<"TestStarted"> = { _tag: "TestStarted", test, id, round, command, before }
    // Between the commit and the start no signal may step in: a committed test is a started one.
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const next = yield* record(drive, [started])
      if (startedOf(next.driver, test)?.id === id) {
        const what = { command, cwd: drive.run.manifest.worktree, timeout: drive.settings.testTimeout }
        yield* (yield* Tests).start(refOf(next.driver, started), what)
      }
      return { drive: next, test }
    }))
  }
)

const nothing: TestEnd = { exit: null, output: { algorithm: "sha256", hex: "", bytes: 0 }, tail: "" }

/** Whether a test of an earlier driver may have run on other code. */
const isMoved = ({ before }: DrivenEventOf<"TestStarted">, now: Identity): boolean =>
  before !== undefined && sameContent(before, now) === "Different"

/**
 * Records the end of a test. If this driver started it and its end is lost, it was killed, usually for its memory: it
 * counts as red, because it would be killed again. If an earlier driver started it, it counts only if its end is known
 * and the code has not changed since.
 */
const ended = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    started: DrivenEventOf<"TestStarted">,
    known: TestEnd | null,
    own: boolean
  ) {
    const { test } = started
    const end = known ?? (own ? nothing : null)
    const content = yield* presentIdentity(drive.run.manifest)
    if (end === null || (!own && isMoved(started, content))) {
      return yield* record(drive, [{ _tag: "TestStopped", test, cause: "Lost" }])
    }
    return yield* record(drive, [{ _tag: "TestFinished", test, exit: end.exit, output: end.output, content }])
  }
)

/** Runs a test of a round to its end, or takes the end of the one that is `running`. */
export const runTest = Effect.fn("TestRuns.runTest")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    round: number,
    command: string,
    running: number | null
  ) {
    const begin = running === null ? yield* begun(drive, round, command) : { drive, test: running }
    const started = startedOf(begin.drive.driver, begin.test)
    if (started === null) return begin.drive
    const end = yield* (yield* Tests).follow(refOf(begin.drive.driver, started))
    return yield* ended(begin.drive, started, end, running === null)
  }
)

/** The end of what a test printed; empty if that is gone. */
export const tailOfTest = Effect.fn("TestRuns.tailOfTest")(
  function*({ driver }: { readonly driver: DriverStream<DrivenState> }, test: number) {
    const started = startedOf(driver, test)
    if (started === null) return ""
    const end = yield* (yield* Tests).follow(refOf(driver, started))
    return end?.tail ?? ""
  }
)

/** The last red run of a round's tests, as a prompt describes it. */
export const redTest = Effect.fn("TestRuns.redTest")(
  function*(work: { readonly driver: DriverStream<DrivenState> }, round: number) {
    const red = lastRed(work.driver.state.tests, round)
    if (red === null) return { command: "", exit: null, changed: false, tail: "" }
    return {
      command: red.started.command,
      exit: red.standing._tag === "Finished" ? red.standing.finished.exit : null,
      changed: changedCode(red),
      tail: yield* tailOfTest(work, red.started.test)
    }
  }
)

/** The tests that run now. */
export const runningTests = (driver: DriverStream<DrivenState>): ReadonlyArray<TestRef> =>
  driver.state.tests.flatMap(({ standing, started }) => standing._tag === "Running" ? [refOf(driver, started)] : [])

/** Ends the tests that run now. */
export const stopTests = <S extends DrivenState, X extends TaggedEvent>(
  driver: Driver<S, DrivenEvent | X>,
  cause: DrivenEventOf<"TestStopped">["cause"]
) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver<S, DrivenEvent | X>) {
      const running = runningTests(now)
      if (running.length === 0) return now
      yield* (yield* Tests).stop(running)
      return yield* commitDriver(now, running.map(({ test }) => ({ _tag: "TestStopped", test, cause })))
    })
  )
