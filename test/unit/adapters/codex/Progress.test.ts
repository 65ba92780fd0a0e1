// How long a reviewer has been silent: from file times, across steps, with reconnecting lines not counted.
// The one rule: a fake journal names this test's own process, so that the attempt is alive and nothing else moves.
import { appendFileSync, mkdirSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { bootId, processAt } from "../../../../src/adapters/process/ProcessTable.ts"
import { readJournal } from "../../../../src/adapters/process/Journal.ts"
import { stalledTail } from "../../../../src/adapters/codex/Stalling.ts"
import type { Attempt } from "../../../../src/services/Reviewers.ts"
import { type Bench, withBench } from "./bench.ts"

const wait = "ERROR: Reconnecting... waiting for network\n"
const complaint = "2026-11-20T10:00:00.1Z ERROR codex_api::endpoint: no\n"
const minute = 60_000

/** A living attempt whose transcript is written by the test. */
const imitate = (bench: Bench): Attempt => {
  const attempt = bench.attempt()
  mkdirSync(bench.dir, { recursive: true })
  const ticks = processAt(process.pid)?.ticks
  writeFileSync(attempt.files.run, `attempt ${attempt.id} ${process.pid} ${ticks} ${bootId()}\n`)
  writeFileSync(attempt.files.out, "")
  writeFileSync(attempt.files.log, "")
  utimesSync(attempt.files.out, 0, 0)
  return attempt
}

/** Writes to the transcript as if that had been `ago` milliseconds before now. */
const write = ({ files }: Attempt, text: string, ago: number): void => {
  appendFileSync(files.log, text)
  const at = (Date.now() - ago) / 1000
  utimesSync(files.log, at, at)
}

const alive = async (bench: Bench, attempt: Attempt, acting = true) => {
  const sighting = await bench.lookOnce(attempt, acting)
  return sighting._tag === "Alive" ? sighting : assert.fail(sighting._tag)
}

const about = (actual: number, expected: number): void => {
  assert.isAtLeast(actual, expected - 100)
  assert.isAtMost(actual, expected + 5000)
}

describe("the silence of a reviewer", () => {
  it("counts from the last change of its transcript, whoever looks", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    write(attempt, "banner\n", 7 * minute)
    const seen = await alive(bench, attempt)
    about(seen.silentFor, 7 * minute)
    assert.strictEqual(seen.waitingForNetwork, 0)
    assert.strictEqual(seen.bytes, 7)
    bench.later()
    about((await alive(bench, attempt)).silentFor, 7 * minute)
    write(attempt, "more\n", 0)
    about((await alive(bench, attempt)).silentFor, 0)
  }))

  it("goes on through reconnecting lines, and over to later steps", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    write(attempt, "banner\nuser\n", 30 * minute)
    about((await alive(bench, attempt)).silentFor, 30 * minute)
    write(attempt, wait, 20 * minute)
    const first = await alive(bench, attempt)
    about(first.silentFor, 30 * minute)
    // One such line may stand in a file that the reviewer reads.
    assert.strictEqual(first.waitingForNetwork, 0)
    write(attempt, wait + wait, 4 * minute)
    bench.later()
    const second = await alive(bench, attempt)
    about(second.silentFor, 30 * minute)
    about(second.waitingForNetwork, 20 * minute)
    write(attempt, "codex\nback again\n", minute)
    const third = await alive(bench, attempt)
    about(third.silentFor, minute)
    assert.strictEqual(third.waitingForNetwork, 0)
    write(attempt, wait + wait, 0)
    about((await alive(bench, attempt)).silentFor, minute)
    about((await alive(bench, attempt)).waitingForNetwork, 0)
  }))

  it("that nobody saw begin counts from the latest line, not too early", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    write(attempt, "banner\n" + wait.repeat(9), 3 * minute)
    const first = await alive(bench, attempt)
    about(first.silentFor, 3 * minute)
    about(first.waitingForNetwork, 3 * minute)
    write(attempt, wait, 0)
    bench.later()
    about((await alive(bench, attempt)).silentFor, 3 * minute)
    about((await alive(bench, attempt)).waitingForNetwork, 3 * minute)
  }))

  it("is not forgotten when the stalled end outgrows what is read", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    write(attempt, "banner\n" + wait.repeat(2), 3 * minute)
    await alive(bench, attempt)
    write(attempt, wait.repeat(2000), 0)
    bench.later()
    about((await alive(bench, attempt)).silentFor, 3 * minute)
    about((await alive(bench, attempt)).waitingForNetwork, 3 * minute)
    const run = readJournal(attempt.files.run)
    assert.lengthOf(run._tag === "Guarded" ? run.stalls : [], 2)
  }))

  it("is not noted by a look that must not act", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    const before = bench.read(attempt.files.run)
    write(attempt, wait.repeat(3), 3 * minute)
    about((await alive(bench, attempt, false)).silentFor, 3 * minute)
    assert.strictEqual(bench.read(attempt.files.run), before)
  }))

  it("does not run ahead of a clock that went back", () => withBench(async (bench) => {
    const attempt = imitate(bench)
    write(attempt, wait.repeat(3), -10 * minute)
    const seen = await alive(bench, attempt)
    assert.deepStrictEqual([seen.silentFor, seen.waitingForNetwork], [0, 0])
  }))

  it("of three transcripts of 500 MB is told in well under half a second, without reading them", () =>
    withBench(async (bench) => {
      const attempts = [1, 2, 3].map((slot) => {
        const attempt = { ...imitate(bench), slot }
        const files = Object.fromEntries(Object.entries(attempt.files).map(([kind, path]) => [kind, `${path}${slot}`]))
        const own = { ...attempt, files: { ...attempt.files, ...files } }
        writeFileSync(own.files.run, bench.read(attempt.files.run))
        writeFileSync(own.files.log, "")
        truncateSync(own.files.log, 500 * 2 ** 20)
        appendFileSync(own.files.log, "the end\n")
        return own
      })
      const memory = process.memoryUsage().rss
      const began = performance.now()
      const seen = await bench.look(...attempts)
      assert.isBelow(performance.now() - began, 500)
      assert.isBelow(process.memoryUsage().rss - memory, 50 * 2 ** 20)
      for (const one of seen) assert.isTrue(one._tag === "Alive" && one.bytes > 500 * 2 ** 20)
      assert.strictEqual(statSync(attempts[0]?.files.log ?? "").size, 500 * 2 ** 20 + 8)
    }))
})

