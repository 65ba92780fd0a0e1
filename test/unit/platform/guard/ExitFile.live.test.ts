// The exit file: a status or nothing, and never half of one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { exitStatus } from "../../../../src/platform/guard/Journal.ts"

const dir = mkdtempSync(join(tmpdir(), "ooda-exit-"))
afterAll(() => rmSync(dir, { recursive: true }))

describe("an exit file", () => {
  it.each([["0\n", 0], ["7\n", 7], ["143\n", 143]])("%j is a status", (text, status) => {
    writeFileSync(join(dir, "exit"), text)
    assert.strictEqual(exitStatus(join(dir, "exit")), status)
  })

  it.each(["", "0", "\n", "-1\n", "1234\n", "1\n2\n", "x\n", " 0\n"])("%j is none", (text) => {
    writeFileSync(join(dir, "exit"), text)
    assert.isNull(exitStatus(join(dir, "exit")))
  })

  it("that is not there is none, and one that cannot be read is a fault", () => {
    assert.isNull(exitStatus(join(dir, "missing")))
    assert.throws(() => exitStatus(dir), /EISDIR/)
  })
})
