// StoredRun: a run of either kind, as far as its log tells, and what cannot be read.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { EventLog, LogUnavailable } from "../../../src/log/EventLog.ts"
import { layer } from "../../../src/testing/memory/EventLog.ts"
import { storedRun } from "../../../src/read/Prune.ts"
import { closed, cycleStarted, driverStarted, planStarted } from "../drive/plan/histories.ts"
import { created, runRef } from "../run/events.ts"

const plan = { ...runRef(), targetKey: "plan/p" }
const begun = { ...planStarted, runId: plan.runId }
const found = (before: Effect.Effect<unknown, unknown, EventLog>, run = plan) =>
  Effect.runPromise(Effect.andThen(before, storedRun(run)).pipe(Effect.provide(layer)))
const planned = (...events: ReadonlyArray<Parameters<typeof planRun.fold.evolve>[1]>) =>
  found(EventLog.use((log) => log.create(planRun, plan, [begun, ...events])))

it("a run of reviews is told with its lines", async () => {
  const run = await found(EventLog.use((log) => log.create(reviewRun, runRef(), [created()])), runRef())
  assert.deepInclude(run, { _tag: "Read", worktree: "/repo", isOwn: true, isOver: false })
  assert.lengthOf(run._tag === "Read" ? run.commits : [], 1)
})

it("the run of a plan is over once its driver has ended with all that was wanted", async () => {
  const ended = { _tag: "DriverEnded", driver: "d1", outcome: "DoneAccepted" } as const
  assert.deepInclude(await planned(driverStarted()), { worktree: "/work", isOwn: true, isOver: false })
  assert.deepInclude(await planned(driverStarted(), ended), { isOver: true })
  assert.deepInclude(await planned(driverStarted(), cycleStarted(), closed("Marked"), ended), { isOver: true })
  for (const outcome of ["DoneAborted", "HandoffHuman: TestsFailed", "StuckCapReached: AddressBatch:rounds"]) {
    assert.deepInclude(await planned(driverStarted(), { ...ended, outcome }), { isOver: false }, outcome)
  }
})

it("a log about another run is not its own", async () =>
  assert.deepInclude(
    await found(EventLog.use((log) => log.create(planRun, plan, [{ ...begun, runId: "another" }]))),
    { isOwn: false }
  ))

it("nothing is there without a log, and what cannot be read is told", async () => {
  assert.deepStrictEqual(await found(Effect.void), { _tag: "Empty" })
  const error = new LogUnavailable({ path: "/log", reason: { _tag: "ShortWrite", written: 1, bytes: 2 } })
  const unread = Effect.updateService(storedRun(plan), EventLog, (log) => ({ ...log, read: () => Effect.fail(error) }))
  assert.deepStrictEqual(await Effect.runPromise(Effect.provide(unread, layer)), { _tag: "Unreadable", error })
})
