// Liveness: whether a recorded process lives, whether anybody holds a lock, and what lives of a job.
// A process is signalled only while it is who it was.
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"
import type { StartedJournal } from "../../../../src/platform/guard/Journal.ts"
import {
  leads,
  lives,
  livingOf,
  locksHeld,
  mark,
  signalGroup,
  signalProcess
} from "../../../../src/platform/guard/Liveness.ts"
import { eventually, kill, living } from "./processes.ts"

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

describe("the processes of a job", () => {
  const started = (id: string, pid: number, group: StartedJournal["group"] = null): StartedJournal => ({
    _tag: "Started",
    wrapper: { id, pid, start: processAt(pid, process.env)?.start ?? null, boot: null },
    line: null,
    group,
    struck: [],
    stalls: [],
    lost: false,
    end: null
  })

  const ticksOf = (pid: number) => processAt(pid, process.env)?.start ?? assert.fail("it does not live")
  const pidOf = (child: ChildProcess) => child.pid ?? assert.fail("not started")
  const gone = 2 ** 22 + 1

  const withTree = async (use: (tree: { readonly id: string; readonly leader: number }) => Promise<void>) => {
    const id = randomUUID()
    // A leader with a child in its group and one in a session of its own.
    const child = spawn("/bin/sh", ["-c", "sleep 3600 & setsid sleep 3600 & wait"], {
      detached: true,
      stdio: "ignore",
      env: { ...process.env, [mark]: id }
    })
    const leader = pidOf(child)
    try {
      // The third process leaves the group a moment after it is there.
      await eventually("the tree", () => {
        const { others } = livingOf([started(id, gone)], process.env)
        return others.length >= 3 && others.some(({ group }) => group !== leader)
      })
      await use({ id, leader })
    } finally {
      for (const { pid } of livingOf([started(id, gone)], process.env).others) kill(pid)
      await eventually("its end", () => livingOf([started(id, gone)], process.env).others.length === 0)
    }
  }

  describe("what lives of a job", () => {
    it("is found by its mark, also out of its group", () =>
      withTree(async ({ id, leader }) => {
        const { others, wrappers } = livingOf([started(id, gone)], process.env)
        assert.lengthOf(others, 3)
        assert.lengthOf(others.filter(({ group }) => group === leader), 2)
        assert.deepStrictEqual(wrappers, [])
      }))

    it("is found by its group and its descent, without a mark", () =>
      withTree(async ({ leader }) => {
        const group = { pgid: leader, start: ticksOf(leader) }
        assert.lengthOf(livingOf([started("", gone, group)], process.env).others, 3)
        // The number of a group proves nothing when another leads it now.
        assert.lengthOf(livingOf([started("", gone, { ...group, start: "1" })], process.env).others, 0)
      }))

    it("separates the wrapper and its helpers from the rest", () =>
      withTree(async ({ id, leader }) => {
        const { others, wrappers } = livingOf([started(id, leader)], process.env)
        assert.lengthOf(wrappers, 2)
        assert.lengthOf(others, 1)
      }))

    it("is never this process, nor anything of a job without an id", () => {
      const own = { pgid: processAt(process.pid, process.env)?.group ?? 0, start: null }
      assert.notInclude(livingOf([started("", gone, own)], process.env).others.map(({ pid }) => pid), process.pid)
      assert.deepStrictEqual(livingOf([started("", gone)], process.env), { wrappers: [], others: [] })
    })
  })

  describe("a signal", () => {
    it("reaches the process that was seen, and no later one of its number", async () => {
      const child = spawn("sleep", ["3600"], { stdio: "ignore" })
      const pid = pidOf(child)
      const seen = processAt(pid, process.env) ?? assert.fail("it does not live")
      signalProcess({ ...seen, start: "1" }, "SIGKILL", process.env)
      assert.isTrue(living(pid))
      signalProcess(seen, "SIGKILL", process.env)
      await eventually("its end", () => !living(pid))
      signalProcess(seen, "SIGKILL", process.env)
    })

    it("reaches the group that its leader still leads", () =>
      withTree(async ({ leader }) => {
        const group = { pgid: leader, start: ticksOf(leader) }
        assert.isTrue(leads(group, process.env))
        signalGroup({ ...group, start: "1" }, "SIGKILL", process.env)
        assert.isTrue(living(leader))
        signalGroup(group, "SIGKILL", process.env)
        await eventually("the leader's end", () => !living(leader))
        assert.isFalse(leads(group, process.env))
        signalGroup(group, "SIGKILL", process.env)
      }))
  })
})
