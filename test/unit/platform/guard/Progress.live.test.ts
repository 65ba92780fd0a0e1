// How long a command has been silent: from file times, across looks and processes, stalled lines not counted.
// The one rule: a fake journal names this test's own process, so that the job is alive and nothing else moves.
import { appendFileSync, mkdirSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeGuard } from "../../../../src/platform/guard/Guard.ts"
import type { Job } from "../../../../src/platform/guard/Job.ts"
import { readJournal } from "../../../../src/platform/guard/Journal.ts"
import { bootId, processAt } from "../../../../src/platform/Processes.ts"
import { progressOf, type Transcript } from "../../../../src/platform/guard/Look.ts"
import { type Bench, withBench as withAnyBench } from "./guarded.ts"

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
  it("counts from the last change of its transcript, whoever looks", () =>
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
      const isAbout = (actual: ReadonlyArray<number>, expected: number) => actual.forEach((one) => about(one, expected))
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
    "in a transcript that is its %s is broken by any line in its %s, and goes on through stalled lines",
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

  it("in a transcript that stands alone is not broken by the other file", () =>
    withAnyBench(async (bench) => {
      const job = imitate(bench)
      write(job.files.out, "begun\n", 30 * minute)
      write(job.files.log, "a warning\n", 0)
      about((await alive(bench, job)).silentFor, 30 * minute)
    }, { file: "out", alone: true, stalledTail }))

  it("goes on through stalled lines, and over to later processes", () =>
    withBench(async (bench) => {
      const job = imitate(bench)
      write(job.files.log, "begun\nasked\n", 30 * minute)
      about((await alive(bench, job)).silentFor, 30 * minute)
      write(job.files.log, retry, 20 * minute)
      const first = await alive(bench, job)
      about(first.silentFor, 30 * minute)
      // One such line may stand in a file that the command quotes.
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

  it("that nobody saw begin counts from the latest line, not too early", () =>
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

  it("of three transcripts of 500 MB is told without reading them", () =>
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
