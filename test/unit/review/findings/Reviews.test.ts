// Reviews: files of reviewers, read again as findings, over the batches of a run.
// Real files, because invalid bytes, missing files and megabytes are the subject.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Exit, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Event, EventOf } from "../../../../src/run/Event.ts"
import { fold } from "../../../../src/run/Manifest.ts"
import { attemptFiles, batchDirectory } from "../../../../src/run/Layout.live.ts"
import { readFindings, readHistory } from "../../../../src/review/findings/Reviews.ts"
import { Live } from "../../../../src/layers.ts"
import type { ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import type { RunStore } from "../../../../src/run/RunStore.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { layer as memoryEventLog } from "../../../../src/testing/memory/EventLog.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { batchStarted, created, digest, finished, runRef, started } from "../../run/events.ts"
import { eachInDirectory } from "../../../support/directories.ts"

const banner =
  "OpenAI Codex v0.169.0\n--------\nworkdir: /repo\nsession id: 01a1f82b-a11c-7bc3-ae02-8032555061a0\n--------\n"
const rendered = (title: string, body: string) =>
  `Bad.\n\nReview comment:\n\n- [P1] ${title} — /repo/src/a.ts:1-2\n  ${body}\n`

/** The files of a slot; a missing name is an empty file. */
interface Left {
  readonly verdict?: "Clean" | "HasIssues"
  readonly source?: EventOf<"ReviewFinished">["source"]
  readonly findings?: number
  readonly out?: string | Buffer
  readonly log?: string
  readonly review?: unknown
  /** The size of standard output in the log. */
  readonly bytes?: number
}

const dir = eachInDirectory()

const leave = (batch: number, slot: number, { log = banner, out, review }: Left): void => {
  const files = attemptFiles({ run: runRef(dir()), level: "low", batch, slot, attempt: 1 })
  mkdirSync(dirname(files.log), { recursive: true })
  // The wrapper appends one to the other when codex ended.
  writeFileSync(files.log, Buffer.concat([log, out ?? ""].map((part) => Buffer.from(part))))
  if (out !== undefined) writeFileSync(files.out, out)
  if (review !== undefined) writeFileSync(files.review, JSON.stringify(review))
  writeFileSync(files.exit, "0\n")
}

const events = (batches: ReadonlyArray<ReadonlyArray<Left>>): ReadonlyArray<Event> =>
  batches.flatMap((slots, i): ReadonlyArray<Event> => [
    ...(i === 0 ? [] : [{ _tag: "BatchOpened", level: "low", batch: i + 1, from: "low", cause: "Dropped" } as const]),
    batchStarted({ batch: i + 1, size: slots.length }),
    ...slots.flatMap(({ bytes = 100, findings = 1, review, source = "stdout", verdict = "HasIssues" }, slot) => [
      started({ batch: i + 1, slot: slot + 1 }),
      finished(verdict, {
        batch: i + 1,
        slot: slot + 1,
        source,
        findings,
        out: { ...digest, bytes },
        ...(review === undefined ? {} : { review: digest })
      })
    ])
  ])

/** Runs an effect on a run whose batches left these files. */
const over = <A, E>(
  batches: ReadonlyArray<ReadonlyArray<Left>>,
  use: (run: Parameters<typeof readHistory>[0]) => Effect.Effect<A, E, EventLog | ReviewFiles | RunStore>
) =>
  Effect.runPromiseExit(
    Effect.gen(function*() {
      batches.forEach((slots, i) => slots.forEach((left, slot) => leave(i + 1, slot + 1, left)))
      const log = yield* EventLog
      const first = yield* log.create(reviewRun, runRef(dir()), [created({ worktree: "/repo" })])
      const head = yield* log.append(reviewRun, runRef(dir()), first, events(batches))
      const manifest = fold((yield* log.read(reviewRun, runRef(dir()))).commits)
      return manifest === null ? yield* Effect.die("no manifest") : yield* use({ ref: runRef(dir()), manifest, head })
    }).pipe(Effect.provide(Layer.mergeAll(memoryEventLog, Live.runStore, Live.reviewFiles)))
  )

const findings = async (...batches: ReadonlyArray<ReadonlyArray<Left>>) => {
  const exit = await over(batches, (run) => readFindings(run))
  if (Exit.isFailure(exit) || exit.value === null) throw new Error("nothing was read")
  return exit.value
}
const said = async (left: Left) => (await findings([left])).batch

describe("a review", () => {
  it("is read from standard output, with its path relative to the worktree", async () => {
    const { findings: [one] } = await said({ out: rendered("Guard it", "It breaks.") })
    assert.deepInclude(one, { title: "Guard it", body: "It breaks.", priority: 1, path: "src/a.ts", detectedBy: [1] })
  })

  it("is read from the kept copy of its session", async () => {
    const review = {
      findings: [{
        title: "[P0] Guard it",
        body: "B.",
        code_location: { absolute_file_path: "/repo/b.ts", line_range: { start: 3, end: 4 } }
      }],
      overall_correctness: "patch is incorrect",
      overall_explanation: "Bad."
    }
    const { findings: [one] } = await said({ out: "Bad.\n", review, source: "session" })
    assert.deepInclude(one, { title: "Guard it", priority: 0, path: "b.ts", lines: { start: 3, end: 4 } })
  })

  it("is read after the marker if everything went to one stream", async () => {
    const out = `OpenAI Codex\nuser\ncurrent changes\ncodex\n${rendered("Guard it", "It breaks.")}`
    assert.lengthOf((await said({ out, log: "", source: "marker" })).findings, 1)
    const prose = await said({ out: "noise\ncodex\nThe loop crashes.\n", log: "", source: "marker", findings: 0 })
    assert.deepStrictEqual(prose.unlisted.map(({ body }) => body.trim()), ["The loop crashes."])
  })

  it("without a list is its full text", async () => {
    const { findings, unlisted } = await said({ out: "This is broken: the loop crashes.", findings: 0 })
    assert.deepStrictEqual([findings, unlisted.map(({ slot }) => slot)], [[], [1]])
  })

  it("whose files are gone is a review without text", async () => {
    const { findings, unlisted } = await said({})
    assert.deepStrictEqual([findings, unlisted.map(({ body }) => body)], [[], [""]])
  })

  it("with invalid bytes can still be read", async () => {
    const parts = [
      "Bad.\n\nReview comment:\n\n- Guard ",
      Buffer.of(0xff, 0xfe),
      " it — /repo/a.ts:1-1\n  B",
      Buffer.of(0xc3, 0x28, 0x0a)
    ]
    const out = Buffer.concat(parts.map((part) => Buffer.from(part)))
    const { findings: [one], unlisted } = await said({ out })
    assert.lengthOf(unlisted, 0)
    assert.match(one?.title ?? "", /^Guard \ufffd+ it$/)
  })

  it("that is clean is not opened", async () => {
    mkdirSync(join(batchDirectory({ run: runRef(dir()), level: "low", batch: 1 }), "low-1.out"), { recursive: true })
    assert.deepStrictEqual((await said({ verdict: "Clean" })).findings, [])
  })

  it("keeps its recorded verdict whatever its files say now", async () => {
    const { findings, started: { slots }, unlisted } = await said({ out: "I found no defects in this change.\n" })
    assert.strictEqual(slots[0]?._tag === "Finished" ? slots[0].verdict : "", "HasIssues")
    assert.deepStrictEqual([findings.length, unlisted.length], [0, 1])
  })

  it("without a recorded finding has none; long prose is not judged again", async () => {
    const { findings, unlisted } = await said({ out: rendered("Guard it", "B."), findings: 0 })
    assert.deepStrictEqual([findings.length, unlisted.length], [0, 1])
  })

  it("that names a file outside the repository has no place", async () => {
    const out = "Review comment:\n\n- [P1] Read this — ../../etc/passwd:1-2\n  B.\n"
    assert.deepInclude((await said({ out })).findings[0], { path: null, lines: null })
  })
})

describe("the history", () => {
  const one = (title: string): Left => ({ out: rendered(title, "B.") })

  it("covers all batches of the run", async () => {
    const report = await findings([one("Guard it"), one("Close the socket")], [{ verdict: "Clean" }], [one("Guard it")])
    assert.deepStrictEqual(report.findings.map(({ finding, state }) => `${finding.title}: ${state}`), [
      "Guard it: came back"
    ])
    assert.deepStrictEqual([report.earlier, report.goneBefore, report.unread], [2, 1, 0])
  })

  it("ends at the requested batch, and is empty for one that was not started", async () => {
    const batches = [[one("Guard it")], [one("Close it")], [one("Guard it")]]
    const at = (batch: number) => over(batches, (run) => readFindings(run, { until: { level: "low", batch } }))
    const second = await at(2)
    assert.strictEqual(Exit.isSuccess(second) ? second.value?.batch.batch : 0, 2)
    rmSync(dir(), { recursive: true, force: true })
    const fourth = await at(4)
    assert.isTrue(Exit.isSuccess(fourth) && fourth.value === null)
  })

  it("reads the newest batches first, up to a limit", async () => {
    const large = { ...one("Guard it"), bytes: 7 * 1024 * 1024 }
    const report = await findings([large], [large], [large], [large])
    assert.strictEqual(report.unread, 2)
    assert.deepStrictEqual(report.findings.map(({ before, state }) => [state, before?.first.batch]), [[
      "still there",
      3
    ]])
  })

  it("always reads the requested batch", async () => {
    const large = { ...one("Guard it"), bytes: 8 * 1024 * 1024 }
    const report = await findings([one("Guard it")], [large, large, large])
    assert.deepStrictEqual([report.unread, report.findings.length], [1, 1])
  })

  const unreadable = (batch: number) =>
    mkdirSync(join(batchDirectory({ run: runRef(dir()), level: "low", batch }), "low-1.out"), { recursive: true })

  it("skips an earlier batch whose files cannot be read", async () => {
    unreadable(1)
    const report = await findings([{}], [one("Guard it")])
    assert.deepStrictEqual([report.unread, report.findings.length], [1, 1])
  })

  it("fails if the requested batch cannot be read", async () => {
    unreadable(2)
    const exit = await over([[one("Guard it")], [{}]], (run) => readFindings(run))
    assert.isTrue(Exit.isFailure(exit))
  })

  it("uses little memory for megabytes in earlier batches", async () => {
    const exit = await over(
      [[{ out: rendered("Guard it", "word ".repeat(400_000)) }], [one("Close it")]],
      (run) => readHistory(run)
    )
    const [first, second] = Exit.isSuccess(exit) ? exit.value.batches : []
    assert.strictEqual(first?.findings[0]?.body.length, 4000)
    assert.strictEqual(second?.findings.length, 1)
  })
})
