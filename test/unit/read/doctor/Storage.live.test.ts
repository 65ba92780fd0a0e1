// A place for runs: written and locked for real, in a scratch directory that is gone afterwards.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { storageFacts } from "../../../../src/read/doctor/Machine.live.ts"

let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ooda-storage-"))
})
afterEach(() => {
  chmodSync(dir, 0o700)
  rmSync(dir, { recursive: true })
})

const root = process.getuid?.() === 0

describe("a place for runs", () => {
  it("that is there can be written and locked, and is left as it was", () => {
    const facts = storageFacts(dir, process.env)
    assert.deepInclude(facts, { root: dir, exists: true, writeProblem: null, lockProblem: null, network: false })
    assert.match(facts.fileSystem, /^[a-z0-9]+$|^type 0x/)
    assert.isEmpty(readdirSync(dir))
  })

  it("that is not there is tried in the nearest directory above it, and not made", () => {
    const path = join(dir, "not", "there")
    assert.deepInclude(storageFacts(path, process.env), { root: path, exists: false, writeProblem: null })
    assert.isFalse(existsSync(join(dir, "not")))
    assert.isEmpty(readdirSync(dir))
  })

  it.skipIf(root)("that cannot be written says why", () => {
    chmodSync(dir, 0o500)
    assert.deepInclude(storageFacts(dir, process.env), {
      writeProblem: "no permission (EACCES: mkdtemp)",
      lockProblem: null
    })
  })

  it("where no program can lock says so, and is left as it was", () => {
    mkdirSync(join(dir, "bin"))
    const { lockProblem } = storageFacts(dir, { PATH: join(dir, "bin") })
    assert.strictEqual(lockProblem?.kind, "NoProgram")
    assert.match(lockProblem?.text ?? "", /^none of flock, perl and python3/)
    assert.deepStrictEqual(readdirSync(dir), ["bin"])
  })
})
