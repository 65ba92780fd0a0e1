// What of the flags and the environment decides about the log of a call.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, it } from "vitest"
import { logging, type LogTarget } from "../../../src/cli/Diagnostics.live.ts"

let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ooda-logging-"))
})
afterEach(() => rmSync(dir, { recursive: true }))

const work = Effect.all([Effect.logInfo("info"), Effect.logDebug("debug"), Effect.logTrace("trace")])
const told = async (wanted: Partial<LogTarget>): Promise<string> => {
  const file = join(dir, "a.log")
  const layer = logging({ level: null, named: null, file, ...wanted }, dir)
  const failure = await Effect.runPromise(
    Effect.match(Effect.provide(work, layer), { onFailure: ({ message }) => message, onSuccess: () => null })
  )
  if (failure !== null || !existsSync(file)) return failure ?? "no file"
  return readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line).message).join(" ")
}

it("a file alone is written from debug on", async () => assert.strictEqual(await told({}), "info debug"))
it("the environment names the level where no flag does", async () =>
  assert.strictEqual(await told({ named: "info" }), "info"))
it("a flag wins over the environment", async () =>
  assert.strictEqual(await told({ level: "Trace", named: "loud" }), "info debug trace"))
it("none is no log and no file", async () => assert.strictEqual(await told({ named: "none" }), "no file"))
it("a level that is none is refused", async () =>
  assert.strictEqual(
    await told({ named: "loud" }),
    'OODA_LOG_LEVEL "loud": expected trace, debug, info, warn, error or none'
  ))
