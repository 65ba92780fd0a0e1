// The processes of this machine: read from /proc, identified by their start, and never a dead one.
import { spawn } from "node:child_process"
import { assert, describe, it } from "vitest"
import {
  bootId,
  environmentOf,
  lockLimitOf,
  parsePs,
  parseStat,
  processAt,
  processes
} from "../../../src/platform/Processes.ts"
import { eventually } from "./guard/processes.ts"

describe("a line of /proc/<pid>/stat", () => {
  const rest = (state: string) => `${state} 10 11 12 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 789 0 0`

  it("counts its fields behind the command's name, whatever that is", () => {
    for (const name of ["sh", "a b", ") Z 1 2", "))", ""]) {
      assert.deepStrictEqual(parseStat(`42 (${name}) ${rest("S")}`), { pid: 42, parent: 10, group: 11, start: "789" })
      assert.isNull(parseStat(`42 (${name}) ${rest("Z")}`))
      assert.isNull(parseStat(`42 (${name}) ${rest("X")}`))
    }
  })

  it("that is cut off names no process", () => assert.isNull(parseStat("42 (sh) S 10 11")))
})

describe("a line of ps", () => {
  const line = (state: string, rest = "") => `   42    10 11 ${state}   Fri Nov  6 14:03:26 2026${rest}`
  const start = "Fri_Nov_6_14_03_26_2026"

  it("is a process that lives, with its start in one word", () => {
    assert.deepInclude(parsePs(line("Ss+")), { pid: 42, parent: 10, group: 11, start })
    for (const state of ["Z", "Z+", "X"]) assert.isNull(parsePs(line(state)))
    assert.isNull(parsePs("   42    10 11 S   Fri Nov  6"))
    assert.isNull(parsePs(""))
  })

  it("has the values of a variable behind the command", () => {
    const found = parsePs(line("S", " sh -c A=1 sleep 9 A=2 B=x=y C="))
    assert.deepStrictEqual(found?.valuesOf("A"), ["1", "2"])
    assert.deepStrictEqual(found?.valuesOf("B"), ["x=y"])
    assert.deepStrictEqual(found?.valuesOf("C"), [""])
    assert.deepStrictEqual(found?.valuesOf("D"), [])
  })
})

describe("the process table", () => {
  it("has this process, its parent and its group", () => {
    const own = processAt(process.pid, process.env) ?? assert.fail("not found")
    assert.strictEqual(own.pid, process.pid)
    assert.strictEqual(own.parent, process.ppid)
    assert.match(own.start, /^\d+$/)
    assert.deepInclude(processes(process.env).find(({ pid }) => pid === process.pid), own)
  })

  it("has a child that lives, with its variables, and not one that is dead", async () => {
    const child = spawn("sleep", ["3600"], { stdio: "ignore", detached: true, env: { A: "1=2", AB: "", Z: "last" } })
    const pid = child.pid ?? assert.fail("not started")
    try {
      assert.deepInclude(processAt(pid, process.env), { pid, parent: process.pid, group: pid })
      // Between fork and exec it still has its parent's.
      await eventually("its own environment", () => environmentOf(pid, "A") !== null)
      assert.strictEqual(environmentOf(pid, "A"), "1=2")
      assert.strictEqual(environmentOf(pid, "AB"), "")
      assert.strictEqual(environmentOf(pid, "Z"), "last")
      assert.isNull(environmentOf(pid, "B"))
    } finally {
      child.kill("SIGKILL")
    }
    await eventually("its end", () => processAt(pid, process.env) === null)
    assert.isNull(environmentOf(pid, "A"))
  })

  it("is null for a number without a process", () => {
    assert.isNull(processAt(2 ** 22 + 1, process.env))
    assert.isNull(environmentOf(2 ** 22 + 1, "PATH"))
    assert.isNull(lockLimitOf(2 ** 22 + 1))
  })

  it("knows the boot", () => assert.match(bootId(process.env) ?? "", /^[0-9a-f-]{36}$/))
})
