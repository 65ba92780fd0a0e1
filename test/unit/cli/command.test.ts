// What effect/cli makes of normalised words: what was given, or the first misuse as data.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { read } from "../../../src/cli/command.ts"

const result = (...words: ReadonlyArray<string>) => Effect.runPromise(Effect.result(read(words)))
const misuse = async (...words: ReadonlyArray<string>) => {
  const found = await result(...words)
  return Result.isFailure(found) ? found.failure : assert.fail(`${words.join(" ")} is no misuse`)
}

describe("words", () => {
  it("are given as they are: values whole, switches as the empty text, what is absent as null", async () => {
    const found = await result("--uncommitted", "--codex-bin=-x=y", "-n=4")
    const given = Result.isSuccess(found) ? found.success : assert.fail("refused")
    assert.strictEqual(given("--uncommitted"), "")
    assert.strictEqual(given("--codex-bin"), "-x=y")
    assert.strictEqual(given("-n"), "4")
    assert.isNull(given("--json"))
    assert.isNull(given("--level"))
  })

  it("that name no flag are unknown, with what may have been meant", async () => {
    const found = await misuse("--uncommited")
    assert.deepEqual(found, { _tag: "Unknown", suggestions: ["--uncommitted"] })
  })

  it("that are no flag are operands", async () =>
    assert.deepEqual(await misuse("--uncommitted", "main"), { _tag: "Operand", operand: "main" }))

  it("that lack their value are told by their option", async () =>
    assert.deepEqual(await misuse("--base"), { _tag: "Missing", option: "--base" }))

  it("are given once at most", async () => {
    assert.deepEqual(await misuse("--base=a", "--base=b"), { _tag: "Repeated", option: "--base" })
    assert.deepEqual(await misuse("-n=1", "-n=2"), { _tag: "Repeated", option: "-n" })
  })
})
