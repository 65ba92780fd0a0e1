// The events of a log: all of a short one, both ends of a long one.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { readEvents } from "../../../../src/read/report/Events.ts"
import { onMachine, openedStrict } from "../../run/opened.ts"

const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }
const read = (more: number) =>
  onMachine(Effect.flatMap(
    openedStrict(...Array.from({ length: more }, () => [aborted])),
    ({ ref }) => readEvents(reviewRunReader, ref)
  ))

describe("the events of a log", () => {
  it("are told as replay tells them", async () => {
    const { count, first, last, left } = await read(1)
    assert.deepStrictEqual([count, left, last], [2, 0, []])
    assert.match(first[0] ?? "", /^ +1 {2}\S+ {2}RunCreated/)
    assert.match(first[1] ?? "", /StepAborted +SIGTERM$/)
  })

  it("of a long one are its first and its last", async () => {
    const { count, first, last, left } = await read(3000)
    assert.deepStrictEqual([count, first.length, left, last.length], [3001, 200, 2001, 800])
    assert.match(first.at(-1) ?? "", /^ +200 /)
    assert.match(last[0] ?? "", /^ +2202 /)
    assert.match(last.at(-1) ?? "", /^ +3001 /)
  })

  it("hold no half of a secret that a line is cut through", async () => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    const details = { text: `${"x ".repeat(142)}${secret}` }
    const failed: Event = { _tag: "AddressFailed", level: "low", batch: 1, details }
    const { first } = await onMachine(Effect.flatMap(
      openedStrict([failed]),
      ({ ref }) => readEvents(reviewRunReader, ref)
    ))
    assert.match(first[1] ?? "", /AddressFailed/)
    assert.notInclude(first[1] ?? "", "ghp_")
  })
})
