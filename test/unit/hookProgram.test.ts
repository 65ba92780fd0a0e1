// The hook on this machine: an edit is reviewed by a program in the place of codex, and a signal ends it.
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { hookCall } from "../../src/cli/hookCall.ts"
import { answerRequest } from "../../src/hookProgram.ts"
import { eachInDirectory } from "../support/directories.ts"

const dir = eachInDirectory()

const call = async (script: string, event: object, signal: AbortSignal, ...flags: ReadonlyArray<string>) => {
  const codex = dir("codex")
  writeFileSync(codex, `#!/bin/sh\n${script}\n`)
  chmodSync(codex, 0o755)
  const input = async () => JSON.stringify({ session_id: "s", cwd: dir(), ...event })
  const args = ["--codex-bin", codex, "--state-root", dir("state"), ...flags]
  const found = await hookCall(args, { env: {}, input })
  if (!("action" in found)) throw new Error("no entry for this event")
  return answerRequest(
    { ...found, cwd: dir(), env: { PATH: process.env["PATH"] ?? "", TMPDIR: dir() }, age: 0 },
    signal
  )
}
const edit = { hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { file_path: "a", content: "x" } }
const answers = (text: string) => `while [ "$1" != -o ]; do shift; done; cat >/dev/null; printf '${text}' >"$2"`

describe("the hook", () => {
  it("answers an edit, and keeps what it knows of the session", async () => {
    const { code, stderr, stdout } = await call(answers("FAIL\\n- wrong"), edit, new AbortController().signal)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^\{"systemMessage":"Codex on a: found problems\\n- wrong"/)
    assert.lengthOf(readdirSync(dir("state", "sessions")).filter((name) => name.endsWith(".json")), 1)
    const stop = await call("exit 1", { hook_event_name: "Stop" }, new AbortController().signal)
    assert.deepStrictEqual([stop.code, stop.stdout], [2, ""])
    assert.include(stop.stderr, "a: wrong")
  })

  it("says nothing where a signal ends it, and codex ends with it", async () => {
    const ending = new AbortController()
    const begun = dir("begun")
    const answer = call(`echo $$ >${begun}; exec sleep 600`, edit, ending.signal)
    while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 20))
    ending.abort()
    assert.deepStrictEqual(await answer, { stdout: "", stderr: "", code: 0 })
    assert.lengthOf(readdirSync(dir()).filter((name) => name.startsWith("ooda-hook-")), 0)
  })

  it("logs its own work into the file that was asked for, and into no other place", async () => {
    const log = dir("log")
    const { stdout } = await call(answers("PASS"), edit, new AbortController().signal, "--quiet", "--log", log)
    assert.deepStrictEqual([stdout, existsSync(log)], ["", true])
    const nowhere = await call(answers("PASS"), edit, new AbortController().signal, "--log", dir("none", "log"))
    assert.strictEqual(nowhere.code, 0)
  })
})
