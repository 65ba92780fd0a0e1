// Delay: spans of time as services name them, and what is none.
import { assert, describe, it } from "vitest"
import { delayAt, namedDelay } from "../../../src/agent/AgentEnding.ts"

const day = 86_400_000

describe("a delay", () => {
  it.each([
    ["try again in 20ms", 20],
    ["rate limit; try again in 500 milliseconds", 500],
    ["Try again in 1.5s", 1500],
    ["try again in 2 seconds", 2000],
    ["try again in 1m 20s", 80_000],
    ["try again in 1m20s", 80_000],
    ["retry after 30", 30_000],
    ["retry after 30. 5 times", 30_000],
    ["try again in 2h", 7_200_000],
    ["try again in 5 minutes", 300_000],
    ["try again in 2 days", 2 * day],
    ["try again in 3 days, 4 hours and 5 minutes.", 3 * day + 4 * 3_600_000 + 300_000],
    ["try again in 1 week", 7 * day],
    ["try again in 2 months", 60 * day]
  ])("%j", (message, millis) => assert.strictEqual(namedDelay(message)?.millis, millis))

  it.each(["try again later", "", "in 3s", "try again in a while"])(
    "is not named by %j",
    (message) => assert.isNull(namedDelay(message))
  )

  it("is given in its own words", () => {
    assert.deepStrictEqual(delayAt("3 days 4 hours. Bye"), { words: "3 days 4 hours", millis: 3 * day + 4 * 3_600_000 })
    assert.isNull(delayAt("soon"))
  })
})
