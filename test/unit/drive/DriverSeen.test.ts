// DriverSeen: a driver's stream of any kind, read on from look to look.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { driverSeen } from "../../../src/drive/DriverWatch.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { agentStarted } from "./converge/events.ts"
import { cycleStarted, planStarted, tested } from "./plan/histories.ts"
import { runRef } from "../run/events.ts"
import { layer } from "../../../src/testing/memory/EventLog.ts"

const ref = { ...runRef(), targetKey: "plan/p" }

it("tells since when agents and tests run, and goes on from where it was read to", async () => {
  const [started] = tested(1, 1, 0)
  const seen = await Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      const first = yield* log.create(planRun, ref, [{ ...planStarted, runId: ref.runId }, cycleStarted()])
      const begun = yield* driverSeen(planRun, ref)
      yield* log.append(planRun, ref, first, [agentStarted(), started])
      const { commits } = yield* log.read(planRun, ref)
      return { begun, after: yield* driverSeen(planRun, ref, begun), at: Date.parse(commits[1]?.at ?? "") }
    }).pipe(Effect.provide(layer))
  )
  assert.deepStrictEqual([seen.begun?.head.seq, seen.begun?.since.size], [1, 0])
  assert.strictEqual(seen.after?.walked.state?.cycles.length, 1)
  assert.deepStrictEqual([...(seen.after?.since ?? [])], [[1, seen.at]])
  assert.deepStrictEqual([...(seen.after?.testsSince ?? [])], [[1, seen.at]])
})

it("is nothing where no stream is", async () =>
  assert.isNull(await Effect.runPromise(Effect.provide(driverSeen(planRun, ref), layer))))
