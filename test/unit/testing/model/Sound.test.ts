// Sound: what the program has written passes its own audit, and what it would never write does not.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Broken, sound } from "../../../../src/testing/model/Invariants.ts"
import { opened } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { forge, reviewedRun } from "../reviewedRun.ts"
import { parts } from "./someRuns.ts"

describe("the runs of a machine", () => {
  it("are sound where there are none", () => onMachine(sound))

  it("are sound as the program writes them", () =>
    onMachine(Effect.andThen(reviewedRun({ size: 2, parts: parts("clean", "issues") }), sound)))

  it("are not where a line says what could not have been", async () => {
    const forged = Effect.flatMap(reviewedRun(), (one) => forge(one, opened("xhigh", 9)))
    const defect: unknown = await onMachine(Effect.andThen(forged, sound)).catch((error: unknown) => error)
    assert.instanceOf(defect, Broken)
    assert.match(defect instanceof Broken ? defect.message : "", /^audit of \S+, line \d+: BatchOpened xhigh batch 9 /)
  })
})
