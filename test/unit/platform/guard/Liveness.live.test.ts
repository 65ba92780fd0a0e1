// Whether a recorded process lives, and whether anybody holds a lock.
import { spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import { lives, locksHeld } from "../../../../src/platform/guard/Liveness.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"

const start = processAt(process.pid, process.env)?.start ?? assert.fail("no start start")
const me = { pid: process.pid, start, boot: bootId(process.env) }

describe("a recorded process", () => {
  it("lives while its number, its start and the boot are the recorded ones", () => {
    assert.isTrue(lives(me, process.env))
    assert.isTrue(lives({ ...me, boot: null }, process.env))
    assert.isFalse(lives({ ...me, start: String(Number(start) + 1) }, process.env))
    assert.isFalse(lives({ ...me, boot: "00000000-0000-0000-0000-000000000000" }, process.env))
  })

  it("that nothing distinguishes from a later one is unknown while its number is in use", async () => {
    for (const start of [null, "Fri_Nov_27_14_54_26_2026"]) {
      assert.isNull(lives({ ...me, start }, process.env))
      const child = spawn("true", { stdio: "ignore" })
      await new Promise((resolve) => child.once("exit", resolve))
      assert.isFalse(lives({ pid: child.pid ?? 0, start, boot: null }, process.env))
      // Another user's process, which this one must not signal, is there too.
      assert.isNull(lives({ pid: 1, start, boot: null }, process.env))
    }
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
