// Jobs that an earlier version's wrapper guards are looked at, ended and followed like our own.
// The one rule: the wrappers of earlier versions are kept as they were, and what they write is read as it is.
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { readJournal } from "../../../../src/platform/guard/Journal.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"
import { type Bench, exited, living, lost, marked, sh, withBench } from "./guarded.ts"

const script = readFileSync(new URL("../../../../fixtures/wrapper/0.1.0.sh", import.meta.url), "utf8")

/** Starts a job as version 0.1.0 did. */
const startOld = (bench: Bench, order: Order): void => {
  const { exit, journal, lock, log, out } = order.files
  mkdirSync(bench.dir, { recursive: true })
  const fd = openSync(lock, "a", 0o600)
  assert.isTrue(flockDescriptors([fd], "exclusive", process.env))
  const told = [order.id, journal, log, out, exit, String(order.deadline), String(order.maxBytes), ...order.command]
  spawn("/bin/sh", ["-c", script, "ooda-reviewer", ...told], {
    cwd: bench.work,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", fd],
    env: { ...process.env, OODA_ATTEMPT: order.id }
  })
  closeSync(fd)
}

describe("a command that version 0.1.0 guards", () => {
  it("is alive, and ends with its status and its whole log", () =>
    withBench(async (bench) => {
      const order = bench.order(`echo told >&2; echo said; ${sh.waitFor(bench.path("go"))} exit 3`)
      startOld(bench, order)
      await bench.begun(order)
      assert.strictEqual((await bench.lookOnce(order))._tag, "Alive")
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(order), exited(3))
      assert.strictEqual(bench.read(order.files.log), "told\nsaid\n")
    }))

  it("is ended by its deadline, by its size, and by a stop", () =>
    withBench(async (bench) => {
      const late = bench.order(sh.children(1) + sh.forever, { deadline: 400 }, "a")
      const large = bench.order(`head -c 9000 /dev/zero; ${sh.forever}`, { maxBytes: 1000 }, "b")
      const stopped = bench.order(sh.ignoreTerm + sh.children(1) + sh.stubborn + sh.forever, {}, "c")
      for (const order of [late, large, stopped]) startOld(bench, order)
      await bench.begun(stopped)
      await bench.stop(stopped)
      assert.deepStrictEqual(marked(stopped.id), [])
      const ended = await bench.lookOnce(stopped)
      assert.include([137, 143], ended._tag === "Exited" ? ended.status : null)
      assert.deepStrictEqual(await bench.ended(late), exited(143, "deadline"))
      assert.deepStrictEqual(await bench.ended(large), exited(143, "oversize"))
    }))

  it("and whose wrapper was killed is lost, with nothing of it left", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.children(1) + sh.stubborn + sh.forever)
      startOld(bench, order)
      process.kill((await bench.begun(order)).wrapper.pid, "SIGKILL")
      assert.deepStrictEqual(await bench.ended(order), lost)
      assert.deepStrictEqual(marked(order.id), [])
    }))

  it("gives way to the next job in its place", () =>
    withBench(async (bench) => {
      const first = bench.order(sh.forever)
      startOld(bench, first)
      const { wrapper } = await bench.begun(first)
      const moves = [{ from: first.files.exit, to: bench.path("kept") }]
      const second = bench.order("", { earlier: [{ id: "", files: first.files, moves }] }, "a", 2)
      await bench.launch(second)
      assert.isFalse(living(wrapper.pid))
      assert.deepStrictEqual(await bench.ended(second), exited(0))
      assert.strictEqual(bench.read(bench.path("kept")), "143\n")
    }))
})

describe("the journal of version 0.1.0", () => {
  const boot = bootId() ?? assert.fail("no boot id")

  it("is what our own wrapper writes, too, and the end behind it", () =>
    withBench(async (bench) => {
      const [one, other] = [bench.order(sh.forever, {}, "a"), bench.order(sh.forever, {}, "b")]
      startOld(bench, one)
      await bench.launch(other)
      await Promise.all([bench.begun(one), bench.begun(other)])
      await bench.stop(one, other)
      for (const { files, id } of [one, other]) {
        const journal = readJournal(files.journal)
        assert.isTrue(journal._tag === "Started" && journal.group !== null)
        if (journal._tag !== "Started") return
        const { group, wrapper } = journal
        assert.strictEqual(
          bench.read(files.journal),
          [
            `attempt ${id} ${wrapper.pid} ${wrapper.ticks} ${boot}\n`,
            `group ${group?.pgid} ${group?.ticks}\n`,
            "stopped TERM\n",
            ...(id === other.id ? ["ended 143 0 0\n"] : [])
          ].join("")
        )
      }
    }))

  it("with its noted stalls goes on to count from them", () =>
    withBench(async (bench) => {
      const job = bench.job()
      mkdirSync(bench.dir, { recursive: true })
      const since = Date.now() - 600_000
      const first = `attempt ${job.id} ${process.pid} ${processAt(process.pid)?.ticks} ${boot}\n`
      writeFileSync(job.files.journal, `${first}silent 6 ${since}\nnetwork 6 ${since}\n`)
      writeFileSync(job.files.log, "begun\nwaits\nwaits\n")
      const sighting = await bench.lookOnce(job)
      assert.isAtLeast(sighting._tag === "Alive" ? sighting.silentFor : 0, 600_000)
      assert.isAtLeast(sighting._tag === "Alive" ? sighting.waitingForNetwork : 0, 600_000)
    }, { file: "log", stalledTail: (text) => ({ from: text.indexOf("waits"), waits: 2, cut: false }) }))
})
