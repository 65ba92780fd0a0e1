// The processes of this machine: read from /proc, told apart by their start, and never a dead one.
import { spawn } from "node:child_process"
import { assert, describe, it } from "vitest"
import { bootId, environmentOf, lockLimitOf, parseStat, processAt, processes } from "../../../src/platform/Processes.ts"
import { eventually } from "./guard/processes.ts"

describe("a line of /proc/<pid>/stat", () => {
  const rest = (state: string) => `${state} 10 11 12 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 789 0 0`

  it("counts its fields behind the command's name, whatever that is", () => {
    for (const name of ["sh", "a b", ") Z 1 2", "))", ""]) {
      assert.deepStrictEqual(parseStat(`42 (${name}) ${rest("S")}`), { pid: 42, parent: 10, group: 11, ticks: "789" })
      assert.isNull(parseStat(`42 (${name}) ${rest("Z")}`))
      assert.isNull(parseStat(`42 (${name}) ${rest("X")}`))
    }
  })

  it("that is cut off names no process", () => assert.isNull(parseStat("42 (sh) S 10 11")))
})

describe("the process table", () => {
  it("has this process, its parent and its group", () => {
    const own = processAt(process.pid) ?? assert.fail("not found")
    assert.strictEqual(own.pid, process.pid)
    assert.strictEqual(own.parent, process.ppid)
    assert.match(own.ticks, /^\d+$/)
    assert.deepStrictEqual(processes().find(({ pid }) => pid === process.pid), own)
  })

  it("has a child that lives, with its variables, and not one that is dead", async () => {
    const child = spawn("sleep", ["3600"], { stdio: "ignore", detached: true, env: { A: "1=2", AB: "", Z: "last" } })
    const pid = child.pid ?? assert.fail("not started")
    try {
      assert.deepInclude(processAt(pid), { pid, parent: process.pid, group: pid })
      // Between fork and exec it still has its parent's.
      await eventually("its own environment", () => environmentOf(pid, "A") !== null)
      assert.strictEqual(environmentOf(pid, "A"), "1=2")
      assert.strictEqual(environmentOf(pid, "AB"), "")
      assert.strictEqual(environmentOf(pid, "Z"), "last")
      assert.isNull(environmentOf(pid, "B"))
    } finally {
      child.kill("SIGKILL")
    }
    await eventually("its end", () => processAt(pid) === null)
    assert.isNull(environmentOf(pid, "A"))
  })

  it("knows nothing of a number that no process has", () => {
    assert.isNull(processAt(2 ** 22 + 1))
    assert.isNull(environmentOf(2 ** 22 + 1, "PATH"))
    assert.isNull(lockLimitOf(2 ** 22 + 1))
  })

  it("knows the boot", () => assert.match(bootId() ?? "", /^[0-9a-f-]{36}$/))
})
