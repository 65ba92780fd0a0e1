// Process: standard input read whole, cut inside a character, too long or broken.
import { Effect, PlatformError, Stdio, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { InputFailed, readInput } from "../../../src/platform/Process.ts"

describe("standard input", () => {
  const reading = (stdin: Stdio.Stdio["stdin"], most = 100) =>
    Effect.runPromise(Effect.result(Effect.provide(readInput(most), Stdio.layerTest({ stdin }))))

  const bytes = new TextEncoder().encode("a\u20acb")

  it("joins what was cut inside a character", async () => {
    const read = await reading(Stream.make(bytes.slice(0, 2), bytes.slice(2)))
    assert.deepInclude(read, { success: "a\u20acb" })
    assert.deepInclude(await reading(Stream.empty), { success: "" })
  })

  it("refuses more than it is to read", async () => {
    assert.deepInclude(await reading(Stream.make(bytes), bytes.length), { success: "a\u20acb" })
    const refused = await reading(Stream.make(bytes, bytes.slice(0, 1)), bytes.length)
    assert.match(
      refused._tag === "Failure" ? refused.failure.message : "",
      /^standard input is longer than 5 bytes: give /
    )
  })

  it("says why it cannot be read", async () => {
    const error = PlatformError.systemError({
      _tag: "BadResource",
      module: "Stdio",
      method: "stdin",
      description: "EISDIR"
    })
    const failed = await reading(Stream.fail(error))
    assert.isTrue(failed._tag === "Failure" && failed.failure instanceof InputFailed)
    assert.match(failed._tag === "Failure" ? failed.failure.message : "", /^standard input cannot be read: .*EISDIR/)
  })
})
