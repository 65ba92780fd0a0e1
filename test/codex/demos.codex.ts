// The demonstrations run as README calls them: each checks what it shows, and ends with 0 only when it holds.
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { ROOT } from "./support.ts"

const shown = (line: string) => spawnSync("sh", ["-c", line], { cwd: ROOT, encoding: "utf8", timeout: 170_000 })

describe("the demonstrations", () => {
  it.each(["npm run demo", "npm run demo:plan"])("%s goes as expected", (line) => {
    const { status, stderr, stdout } = shown(line)
    assert.strictEqual(status, 0, `${stdout}\n${stderr}`)
    assert.match(stdout, /^\$ ooda-codex-review audit$/m)
  }, 180_000)
})
