// What may befall a job between the caller's record of it and its exit file: exactly one fate counts.
// The one rule: whatever is killed here, a job is neither doubled nor awaited for ever.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import type { Job } from "../../../../src/platform/guard/Job.ts"
import { fence } from "../../../../src/platform/guard/Journal.ts"
import { type Memory, sightings } from "../../../../src/platform/guard/Look.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"
import { type Bench, eventually, exited, living, lost, marked, sh, talking, unstarted, withBench } from "./guarded.ts"

describe("a wrapper that is killed", () => {
  it("is recognised, and its orphans are ended before the job counts as lost", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.ignoreTerm + sh.children(2) + sh.stubborn + sh.mark(bench.path("pid")) + sh.forever)
      await bench.launch(order)
      const { wrapper } = await bench.begun(order)
      await eventually("the command at work", () => existsSync(bench.path("pid")))
      process.kill(wrapper.pid, "SIGKILL")
      await eventually("the wrapper's end", () => !living(wrapper.pid))
      assert.isAbove(marked(order.id).length, 5)
      assert.deepStrictEqual(await bench.ended(order), lost)
      assert.deepStrictEqual(marked(order.id), [])
      assert.isFalse(existsSync(order.files.exit))
      bench.later()
      assert.deepStrictEqual(await bench.lookOnce(order), lost)
    }))

  it("is only reported by a look that must not act", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.forever)
      await bench.launch(order)
      const { group, wrapper } = await bench.begun(order)
      process.kill(wrapper.pid, "SIGKILL")
      await eventually("the wrapper's end", () => !living(wrapper.pid))
      // A helper forked that instant may hold the lock until it has closed it.
      while ((await bench.lookOnce(order, false))._tag === "Alive") assert.isTrue(living(group.pgid))
      assert.deepStrictEqual(await bench.lookOnce(order, false), lost)
      assert.isTrue(living(group.pgid))
      assert.deepStrictEqual(await bench.ended(order), lost)
      assert.isFalse(living(group.pgid))
    }))

  it("together with its command is recognised too", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.mark(bench.path("pid")) + sh.forever)
      await bench.launch(order)
      const { group, wrapper } = await bench.begun(order)
      await eventually("the command in its session", () => existsSync(bench.path("pid")))
      process.kill(wrapper.pid, "SIGKILL")
      process.kill(-group.pgid, "SIGKILL")
      assert.deepStrictEqual(await bench.ended(order), lost)
    }))
})

describe("a journal that names a process", () => {
  const journal = (bench: Bench, { files, id }: Job, pid: number, start: string, boot: string) => {
    mkdirSync(bench.dir, { recursive: true })
    writeFileSync(files.journal, `attempt ${id} ${pid} ${start} ${boot}\ngroup ${pid} ${start}\n`)
  }
  const boot = bootId(process.env) ?? assert.fail("no boot id")
  const mine = processAt(process.pid, process.env)?.start ?? assert.fail("no start start")

  it("is not taken in by a later process of the same number", () =>
    withBench(async (bench) => {
      const job = bench.job()
      journal(bench, job, process.pid, String(Number(mine) + 1), boot)
      assert.deepStrictEqual(await bench.lookOnce(job), lost)
      await bench.stop(job)
    }))

  it("is not taken in by the same number and time in another boot", () =>
    withBench(async (bench) => {
      const job = bench.job()
      journal(bench, job, process.pid, mine, "00000000-0000-0000-0000-000000000000")
      assert.deepStrictEqual(await bench.lookOnce(job), lost)
    }))

  it("is not taken in by a zombie", () =>
    withBench(async (bench) => {
      // The shell becomes a program that never waits for the child it has; the child outlives that change.
      const script = "sleep 0.5 & echo $!; exec sleep 3600"
      const parent = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] })
      try {
        let said = ""
        parent.stdout.on("data", (part: Buffer) => (said += part.toString()))
        const pid = Number(await eventually("the child's number", () => said.trim()))
        const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1")
        await eventually("a zombie", () => / Z /.test(stat()))
        const job = bench.job()
        journal(bench, job, pid, stat().split(" ")[21] ?? "", boot)
        assert.deepStrictEqual(await bench.lookOnce(job), lost)
      } finally {
        parent.kill("SIGKILL")
      }
    }))

  it("has ended as its exit file says, if it has one", () =>
    withBench(async (bench) => {
      const job = bench.job()
      journal(bench, job, 2 ** 22 + 1, "1", boot)
      writeFileSync(job.files.exit, "0\n")
      assert.deepStrictEqual(await bench.lookOnce(job), exited(0))
      // Its wrapper may still be on its way out.
      const leaving = bench.job("b")
      journal(bench, leaving, process.pid, mine, boot)
      writeFileSync(leaving.files.exit, "7\n")
      assert.deepStrictEqual(await bench.lookOnce(leaving), exited(7))
    }))
})

