// DriverLock: a driver's stream is read as far as possible, and the driver of a target is known.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { readOn } from "../../../src/drive/Spending.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { agentStarted } from "./converge/events.ts"
import { cycleStarted, planStarted } from "./plan/histories.ts"
import { runRef } from "../run/events.ts"
import { layer } from "../../../src/testing/memory/EventLog.ts"
import { AlreadyDriven, Drivers, isAtWork } from "../../../src/drive/DriverLock.ts"

const ref = { ...runRef(), targetKey: "plan/p" }

it("continues from the end of the last look", async () => {
  const seen = await Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      const first = yield* log.create(planRun, ref, [{ ...planStarted, runId: ref.runId }, cycleStarted()])
      const begun = yield* readOn(planRun, ref)
      yield* log.append(planRun, ref, first, [agentStarted()])
      return { begun, after: yield* readOn(planRun, ref, begun) }
    }).pipe(Effect.provide(layer))
  )
  assert.deepStrictEqual([seen.begun?.head.seq, seen.after?.head.seq], [1, 2])
  assert.strictEqual(seen.after?.walked.state?.rounds.length, 1)
  assert.strictEqual(seen.after?.walked.state?.agents.agents.length, 1)
})

it("is null without a stream", async () =>
  assert.isNull(await Effect.runPromise(Effect.provide(readOn(planRun, ref), layer))))

it("a driver is running while its own process drives the target, until it recorded its end", async () => {
  const last = { driver: "d1", pid: 7, since: 0, until: 0, outcome: null, end: null, call: null, why: null }
  const isSeen = (driving: ReadonlyArray<number>, outcome: string | null = null) => {
    const drivers = Layer.mock(Drivers)({ present: () => Effect.succeed(driving) })
    return Effect.runPromise(Effect.provide(isAtWork(ref, { ...last, outcome }), drivers))
  }
  assert.isTrue(await isSeen([8, 7]))
  for (const seen of [isSeen([8]), isSeen([]), isSeen([7], "Idle")]) assert.isFalse(await seen)
})

const who = { pid: 7, since: "2030-06-01T00:00:00.000Z", targetKey: "base/main" }

it.each([
  [
    { who, stop: "ooda-codex-review stop --run R" },
    "process 7 drives this worktree (base/main), since 2030-06-01T00:00:00.000Z " +
    "[`ooda-codex-review stop --run R` ends it]"
  ],
  [
    { who },
    "process 7 drives this worktree (base/main), since 2030-06-01T00:00:00.000Z " +
    "[`ooda-codex-review stop` ends it]"
  ],
  [{ who: null }, "another process drives this worktree [wait for it; its runs may be in another state root]"]
])("%o", (given, message) => assert.strictEqual(new AlreadyDriven(given).message, message))
