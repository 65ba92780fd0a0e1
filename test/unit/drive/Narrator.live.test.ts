// Narrator.live: lines on standard error, and a program that is notified of the end.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { notifierLayer, narration } from "../../../src/drive/Narrator.live.ts"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Environment } from "../../../src/platform/Environment.ts"
import { Notifier } from "../../../src/drive/Narrator.ts"

const page = { columns: null, colour: false }

it("a drawing is removed before a line is written", async () => {
  const all: Array<string> = []
  const { say } = narration(Effect.sync(() => void all.push("cleared")), (text) => void all.push(text), () => page)
  await Effect.runPromise(Effect.andThen(say("one"), say("two")))
  assert.deepStrictEqual(all, ["cleared", "one\n", "cleared", "two\n"])
})

it("a line that cannot be written is dropped", async () => {
  const { say } = narration(Effect.void, () => {
    throw new Error("EPIPE")
  }, () => page)
  assert.isUndefined(await Effect.runPromise(say("one")))
})

const notifyBy = (command: string, cwd: string) =>
  Effect.runPromise(
    Notifier.use(({ notify }) => notify(command, `{"outcome":"DoneFixedPoint"}\n`, cwd)).pipe(
      Effect.provide(notifierLayer),
      Effect.provideService(Environment, process.env)
    )
  )

it("the program gets the document on standard input, in the caller's directory", async () => {
  const directory = mkdtempSync(join(tmpdir(), "notify-"))
  assert.isNull(await notifyBy("cat > told.json", directory))
  assert.strictEqual(readFileSync(join(directory, "told.json"), "utf8"), `{"outcome":"DoneFixedPoint"}\n`)
  assert.match(await notifyBy("echo no mail >&2; exit 3", directory) ?? "", /no mail/)
  rmSync(directory, { recursive: true })
})
