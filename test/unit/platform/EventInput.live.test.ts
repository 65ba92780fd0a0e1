// EventInput: one event of standard input, read by a real process: from pipes that stay open, in parts, and from files.
// A reader with a whole event does not wait; only a reader without one waits, and not forever.
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "ooda-event-"))
const program = join(directory, "eventReader.mjs")
const forever = 1_000_000

beforeAll(() =>
  build({
    input: fileURLToPath(new URL("./eventReader.ts", import.meta.url)),
    platform: "node",
    output: { file: program, format: "esm" }
  })
)
afterAll(() => rmSync(directory, { recursive: true }))

/** Starts a reader on a pipe or a file; what it has read once it ends. */
const reader = (stdin: "pipe" | "ignore" | number, patience = forever) => {
  const child: ChildProcess = spawn(process.execPath, [program, String(patience)], {
    stdio: [stdin, "pipe", "inherit"]
  })
  let said = ""
  child.stdout?.on("data", (part: Buffer) => (said += part.toString()))
  const read = new Promise<unknown>((resolve) => child.once("close", () => resolve(JSON.parse(said))))
  return { pipe: child.stdin ?? process.stdout, read }
}

const event = JSON.stringify({ session: "é".repeat(100_000) })

describe("an event", () => {
  it("is read from a pipe that its writer leaves open", async () => {
    const { pipe, read } = reader("pipe")
    pipe.write(event)
    assert.strictEqual(await read, event)
  })

  it("is read in the parts that it comes in, whatever each of them ends in", async () => {
    const { pipe, read } = reader("pipe")
    const whole = JSON.stringify({ a: { b: 1 }, c: 2 })
    const end = whole.indexOf("}") + 1
    pipe.write(whole.slice(0, end))
    await new Promise(setImmediate)
    pipe.write(`${whole.slice(end)}\n`)
    assert.strictEqual(await read, `${whole}\n`)
  })

  it("is read from a file", async () => {
    writeFileSync(join(directory, "event"), event)
    const fd = openSync(join(directory, "event"), "r")
    const { read } = reader(fd)
    closeSync(fd)
    assert.strictEqual(await read, event)
  })
})

describe("what is no event", () => {
  it.each(["", "{", "no event"])("is what the writer has left when it goes: %j", async (text) => {
    const { pipe, read } = reader("pipe")
    pipe.end(text)
    assert.strictEqual(await read, text)
  })

  it("is waited for no longer than was said", async () => {
    const { pipe, read } = reader("pipe", 50)
    pipe.write('{"a"')
    assert.include(["", '{"a"'], await read)
  })

  it("is empty where there is no input", async () => assert.strictEqual(await reader("ignore").read, ""))
})
