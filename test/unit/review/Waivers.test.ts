// Waivers: which batches do not block, according to the files of their reviews, and the one record of that.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type Bar, lowestBar } from "../../../src/review/findings/Waiving.ts"
import type { Event } from "../../../src/run/Event.ts"
import { noWaivers, recordWaivers, waiverEvents, type Waivers, waiversOf } from "../../../src/review/Waivers.ts"
import { type Evidence, ReviewFiles, ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"
import { evidenceOf, noSuchFile } from "../../../src/testing/memory/Reviewers.ts"
import { Scripted } from "../../../src/testing.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { batchCompleted, opened as batchOpened, batchStarted, finished, started, tree } from "../run/events.ts"
import { byAnother, onMachine, opened, openedStrict, tags } from "../run/opened.ts"

const said = evidenceOf(Scripted.issues())
const { log, out } = said.digests
const low = { level: "low", batch: 1 } as const
const onlyP0: Bar = { ...lowestBar, block: 0 }
const done = (findings = 1): ReadonlyArray<Event> => [
  batchStarted({ size: 1 }),
  started(),
  finished("HasIssues", { findings, log, out }),
  batchCompleted(tree("t1"))
]

interface Left {
  readonly evidence?: Evidence
  readonly missing?: ReadonlyArray<"log" | "out" | "exit" | "review">
  readonly broken?: boolean
}

const files = ({ broken = false, evidence = said, missing = [] }: Left) =>
  Layer.mock(ReviewFiles)({
    stored: () =>
      broken
        ? Effect.fail(new ReviewFilesFailed({ path: "x", reason: noSuchFile }))
        : Effect.succeed({ missing, status: 0, journal: null, joined: true, evidence })
  })

const judgedOf = (bar: Bar, reviewFiles: Layer.Layer<ReviewFiles>, lines: ReadonlyArray<Event>) =>
  onMachine(
    Effect.gen(function*() {
      const run = yield* openedStrict(lines)
      const strict = run.manifest.strict ?? assert.fail("not strict")
      const waivers = yield* waiversOf(run, strict, bar)
      return { waivers, events: yield* waiverEvents(run, strict, waivers, [low]), run }
    }),
    { reviewFiles }
  )

const judged = (bar: Bar, left: Left = {}, lines = done()) => judgedOf(bar, files(left), lines)

describe("a batch", () => {
  it("does not block if all its findings are light, and they are recorded", async () => {
    const { events, waivers } = await judged(onlyP0)
    assert.isTrue(waivers.waived("low", 1))
    assert.deepStrictEqual(events, [{ _tag: "BatchWaived", ...low, block: 0, findings: waivers.of(low) ?? [] }])
    assert.deepInclude(waivers.of(low)?.[0], { title: "Check the bound", priority: 1, because: { _tag: "BelowBlock" } })
  })

  it("is not even read if everything blocks", async () => {
    const { waivers } = await judged(lowestBar, { evidence: undefined as never })
    assert.isFalse(waivers.waived("low", 1))
  })

  const other = evidenceOf(Scripted.issues(0, "Another"))
  const wrong: ReadonlyArray<readonly [string, Left]> = [
    ["a file cannot be read", { broken: true }],
    ["a file is gone", { missing: ["exit"] }],
    ["its standard output differs", { evidence: { ...said, digests: { ...said.digests, out: other.digests.out } } }],
    ["its transcript differs", { evidence: { ...said, digests: { ...said.digests, log: other.digests.log } } }],
    ["a session was kept but not recorded", { evidence: { ...said, digests: { ...said.digests, review: out } } }],
    ["it is empty now", { evidence: { ...said, out: "" } }]
  ]
  it.each(wrong)(
    "blocks if %s",
    async (_, left) => assert.isFalse((await judged(onlyP0, left)).waivers.waived("low", 1))
  )

  it.each([0, 2])(
    "blocks if its review was recorded with %s findings and its files have one",
    async (findings) => assert.isFalse((await judged(onlyP0, {}, done(findings))).waivers.waived("low", 1))
  )

  describe("of one review that blocks and one that does not", () => {
    const two = (findings: number, digests: Pick<Evidence["digests"], "log" | "out">): ReadonlyArray<Event> => [
      batchStarted({ size: 2 }),
      started(),
      started({ slot: 2, id: "id-2" }),
      finished("HasIssues", { findings: 1, log, out }),
      finished("HasIssues", { slot: 2, findings, log: digests.log, out: digests.out }),
      batchCompleted(tree("t1"))
    ]
    /** Whether the batch does not block if the second review left these files. */
    const waivedWith = async (second: Evidence, lines: ReadonlyArray<Event>) => {
      const reviewFiles = Layer.mock(ReviewFiles)({
        stored: ({ slot }) =>
          Effect.succeed({
            missing: [],
            status: 0,
            journal: null,
            joined: true,
            evidence: slot === 1 ? said : second
          })
      })
      return (await judgedOf(onlyP0, reviewFiles, lines)).waivers.waived("low", 1)
    }

    it("does not block if the other one does not either", async () =>
      assert.isTrue(await waivedWith(other, two(1, other.digests))))

    it("blocks if the files of the other one differ from the record", async () =>
      assert.isFalse(await waivedWith(said, two(1, other.digests))))

    it("blocks if the other one lists no finding", async () => {
      const unlisted = evidenceOf({ ...Scripted.issues(), out: "The change is wrong: it loses data." })
      assert.isFalse(await waivedWith(unlisted, two(0, unlisted.digests)))
    })
  })

  it("is recorded once, until the record would change", async () => {
    const { events, waivers } = await judged(onlyP0)
    const [event] = events
    const again = await judged(onlyP0, {}, [...done(), event ?? assert.fail("nothing recorded")])
    assert.deepStrictEqual(again.events, [])
    const lower = await judged({ ...onlyP0, block: 0, dismissals: [] }, {}, [
      ...done(),
      { _tag: "BatchWaived", ...low, block: 1, findings: waivers.of(low) ?? [] }
    ])
    assert.lengthOf(lower.events, 1)
  })

  it("with more findings than fit in a line keeps all of them beside the log", async () => {
    const many = Array.from({ length: 40 }, (_, i) => `- [P3] Case ${i} of it — /repo/f${i}.ts:1-2\n  B.\n`).join("\n")
    const evidence = { ...said, out: `Bad.\n\nFull review comments:\n\n${many}` }
    const { events } = await judged(onlyP0, { evidence }, done(40))
    const [event] = events
    assert.strictEqual(event?.findings.length, 30)
    assert.isAbove(event?.rest?.bytes ?? 0, 40 * 50)
  })
})

describe("the record", () => {
  const done = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
  const low = { level: "low", batch: 1 } as const
  const waivers: Waivers = {
    ...noWaivers,
    of: () => [{ fingerprint: "0".repeat(16), title: "T", priority: 3, because: { _tag: "BelowBlock" } }]
  }

  describe("recording a waiver", () => {
    it("commits a line, and nothing if the log already has it", async () => {
      const written = await onMachine(Effect.gen(function*() {
        const run = yield* recordWaivers(yield* openedStrict(done), { waivers, takenForClean: [low] })
        yield* recordWaivers(run, { waivers, takenForClean: [low] })
        yield* recordWaivers(run, { waivers, takenForClean: [] })
        return (yield* tags).slice(1)
      }))
      assert.deepStrictEqual(written, [["BatchWaived"]])
    })

    it("does nothing in a run that is not strict", async () => {
      const written = await onMachine(Effect.gen(function*() {
        yield* recordWaivers(yield* opened(done), { waivers, takenForClean: [low] })
        return (yield* tags).slice(1)
      }))
      assert.deepStrictEqual(written, [])
    })

    it("loses to a process that was first", async () => {
      const error = await onMachine(Effect.gen(function*() {
        const run = yield* openedStrict(done)
        yield* byAnother(run, [batchOpened("medium", 1)])
        return yield* Effect.flip(recordWaivers(run, { waivers, takenForClean: [low] }))
      }))
      assert.instanceOf(error, LogConflict)
    })
  })
})
