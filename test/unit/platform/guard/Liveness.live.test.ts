// Whether a recorded process lives, and whether anybody holds a lock.
import { spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import { lives, locksHeld } from "../../../../src/platform/guard/Liveness.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"

const ticks = processAt(process.pid)?.ticks ?? assert.fail("no start ticks")
const me = { pid: process.pid, ticks, boot: bootId() }

describe("a recorded process", () => {
  it("lives while its number, its start and the boot are the recorded ones", () => {
    assert.isTrue(lives(me))
    assert.isTrue(lives({ ...me, boot: null }))
    assert.isFalse(lives({ ...me, ticks: String(Number(ticks) + 1) }))
    assert.isFalse(lives({ ...me, boot: "00000000-0000-0000-0000-000000000000" }))
  })

  it("without start ticks is known by its number alone", async () => {
    assert.isTrue(lives({ ...me, ticks: null }))
    const child = spawn("true", { stdio: "ignore" })
    await new Promise((resolve) => child.once("exit", resolve))
    assert.isFalse(lives({ pid: child.pid ?? 0, ticks: null, boot: null }))
    // Another user's process, which this one must not signal, lives too.
    assert.isTrue(lives({ pid: 1, ticks: null, boot: null }))
  })
})

describe("the locks", () => {
  it("are held or free each for itself, and a missing file is free", () => {
    const dir = mkdtempSync(join(tmpdir(), "ooda-liveness-"))
    const paths = ["held", "free", "missing", "held too"].map((name) => join(dir, name))
    const opened = [paths[0], paths[3]].map((path) => openSync(path ?? "", "a"))
    try {
      closeSync(openSync(paths[1] ?? "", "a"))
      assert.isTrue(flockDescriptors(opened, "exclusive", process.env))
      assert.deepStrictEqual(locksHeld(paths, process.env), [true, false, false, true])
      assert.deepStrictEqual(locksHeld([], process.env), [])
      // A look takes no lock away from anybody.
      assert.deepStrictEqual(locksHeld(paths, process.env), [true, false, false, true])
    } finally {
      for (const fd of opened) closeSync(fd)
      rmSync(dir, { recursive: true })
    }
  })
})
