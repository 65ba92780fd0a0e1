// NarratorLive: each line is told below what was drawn, and a line that cannot be written stops nothing.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { telling } from "../../../src/drive/Narrator.live.ts"

const page = { columns: null, colour: false }

it("what is drawn is taken away before a line is told", async () => {
  const all: Array<string> = []
  const { say } = telling(Effect.sync(() => void all.push("cleared")), (text) => void all.push(text), () => page)
  await Effect.runPromise(Effect.andThen(say("one"), say("two")))
  assert.deepStrictEqual(all, ["cleared", "one\n", "cleared", "two\n"])
})

it("a line that cannot be written is left out", async () => {
  const { say } = telling(Effect.void, () => {
    throw new Error("EPIPE")
  }, () => page)
  assert.isUndefined(await Effect.runPromise(say("one")))
})
