// How jobs are ended by whoever wants them ended: nothing of them survives, wherever it went.
// The one rule: survivors are counted by the mark in their environment, over all of /proc.
import { spawn } from "node:child_process"
import { existsSync, openSync, closeSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import { readJournal } from "../../../../src/platform/guard/Journal.ts"
import { stopAll } from "../../../../src/platform/guard/Stop.ts"
import { processAt } from "../../../../src/platform/Processes.ts"
import { eventually, exited, fault, living, marked, sh, unstarted, withBench } from "./guarded.ts"

/** Part of a shell script, without apostrophes. */
const orphan = (pid: string) => `exec </dev/null >/dev/null 2>&1; echo $$ >${pid}; sleep 3600; :`

const everything = sh.children(2) + sh.stubborn

describe.concurrent("a stop", () => {
  it("ends the whole tree, in its group and in other sessions", () =>
    withBench(async (bench) => {
      const script = everything + sh.mark(bench.path("pids")) + sh.forever
      const orders = ["a", "b", "c"].map((place) => bench.order(script, {}, place))
      await bench.launch(...orders)
      await eventually("three at work", () =>
        existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 3)
      for (const { id } of orders) {
        await eventually("all its children", () =>
          marked(id).length >= 7)
      }
      await bench.stop(...orders)
      for (const { id } of orders) assert.deepStrictEqual(marked(id), [])
      for (const order of orders) {
        assert.deepStrictEqual(await bench.lookOnce(order), exited(143))
        const journal = readJournal(order.files.journal)
        assert.deepStrictEqual(journal._tag === "Started" ? journal.struck : null, ["stopped"])
      }
    }))

  it("ends what ignores SIGTERM after a grace", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.ignoreTerm + everything + sh.mark(bench.path("pid")) + sh.forever)
      await bench.launch(order)
      await eventually("the command at work", () => existsSync(bench.path("pid")))
      await bench.stop(order)
      assert.deepStrictEqual(marked(order.id), [])
      assert.deepStrictEqual(await bench.lookOnce(order), exited(137))
    }))

  it("reaches children that dropped their environment", () =>
    withBench(async (bench) => {
      const pid = bench.path("pid")
      const child = `setsid env -i /bin/sh -c 'echo $$ >${pid}; trap "" TERM; sleep 3600; :'`
      const order = bench.order(`${child} & wait; :`)
      await bench.launch(order)
      const unmarked = Number(await eventually("the child", () => existsSync(pid) && bench.read(pid).trim()))
      assert.notInclude(marked(order.id), unmarked)
      await bench.stop(order)
      assert.isFalse(living(unmarked))
    }))

  it("reaches an orphan without variables and open files, in a session of its own", () =>
    withBench(async (bench) => {
      const pid = bench.path("pid")
      const order = bench.order(`( env -i setsid sh -c '${orphan(pid)}' & ); ${sh.forever}`)
      await bench.launch(order)
      const child = Number(await eventually("the child", () => existsSync(pid) && bench.read(pid).trim()))
      await eventually("an orphan", () => {
        const known = marked(order.id)
        return !known.includes(child) && !known.includes(processAt(child, process.env)?.parent ?? 0)
      })
      assert.isAbove(await bench.stop({ ...order, id: "" }), 0)
      assert.isFalse(living(child))
    }))

  it("keeps a job that has not begun from ever beginning", () =>
    withBench(async (bench) => {
      const job = bench.job()
      await bench.stop(job)
      assert.deepStrictEqual(await bench.lookOnce(job), unstarted)
      assert.strictEqual(bench.read(job.files.journal), `fenced ${job.id}\n`)
    }))

  it(
    "right after the start, at any moment, leaves nothing and never hangs",
    { tags: "slow" },
    () =>
      withBench(async (bench) => {
        for (let turns = 3; turns <= 36; turns += 3) {
          const order = bench.order(sh.children(1) + sh.forever, {}, `p${turns}`)
          await bench.launch(order)
          for (let turn = 0; turn < turns; turn += 1) await bench.lookOnce(order)
          await bench.stop(order)
          assert.deepStrictEqual(marked(order.id), [])
          assert.include(["Exited", "Unstarted"], (await bench.lookOnce(order))._tag)
        }
      })
  )

  it("of what has ended, twice, or known by its files alone, does nothing", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      await bench.launch(order)
      const sighting = await bench.ended(order)
      await bench.stop({ ...order, id: "" })
      await bench.stop(order, order)
      assert.deepStrictEqual(await bench.lookOnce(order), sighting)
    }))

  it(
    "says so when somebody unseen holds the lock, and calls it as the caller does",
    { tags: "slow" },
    () =>
      withBench(async (bench) => {
        const order = bench.order("")
        await bench.launch(order)
        await bench.ended(order)
        const fd = openSync(order.files.lock, "a")
        try {
          await eventually("the lock", () => flockDescriptors([fd], "exclusive", process.env))
          assert.strictEqual(
            await fault(Effect.runPromise(stopAll([order], "stopping 1 agent"))),
            "stopping 1 agent: a process that cannot be seen from here still holds its lock; end it where it runs"
          )
        } finally {
          closeSync(fd)
        }
      })
  )

  it("leaves other processes of this user alone", () =>
    withBench(async (bench) => {
      const bystander = spawn("sleep", ["3600"], { stdio: "ignore" })
      try {
        const order = bench.order(sh.forever)
        await bench.launch(order)
        await bench.begun(order)
        await bench.stop(order)
        assert.isTrue(living(bystander.pid ?? 0))
      } finally {
        bystander.kill("SIGKILL")
      }
    }))
})
