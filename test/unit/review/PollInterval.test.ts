// How long a step waits at a time: a number from the environment, which is refused where it is none.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { BadEnvironment, Environment } from "../../../src/platform/Environment.ts"
import { pollInterval } from "../../../src/review/Limits.ts"

const read = (text?: string) =>
  Effect.runSync(
    Effect.match(pollInterval, { onFailure: ({ message }) => message, onSuccess: (interval) => interval }).pipe(
      Effect.provideService(Environment, text === undefined ? {} : { OODA_AWAIT_SECS: text })
    )
  )

describe("the poll interval", () => {
  it.each([[undefined, 30_000], ["", 30_000], ["0", 0], ["1.5", 1500], [".25", 250], ["86400", 86_400_000]] as const)(
    "%s is %i ms",
    (text, milliseconds) => assert.strictEqual(read(text), milliseconds)
  )

  it.each(["-1", "1s", "1e3", ".", "86401", "NaN"])(
    "%s is refused",
    (text) =>
      assert.strictEqual(read(text), `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${text}"`)
  )
})

it("a directory that is gone is an environment in which nothing works", () =>
  assert.strictEqual(
    new BadEnvironment({ reason: { _tag: "NoDirectory" } }).message,
    "the current directory does not exist any more [change to the repository to review]"
  ))