describe("the stalled end of a transcript", () => {
  it.each<[string, string, ReturnType<typeof stalledTail>]>([
    ["nothing", "", null],
    ["progress", "banner\n", null],
    ["progress after it", `${wait}codex\n`, null],
    ["one attempt", "z\na\nERROR: Reconnecting... 1/5\n", { from: 4, waits: 0, cut: false }],
    ["attempts, then the network", `a\nb\nERROR: Reconnecting... 5/5\n${wait}`, { from: 4, waits: 1, cut: false }],
    ["blank lines and codex's own complaints between", `z\na\n${wait}\n${complaint}${wait}`, {
      from: 4,
      waits: 2,
      cut: false
    }],
    ["complaints alone", `a\n${complaint}`, null],
    ["a line that is not yet whole", `z\na\n${wait}ERROR: Reconnecting... wai`, { from: 4, waits: 1, cut: false }],
    ["nothing else", wait + wait, { from: 0, waits: 2, cut: true }],
    ["a first line without its beginning", `${wait.slice(5)}${wait}`, { from: wait.length - 5, waits: 1, cut: true }],
    ["a newline alone before it", `\n${wait}`, { from: 0, waits: 1, cut: true }],
    ["quoted by a command", `a\n  ${wait}`, null]
  ])("%s", (_, text, expected) => assert.deepStrictEqual(stalledTail(text), expected))
})
