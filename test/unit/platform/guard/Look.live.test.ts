// Look: what may befall a job between its record and its exit file, and for how long it has been silent.
// Whatever is killed here, a job is neither doubled nor awaited forever.
import { Clock, Effect } from "effect"
import { spawn } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { assert, describe, it } from "vitest"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"
import { makeGuard } from "../../../../src/platform/guard/Guard.ts"
import type { Job } from "../../../../src/platform/guard/Job.ts"
import { fence, readJournal } from "../../../../src/platform/guard/Journal.ts"
import { type Memory, progressOf, sightings, type Transcript } from "../../../../src/platform/guard/Look.ts"
import {
  type Bench,
  eventually,
  exited,
  living,
  lost,
  marked,
  sh,
  talking,
  unstarted,
  withBench,
  withBench as withAnyBench
} from "./guarded.ts"

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

describe("progress", () => {
  const minute = 60_000
  const retry = "retrying\n"

  /** Lines that say `retrying` are no progress; each of them waits for the network. */
  const stalledTail: Transcript["stalledTail"] = (text) => {
    const tail = /(?:^|\n)((?:retrying\n)+)$/.exec(text)?.[1]
    if (tail === undefined) return null
    const from = text.length - tail.length
    return { from, waits: tail.length / retry.length, cut: from === 0 }
  }

  const transcript: Transcript = { file: "log", stalledTail }

  const withBench = (use: (bench: Bench) => Promise<void>, file: Transcript["file"] = "log") =>
    withAnyBench(use, { file, stalledTail })

  /** A living job whose files are written by the test. */
  const imitate = (bench: Bench, place = "a"): Job => {
    const job = bench.job(place)
    mkdirSync(bench.dir, { recursive: true })
    const start = processAt(process.pid, process.env)?.start
    writeFileSync(job.files.journal, `attempt ${job.id} ${process.pid} ${start} ${bootId(process.env)}\n`)
    for (const file of [job.files.out, job.files.log]) {
      writeFileSync(file, "")
      utimesSync(file, 0, 0)
    }
    return job
  }

  /** Writes to a file as if that had been `ago` milliseconds before now. */
  const write = (file: string, text: string, ago: number): void => {
    appendFileSync(file, text)
    const at = (Date.now() - ago) / 1000
    utimesSync(file, at, at)
  }

  const alive = async (bench: Bench, job: Job, acting = true) => {
    const sighting = await bench.lookOnce(job, acting)
    return sighting._tag === "Alive" ? sighting : assert.fail(sighting._tag)
  }

  const about = (actual: number, expected: number): void => {
    assert.isAtLeast(actual, expected - 100)
    assert.isAtMost(actual, expected + 5000)
  }

  /** A clock of the wall that does not go as time passes; both in milliseconds. */
  const clockAt = (wall: number, passed: number): Clock.Clock => {
    const [nanos, steady] = [BigInt(wall) * 1_000_000n, BigInt(passed) * 1_000_000n]
    return {
      currentTimeMillisUnsafe: () => wall,
      currentTimeMillis: Effect.succeed(wall),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => steady,
      monotonicTimeNanos: Effect.succeed(steady),
      sleep: () => Effect.void
    }
  }

  describe("the silence of a command", () => {
    it("counts from the last change of its transcript, for every process that looks", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, "begun\n", 7 * minute)
        const seen = await alive(bench, job)
        about(seen.silentFor, 7 * minute)
        assert.strictEqual(seen.waitingForNetwork, 0)
        assert.strictEqual(seen.bytes, 6)
        bench.later()
        about((await alive(bench, job)).silentFor, 7 * minute)
        write(job.files.log, "more\n", 0)
        about((await alive(bench, job)).silentFor, 0)
      }))

    it("counts anew where the clock has jumped ahead, since nothing could be written in the time that was skipped", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, retry.repeat(3), minute)
        const real = Date.now()
        const guard = makeGuard(transcript)
        const seen = (wall: number, passed: number) =>
          guard.look([job], "looking", { acting: true }).pipe(
            Effect.provideService(Clock.Clock, clockAt(real + wall, passed)),
            Effect.runPromise
          ).then(([one]) => one?._tag === "Alive" ? [one.silentFor, one.waitingForNetwork] : assert.fail(one?._tag))
        const isAbout = (actual: ReadonlyArray<number>, expected: number) =>
          actual.forEach((one) => about(one, expected))
        isAbout(await seen(0, 0), minute)
        isAbout(await seen(minute, minute), 2 * minute)
        isAbout(await seen(61 * minute, minute), 0)
        isAbout(await seen(64 * minute, 4 * minute), 3 * minute)
        isAbout(await seen(4 * minute, 5 * minute), 0)
      }))

    it("counts from the start while there is no transcript", () =>
      withBench(async (bench) => {
        const { files } = bench.job()
        mkdirSync(bench.dir, { recursive: true })
        writeFileSync(files.journal, "")
        utimesSync(files.journal, 1000, 1000)
        const { progress } = progressOf(files, transcript, { now: 1_060_000, leapt: 0, last: null, note: true })
        assert.deepStrictEqual(progress, { silentFor: minute, waitingForNetwork: 0, bytes: 0 })
      }))

    it.each([["log", "out"], ["out", "log"]] as const)(
      "in a transcript that is its %s is broken by any line in its %s, and continues through stalled lines",
      (file, other) =>
        withBench(async (bench) => {
          const job = imitate(bench)
          write(job.files[file], "begun\n", 30 * minute)
          await alive(bench, job)
          write(job.files[file], retry.repeat(3), 9 * minute)
          about((await alive(bench, job)).silentFor, 30 * minute)
          write(job.files[other], retry, 2 * minute)
          const seen = await alive(bench, job)
          about(seen.silentFor, 2 * minute)
          about(seen.waitingForNetwork, 9 * minute)
          assert.strictEqual(seen.bytes, 6 + 4 * retry.length)
        }, file)
    )

    it("in a transcript of its own is not broken by the other file", () =>
      withAnyBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.out, "begun\n", 30 * minute)
        write(job.files.log, "a warning\n", 0)
        about((await alive(bench, job)).silentFor, 30 * minute)
      }, { file: "out", alone: true, stalledTail }))

    it("continues through stalled lines, and over to later processes", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, "begun\nasked\n", 30 * minute)
        about((await alive(bench, job)).silentFor, 30 * minute)
        write(job.files.log, retry, 20 * minute)
        const first = await alive(bench, job)
        about(first.silentFor, 30 * minute)
        // One such line may be in a file that the command quotes.
        assert.strictEqual(first.waitingForNetwork, 0)
        write(job.files.log, retry + retry, 4 * minute)
        bench.later()
        const second = await alive(bench, job)
        about(second.silentFor, 30 * minute)
        about(second.waitingForNetwork, 20 * minute)
        write(job.files.log, "back again\n", minute)
        const third = await alive(bench, job)
        about(third.silentFor, minute)
        assert.strictEqual(third.waitingForNetwork, 0)
        write(job.files.log, retry + retry, 0)
        about((await alive(bench, job)).silentFor, minute)
        about((await alive(bench, job)).waitingForNetwork, 0)
      }))

    it("that no one saw begin counts from the latest line, not too early", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, "begun\n" + retry.repeat(9), 3 * minute)
        const first = await alive(bench, job)
        about(first.silentFor, 3 * minute)
        about(first.waitingForNetwork, 3 * minute)
        write(job.files.log, retry, 0)
        bench.later()
        about((await alive(bench, job)).silentFor, 3 * minute)
        about((await alive(bench, job)).waitingForNetwork, 3 * minute)
      }))

    it("is not forgotten when the stalled end outgrows what is read", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, "begun\n" + retry.repeat(2), 3 * minute)
        await alive(bench, job)
        write(job.files.log, retry.repeat(9000), 0)
        // The window of what is read begins within a line, and then that line may be anything.
        const cutting: Transcript = {
          file: "log",
          stalledTail: (text) => ({ from: text.indexOf("\n") + 1, waits: 9, cut: true })
        }
        const { progress } = progressOf(job.files, cutting, { now: Date.now(), leapt: 0, last: null, note: true })
        about(progress.silentFor, 3 * minute)
        about(progress.waitingForNetwork, 3 * minute)
        const journal = readJournal(job.files.journal)
        assert.lengthOf(journal._tag === "Started" ? journal.stalls : [], 2)
      }))

    it("is not noted by a look that must not act", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        const before = bench.read(job.files.journal)
        write(job.files.log, retry.repeat(3), 3 * minute)
        about((await alive(bench, job, false)).silentFor, 3 * minute)
        assert.strictEqual(bench.read(job.files.journal), before)
      }))

    it("does not run ahead of a clock that went back", () =>
      withBench(async (bench) => {
        const job = imitate(bench)
        write(job.files.log, retry.repeat(3), -10 * minute)
        const seen = await alive(bench, job)
        assert.deepStrictEqual([seen.silentFor, seen.waitingForNetwork], [0, 0])
      }))

    it("of three transcripts of 500 MB is found without reading them", () =>
      withBench(async (bench) => {
        const jobs = ["a", "b", "c"].map((place) => imitate(bench, place))
        for (const { files } of jobs) {
          truncateSync(files.log, 500 * 2 ** 20)
          appendFileSync(files.log, "the end\n")
        }
        const memory = process.memoryUsage().rss
        const seen = await bench.look(...jobs)
        assert.isBelow(process.memoryUsage().rss - memory, 50 * 2 ** 20)
        for (const one of seen) assert.isTrue(one._tag === "Alive" && one.bytes > 500 * 2 ** 20)
        assert.strictEqual(statSync(jobs[0]?.files.log ?? "").size, 500 * 2 ** 20 + 8)
      }))

    it("comes with the size of what was written, before the guard's own limit is reached", () =>
      withBench(async (bench) => {
        const order = bench.order("head -c 300000 /dev/zero >&2; while :; do sleep 3600; done")
        await bench.launch(order)
        await bench.begun(order)
        while ((await alive(bench, order)).bytes < 300_000) assert.isTrue(true)
        await bench.stop(order)
      }))
  })
})
