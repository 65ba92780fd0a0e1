import { assert, describe, it } from "vitest"
import { quotaReset } from "../../../src/agent/AgentEnding.ts"

const noon = Date.UTC(2030, 0, 5, 12)
const at = (hour: number, minute = 0, day = 5) => Date.UTC(2030, 0, day, hour, minute)

describe("the reset of a quota", () => {
  it.each([
    ["1:30 PM", 0, at(13, 30)],
    ["12:05 pm", 0, at(12, 5)],
    ["9:36 AM", 0, at(9, 36, 6)],
    ["12:00 AM", 0, at(0, 0, 6)],
    ["14:15", 0, at(14, 15)],
    ["Jan 7th, 2030 3:05 PM", 0, at(15, 5, 7)],
    ["January 1st, 2030 3:05 PM", 0, at(15, 5, 1)],
    // The clock of this place is two hours ahead, and then eleven behind.
    ["2:30 PM", 2 * 3_600_000, at(12, 30)],
    ["2:30 AM", -11 * 3_600_000, at(13, 30)],
    // Claude Code names the hour, its zone, and perhaps a day without a year.
    ["3pm", 0, at(15)],
    ["3pm (Europe/Berlin)", 5 * 3_600_000, at(14)],
    ["3:30am (America/New_York)", 0, at(8, 30, 6)],
    ["Jan 7 at 10am (UTC)", 0, at(10, 0, 7)],
    ["Jan 2, 2030, 10am", 0, at(10, 0, 2)],
    ["2030-01-07 10:05 UTC", 3_600_000, at(10, 5, 7)],
    // The minute that is still running is now.
    ["12:00 PM", 0, noon]
  ])(
    "%s with a clock %i ms ahead",
    (until, zone, instant) => assert.strictEqual(quotaReset(until, noon, zone), instant)
  )

  it.each(["", "soon", "25:00", "13:00 PM", "0:10 AM", "9:60 AM", "Foo 7th, 2030 3:05 PM", "3pm (Nowhere/Atall)"])(
    "is not told by %j",
    (until) => assert.isNull(quotaReset(until, noon, 0))
  )
})

it.each([["3 days 4 hours 5 minutes", 273_900_000], ["2 h", 7_200_000]])("is %s from now on", (until, millis) => {
  for (const zone of [0, 7_200_000]) assert.strictEqual(quotaReset(until, 1_000, zone), 1_000 + millis)
})
