// The demonstrations run as they stand in package.json: each checks what it shows, and ends with 0 only when it holds.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { ROOT } from "./support.ts"

const shown = (script: string) =>
  spawnSync(process.execPath, [join(ROOT, "scripts", script)], { cwd: ROOT, encoding: "utf8", timeout: 170_000 })

describe("the demonstrations", () => {
  it.each(["demo.mjs", "demo-plan.mjs"])("%s goes as expected", (script) => {
    const { status, stderr, stdout } = shown(script)
    assert.strictEqual(status, 0, `${stdout}\n${stderr}`)
    assert.match(stdout, /^\$ ooda-codex-review audit$/m)
  }, 180_000)
})
