import { Effect } from "effect"
import { assert, it } from "vitest"
import { keepLong } from "../../../src/run/LongText.ts"
import { runRef } from "./events.ts"
import { onMachine } from "./opened.ts"

it("a text that is too long for a line is kept beside the log, and a short one is not", async () => {
  const [short, long] = await onMachine(
    Effect.all([keepLong(runRef(), "x".repeat(4_000)), keepLong(runRef(), "x".repeat(4_001))])
  )
  assert.deepStrictEqual(short, { text: "x".repeat(4_000) })
  assert.strictEqual(long?.text.length, 4_000)
  assert.strictEqual(long?.rest?.bytes, 4_001)
})
