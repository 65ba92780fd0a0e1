// Reviewers from start to end with real processes: their files, their exit status, and who may see what when.
// The one rule: conditions are waited for, never slept for, and no test leaves a process behind.
import { existsSync, readdirSync, statSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { marked, withBench } from "./bench.ts"

describe("a reviewer", () => {
  it("leaves both streams, their sum and its status", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "issues 2")
    assert.deepStrictEqual(await bench.ended(attempt), { _tag: "Exited", status: 0, deadline: false, oversize: false })
    const { exit, log, out } = attempt.files
    const body = bench.read(out)
    assert.match(body, /^The patch has problems\.\n\nFull review comments:\n\n- \[P1\] Finding 1 — /)
    const whole = bench.read(log)
    assert.isTrue(whole.endsWith(`codex\n${body}${body}`))
    assert.match(whole, /^OpenAI Codex v/)
    assert.strictEqual(bench.read(exit), "0\n")
    for (const file of readdirSync(bench.dir)) assert.strictEqual(statSync(`${bench.dir}/${file}`).mode & 0o777, 0o600)
    assert.strictEqual(statSync(bench.dir).mode & 0o777, 0o700)
    assert.deepStrictEqual(marked(attempt.id), [])
  }))

  it.each([["exit 7", 7], ["signal TERM", 143], ["signal KILL", 137], ["fail no credit", 1]])(
    "that ends with %s has status %i",
    (scenario, status) => withBench(async (bench) => {
      const attempt = bench.attempt()
      await bench.launch([attempt], scenario)
      assert.deepStrictEqual(await bench.ended(attempt), { _tag: "Exited", status, deadline: false, oversize: false })
      assert.isTrue(existsSync(attempt.files.exit))
    })
  )
})
