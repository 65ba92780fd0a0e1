// workings: a plan run that was just started, on a machine in memory.
import { Effect } from "effect"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { record } from "../../../../src/drive/Drive.ts"
import { locatePlan, openPlan } from "../../../../src/drive/plan/OpenPlan.ts"
import type { PlanDrive } from "../../../../src/drive/plan/Drive.ts"
import { file, settings } from "./plans.ts"

/** A run of the plan after these events. */
export const workingRun = Effect.fnUntraced(
  function*(events: ReadonlyArray<PlanEvent> = [], change: object = {}, driven: object = {}) {
    const place = yield* locatePlan(file, null, "/repo")
    const opened = yield* openPlan(place, true)
    const asked = settings(change, driven)
    const working: PlanDrive = {
      call: "implement",
      id: "d1",
      pid: 7,
      options: {},
      asked,
      settings: asked.driven,
      cwd: "/repo",
      file,
      run: { ref: opened.ref, manifest: { target: asked.driven.step.target, worktree: place.worktree } },
      driver: opened
    }
    return yield* record(working, [{ _tag: "DriverStarted", driver: "d1", pid: 7 }, ...events])
  }
)