describe("a job without a journal", () => {
  it("is fenced after a grace, and a wrapper that comes late runs nothing", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.mark(bench.path("pid")))
      assert.strictEqual((await bench.lookOnce(order))._tag, "Alive")
      assert.deepStrictEqual(await bench.ended(order), unstarted)
      assert.strictEqual(bench.read(order.files.journal), `fenced ${order.id}\n`)
      await bench.launch(order)
      await eventually("the late wrapper's end", () => marked(order.id).length === 0)
      assert.isFalse(existsSync(bench.path("pid")))
      assert.isFalse(existsSync(order.files.log))
      assert.deepStrictEqual(await bench.lookOnce(order), unstarted)
    }))

  it("is not fenced by a look that must not act", () =>
    withBench(async (bench) => {
      const job = bench.job()
      assert.strictEqual((await bench.lookOnce(job, false))._tag, "Alive")
      assert.isFalse(existsSync(job.files.journal))
    }))

  it("is fenced on time by a clock that goes back between the looks", () =>
    withBench(async (bench) => {
      const job = bench.job()
      mkdirSync(bench.dir, { recursive: true })
      const memories = new Map<string, Memory>()
      const at = (now: number) =>
        sightings([job], memories, { transcript: talking, now, leapt: 0, acting: true, env: process.env })[0]?._tag
      assert.deepStrictEqual([at(1_000_000), at(600_000), at(602_999)], ["Alive", "Alive", "Alive"])
      assert.strictEqual(at(603_500), "Unstarted")
    }))

  it("whose journal has no whole line was killed before it ran anything", () =>
    withBench(async (bench) => {
      const job = bench.job()
      mkdirSync(bench.dir, { recursive: true })
      writeFileSync(job.files.journal, "attempt 12")
      assert.deepStrictEqual(await bench.ended(job), unstarted)
      await bench.stop(job)
    }))

  it("either runs or is fenced, never both and never neither", { tags: "slow" }, () =>
    withBench(async (bench) => {
      const fates = new Set<string>()
      for (let turn = 1; turn <= 40; turn += 1) {
        const pid = bench.path(`pid-${turn}`)
        const order = bench.order(sh.mark(pid), {}, `p${turn}`)
        const started = bench.launch(order)
        const fenceNow = async () => {
          for (let pause = 0; pause < turn * 4; pause += 1) await null
          if (turn % 2 === 0) await started
          if (turn % 10 === 0) await bench.begun(order)
          return fence(order)
        }
        const [fenced] = await Promise.all([fenceNow(), started])
        const sighting = await bench.ended(order)
        await eventually("the wrapper's end", () => marked(order.id).length === 0)
        assert.strictEqual(existsSync(pid), !fenced)
        assert.strictEqual(sighting._tag, fenced ? "Unstarted" : "Exited")
        fates.add(sighting._tag)
      }
      assert.deepStrictEqual([...fates].sort(), ["Exited", "Unstarted"])
    }))
})

describe("two processes that look at once", () => {
  it("see the same end of every job, and none too early", () =>
    withBench(async (bench) => {
      const orders = Array.from({ length: 12 }, (_, index) => bench.order("echo done", {}, `p${index}`))
      await bench.launch(...orders)
      const one = Promise.all(orders.map((order) => bench.ended(order)))
      bench.later()
      const other = Promise.all(orders.map((order) => bench.ended(order)))
      assert.deepStrictEqual(await one, orders.map(() => exited(0)))
      assert.deepStrictEqual(await other, await one)
    }))
})
