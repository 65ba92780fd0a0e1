// The demonstration runs as README calls it: it checks what it shows, and ends with 0 only when it holds.
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { assert, inject, it } from "vitest"

it.runIf(inject("postgres") !== null)("npm run demo:fleet goes as expected", () => {
  const cwd = resolve(import.meta.dirname, "../..")
  const { status, stderr, stdout } = spawnSync("npm", ["run", "demo:fleet"], {
    cwd,
    encoding: "utf8",
    timeout: 170_000
  })
  assert.strictEqual(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /^Three fixed points, each proven by the audit of its export\.$/m)
}, 180_000)
