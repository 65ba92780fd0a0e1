// The log that a call is asked to keep: a level by its name, a file by its path.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { logLevel, logLevels, logOptions } from "../../../src/cli/logOptions.ts"

const asked = (level: string | null, file: string | null) =>
  Result.getOrElse(
    logOptions((flag) => [flag === "--log-level" ? level : file].filter((text) => text !== null)),
    (problem) => problem
  )

describe("the two flags", () => {
  it("ask for nothing where they are not given", () =>
    assert.deepStrictEqual(asked(null, null), { level: null, file: null }))

  it.each(Object.entries(logLevels))(
    "%s is Effect's %s",
    (name, level) => assert.deepStrictEqual(asked(name, "a/b"), { level, file: "a/b" })
  )

  it("say what is wrong with a level or a path", () => {
    assert.strictEqual(asked("loud", null), '--log-level "loud": expected trace, debug, info, warn, error or none')
    assert.strictEqual(asked(null, ""), '--log-file "": expected a path, not an empty text')
  })
})

it("no name of an object's own is a level", () =>
  assert.deepStrictEqual(["toString", "Debug", ""].filter((text) => Result.isSuccess(logLevel(text))), []))
