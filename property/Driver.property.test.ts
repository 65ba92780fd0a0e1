// Driver: any events of a driver's stream, in any order, can be written, read, folded and shown.
// The token count of its agents is never negative and never falls.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { underWay, usageOf } from "../src/agent/State.ts"
import { convergeRun } from "../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../src/drive/converge/Event.ts"
import { Usage } from "../src/run/Usage.ts"
import { driverReader } from "../src/read/replay/Readers.ts"
import { driverEvent, driverEvents } from "./driverEvent.ts"

const { fold } = convergeRun
const stream = fc.tuple(driverEvents.ConvergeStarted(), fc.array(driverEvent, { maxLength: 20 }))
const line = { seq: 1, at: "2030-01-01T00:00:00.000Z" }

describe("the stream of a driver", () => {
  it("folds whatever it holds, and its tokens only grow", () => {
    fc.assert(fc.property(stream, ([first, events]) => {
      let state = fold.initial(first) ?? assert.fail("no state")
      for (const event of events) {
        const before = usageOf(state.agents)
        state = fold.evolve(state, event, line)
        const after = usageOf(state.agents)
        assert.isTrue(Schema.is(Usage)(after))
        for (const name of ["input", "cached", "output", "reasoning"] as const) {
          assert.isAtLeast(after[name], before[name])
        }
        assert.isAtMost(underWay(state.agents).length, state.agents.agents.length)
      }
    }))
  })

  it("survives a round trip through JSON", () => {
    const decode = Schema.decodeUnknownSync(Schema.Array(convergeRun.event))
    fc.assert(fc.property(stream, ([first, events]) => {
      const all: ReadonlyArray<ConvergeEvent> = [first, ...events]
      assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(all))), all)
    }))
  })

  it("is shown with one line for each event and with hidden characters escaped", () => {
    fc.assert(
      fc.property(
        driverEvent,
        (event) => assert.notMatch(driverReader.describe(event), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
      )
    )
  })
})
