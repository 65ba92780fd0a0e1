// `result` as a process: exit statuses and streams, for scripts.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { CLI } from "./world.ts"

const judged = (input: string | Buffer, ...argv: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [CLI, "result", "--task-id", "7", ...argv], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 26
  })
  return { status, stderr, stdout }
}
const pass = "role: worker\ntask_id: 7\nstatus: pass\ngit_range: a1..b2\n\nDone."

describe("result", () => {
  it("exits 0 for a pass, with one line", () =>
    assert.deepStrictEqual(judged(pass, "--role", "worker"), { status: 0, stderr: "", stdout: "pass: a1..b2\n" }))

  it("exits 1 for gaps and errors, with what is wrong", () => {
    const gaps = pass.replace("pass", "gaps").replace("git_range: a1..b2", "issues: red tests")
    assert.deepStrictEqual(judged(gaps, "--role", "worker"), { status: 1, stderr: "", stdout: "gaps: red tests\n" })
    assert.deepInclude(judged("FAILED: no disk", "--role", "worker"), { status: 1, stdout: "error: no disk\n" })
  })

  it("exits 6 for a message that is no result, and prints what asks for one", () => {
    const { status, stderr, stdout } = judged("Done.", "--role", "worker")
    assert.strictEqual(status, 6)
    assert.match(stdout, /^RETRY CONTEXT: [^]*\n---\n$/)
    assert.match(stderr, /^error: not a result: [^\n]+\n$/)
    assert.deepInclude(JSON.parse(judged("", "--role", "spec-reviewer", "--json").stdout), {
      grammar: "none",
      valid: false
    })
  })

  it("exits 6 with one line for more than a message", () =>
    assert.deepStrictEqual(judged(Buffer.alloc(17 * 1024 * 1024), "--role", "worker"), {
      status: 6,
      stdout: "",
      stderr: "error: standard input is longer than 16777216 bytes: give the agent's last message alone\n"
    }))

  it("is asked once more by the lines of the page, after exit 6 alone", { tags: "slow" }, () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/result-contract.md"), "utf8")
    const lines = /## Asking once more[^]*?```sh\n([^]*?)```/.exec(page)?.[1] ?? ""
    const dir = mkdtempSync(join(tmpdir(), "result-"))
    const program = `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`
    writeFileSync(join(dir, "ooda-codex-review"), program, { mode: 0o755 })
    const after = (message: string): string => {
      writeFileSync(join(dir, "message.txt"), message)
      writeFileSync(join(dir, "prompt.txt"), "The task.")
      const { status, stdout } = spawnSync("sh", ["-ec", `${lines}\ncat retry.txt 2>/dev/null || :`], {
        cwd: dir,
        encoding: "utf8",
        env: { ...process.env, PATH: `${dir}:${process.env["PATH"]}` }
      })
      assert.strictEqual(status, 0)
      return stdout
    }
    try {
      const gaps = pass.replace("pass", "gaps").replace("git_range: a1..b2", "issues: red tests")
      for (const message of [pass, gaps, "FAILED: no disk"]) assert.strictEqual(after(message), "")
      assert.match(after("Done."), /^RETRY CONTEXT: [^]*\n---\nThe task\.$/)
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})
