// Progress: what a user sees of a batch: the activity of living reviewers, and the others as recorded.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import { observe } from "../../../src/review/Observe.ts"
import { gatherRows, Progress, type Row, rowsOf, silent, workRowOf, workText } from "../../../src/review/Progress.ts"
import type { Slot, SlotOf, StartedBatch } from "../../../src/run/Batch.ts"
import { initial } from "../../../src/run/Manifest.ts"
import { batchStarted, finished, started } from "../run/events.ts"
import { onMachine, opened } from "../run/opened.ts"
import { alive, exited, looking } from "../../support/reviewers.ts"

describe("the rows of a batch", () => {
  const rows = async () => {
    const read: Array<string> = []
    const tail = ({ slot }: ReviewRef) => Effect.sync(() => (read.push(`slot ${slot}`), "exec\ngit diff in /repo\n"))
    const states = [{ ...alive, silentFor: 7000 }, exited()]
    const rows = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(
          [batchStarted({ size: 4 }), started(), started({ slot: 2, id: "id-2" }), started({ slot: 3, id: "id-3" })],
          [finished("Clean", { slot: 3 })]
        )
        return yield* gatherRows(run, yield* observe(run, false))
      }).pipe(Effect.provide(Layer.succeed(Progress, { ...silent, on: true, tail }))),
      {
        reviewers: looking(({ slot }) => states[slot - 1] ?? alive)
      }
    )
    return { read, rows }
  }

  it("show what a living reviewer does, and that another one ended", async () => {
    const { rows: all } = await rows()
    assert.deepStrictEqual(all.map(({ slot, state }) => [slot, state]), [
      [1, "running"],
      [2, "ended"],
      [3, "clean"],
      [4, "queued"]
    ])
    assert.deepInclude(all[0], { level: "low", silentFor: 7000, activity: "$ git diff" })
    assert.deepInclude(all[1], { silentFor: null })
  })

  it("read only the transcripts of living reviewers", async () => assert.lengthOf((await rows()).read, 1))

  it("are empty before the batch is started", async () =>
    assert.deepStrictEqual(await onMachine(Effect.flatMap(opened(), (run) => gatherRows(run, []))), []))
})

describe("one row", () => {
  const at = "2026-01-02T03:04:05.000Z"
  const now = Date.parse(at) + 125_000
  const manifest = initial({
    _tag: "RunCreated",
    runId: "r",
    repoId: "x",
    worktree: "/w",
    target: { _tag: "Uncommitted" },
    startLevel: "low",
    batchSize: 1,
    createdAt: at,
    because: "NoLatestPointer",
    nonce: "n"
  })
  const counts = { slot: 1, attempts: 1, tries: 1 }
  const batch = (slot: Slot, more: Partial<StartedBatch> = {}): StartedBatch => ({
    _tag: "Started",
    size: 1,
    base: null,
    argv: [],
    identity: { _tag: "Unknown", why: "" },
    slots: [slot],
    completed: null,
    failedAt: 0,
    stopped: false,
    ...more
  })
  const row = (
    slot: Slot,
    live: ReadonlyMap<number, { silentFor: number; activity: string }> = new Map(),
    more = {}
  ) => {
    const [only, ...others] = rowsOf({ ...manifest, batch: batch(slot, more) }, live, now)
    assert.lengthOf(others, 0)
    return only === undefined ? assert.fail("no row") : workText(workRowOf(only))
  }

  const digest = { algorithm: "sha256", hex: "", bytes: 0 } as const
  const finished: SlotOf<"Finished"> = {
    ...counts,
    _tag: "Finished",
    verdict: "Clean",
    reason: "",
    source: "stdout",
    findings: 0,
    files: { log: digest, out: digest, review: null }
  }
  const failed: SlotOf<"Failed"> = {
    ...counts,
    _tag: "Failed",
    kind: "RateLimited",
    transient: true,
    message: "RateLimited: \u001b[1mslow",
    exit: 1,
    since: at
  }
  const running: Slot = { ...counts, _tag: "Running", id: "i", since: at }

  describe("a row", () => {
    it("for a running reviewer has elapsed time, activity, and a long silence", () => {
      const live = (silentFor: number, activity: string) => row(running, new Map([[1, { silentFor, activity }]]))
      assert.strictEqual(live(400, "$ git diff"), "low-1     running    2m05s  $ git diff")
      assert.strictEqual(live(9000, "$ x"), "low-1     running    2m05s  $ x (9s ago)")
      assert.strictEqual(live(9000, ""), "low-1     running    2m05s  (9s ago)")
    })
    it("for one whose end is not recorded", () =>
      assert.strictEqual(row(running), "low-1     ended      2m05s  not recorded yet"))
    it("for the others", () => {
      const queued = (attempts: number, stopped: boolean) =>
        row({ ...counts, _tag: "Queued", attempts }, new Map(), { stopped })
      assert.strictEqual(queued(0, false), "low-1     queued")
      assert.strictEqual(queued(1, true), "low-1     stopped")
      assert.strictEqual(queued(0, true), "low-1     queued")
      assert.strictEqual(row(finished), "low-1     clean")
      assert.strictEqual(
        row({ ...finished, verdict: "HasIssues", findings: 3 }),
        "low-1     issues            3 finding(s)"
      )
      assert.strictEqual(row(failed), "low-1     retrying          slow")
      assert.strictEqual(row(failed, new Map(), { failedAt: 7 }), "low-1     failed            slow")
      assert.strictEqual(row({ ...failed, transient: false }), "low-1     failed            slow")
    })
    it("does not exist before the batch has started", () =>
      assert.deepEqual(rowsOf(manifest, new Map(), now), [] satisfies ReadonlyArray<Row>))
  })
})
