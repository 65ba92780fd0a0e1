// The living processes of jobs: found by mark, group and descent; signalled only while they are who they were.
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "vitest"
import type { StartedJournal } from "../../../../src/platform/guard/Journal.ts"
import { leads, livingOf, mark, signalGroup, signalProcess } from "../../../../src/platform/guard/Liveness.ts"
import { processAt } from "../../../../src/platform/Processes.ts"
import { eventually, kill, living } from "./processes.ts"

const started = (id: string, pid: number, group: StartedJournal["group"] = null): StartedJournal => ({
  _tag: "Started",
  wrapper: { id, pid, start: processAt(pid, process.env)?.start ?? null, boot: null },
  line: null,
  group,
  struck: [],
  stalls: [],
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

  it("tells the wrapper and its helpers from the rest", () =>
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
