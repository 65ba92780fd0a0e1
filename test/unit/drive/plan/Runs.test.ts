// Runs: active plan runs, and their review runs.
import { Clock, Effect, Fiber } from "effect"
import { assert, it } from "vitest"
import { ladderOf, plansUnderWay } from "../../../../src/drive/plan/Runs.ts"
import { commitDriver } from "../../../../src/agent/TaskLog.ts"
import { Git } from "../../../../src/code/Git.ts"
import { readConverge } from "../../../../src/drive/converge/State.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { ScriptedAgent } from "../../../../src/testing.ts"
import { call, content, inWorld, review, settings } from "./plans.ts"
import type { RunRef, TargetRef } from "../../../../src/log/Refs.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { Drivers } from "../../../../src/drive/DriverLock.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { created } from "../../run/events.ts"

const found = (worktree?: string) =>
  Effect.gen(function*() {
    const repository = yield* (yield* Git).repository("/repo")
    const root = yield* (yield* RunStore).open(null, "/repo")
    const plans = yield* plansUnderWay([root], { ...repository, ...(worktree === undefined ? {} : { root: worktree }) })
    return plans.map(({ driver, ref }) => [ref.targetKey.startsWith("plan/"), driver?.outcome])
  })

it("is found while an agent works, even after its driver is gone, but not once it is over", async () => {
  const agents = { implement: () => ScriptedAgent.answers("late", { after: 600_000 }) }
  const seen = await inWorld(
    { agents },
    Effect.gen(function*() {
      const before = yield* found()
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(10_000)
      const during = [yield* found(), yield* found("/elsewhere")]
      yield* Fiber.interrupt(calling)
      return [before, ...during, yield* found()]
    })
  )
  assert.deepStrictEqual(seen, [[], [[true, null]], [], [[true, null]]])
  const after = await inWorld({}, Effect.andThen(call(), found()))
  assert.deepStrictEqual(after, [])
})

const driver = { driver: "one", pid: 7, since: 0, until: 0, outcome: null, end: null, call: null, why: null }
const step = { target: { _tag: "Uncommitted" }, strict: true, batchSize: 1, ceiling: "low" }

it("is found by its driving process, and is never a plan run", async () => {
  const found = await inWorld(
    { agents: { ...content, "review-0": review("ACCEPTABLE") } },
    Effect.gen(function*() {
      const { run } = yield* call(settings({ then: "converge" }, { step }))
      const real = yield* Drivers
      const by = (key: string) =>
        Drivers.of({
          ...real,
          present: ({ targetKey }) => Effect.succeed(targetKey === key || targetKey === run.targetKey ? [7] : [])
        })
      const asked = (key: string, pid: number) =>
        Effect.map(
          Effect.provideService(ladderOf(run, { ...driver, pid }), Drivers, by(key)),
          (ladder) => ladder?.targetKey ?? null
        )
      return [yield* asked("uncommitted", 7), yield* asked("uncommitted", 8), yield* asked(run.targetKey, 7)]
    })
  )
  assert.deepStrictEqual(found, ["uncommitted", null, null])
})

it("is never another worktree's newer run of the same target", async () => {
  const [first, found] = await inWorld(
    { agents: { ...content, "review-0": review("ACCEPTABLE") } },
    Effect.gen(function*() {
      const { run } = yield* call(settings({ then: "converge" }, { step }))
      const store = yield* RunStore
      const target = { ...run, targetKey: "uncommitted" }
      const [first] = yield* store.runs(target)
      const other: RunRef = { ...target, runId: "29990101T000000Z-000000001-p1" }
      yield* store.create(other)
      yield* (yield* EventLog).create(reviewRun, other, [created({ worktree: "/elsewhere", runId: other.runId })])
      yield* store.point(other)
      const present = () => Effect.succeed([7])
      const asked = ladderOf(run, { ...driver, pid: 7 })
      return [first, yield* Effect.provideService(asked, Drivers, Drivers.of({ ...yield* Drivers, present }))] as const
    })
  )
  assert.isDefined(first)
  assert.strictEqual(found?.runId, first?.runId)
})

it("is not found by a later process with the pid of the killed driver", async () => {
  const found = await inWorld(
    { agents: { ...content, "review-0": review("ACCEPTABLE") } },
    Effect.gen(function*() {
      const { run } = yield* call(settings({ then: "converge" }, { step }))
      const present = ({ targetKey }: TargetRef) => Effect.succeed(targetKey === "uncommitted" ? [7] : [])
      const asked = ladderOf(run, { ...driver, pid: 7 })
      return yield* Effect.provideService(asked, Drivers, Drivers.of({ ...yield* Drivers, present }))
    })
  )
  assert.isNull(found)
})

it("is the run in which the plan's own driver was killed: not one that it ended, nor one of an older driver with its pid", async () => {
  const found = await inWorld(
    { agents: { ...content, "review-0": review("ACCEPTABLE") } },
    Effect.gen(function*() {
      const { run } = yield* call(settings({ then: "converge" }, { step }))
      const [ladder = assert.fail("no ladder")] = yield* (yield* RunStore).runs({ ...run, targetKey: "uncommitted" })
      const since = yield* Clock.currentTimeMillis
      const killed = [{ _tag: "DriverStarted", driver: "killed", pid: 7 } as const]
      yield* commitDriver(yield* readConverge(ladder), killed)
      const drivenBy = (since: number, pid = 7) =>
        Effect.map(ladderOf(run, { ...driver, pid, since }), (found) => found?.runId === ladder.runId)
      const ended = [{ _tag: "DriverEnded", driver: "killed", outcome: "DoneAborted" } as const]
      const end = Effect.flatMap(readConverge(ladder), (driver) => commitDriver(driver, ended))
      const last = Effect.andThen(end, drivenBy(since))
      const asked = Effect.all([drivenBy(since), drivenBy(since + 1), drivenBy(since, 8), last])
      const present = () => Effect.succeed([])
      return yield* Effect.provideService(asked, Drivers, Drivers.of({ ...yield* Drivers, present }))
    })
  )
  assert.deepStrictEqual(found, [true, false, false, false])
})
