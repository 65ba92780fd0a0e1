// Rows: what a person is told of each slot.
// The one rule: every kind of slot has its word, and times are read from the log and the clock alone.
import { assert, describe, it } from "vitest"
import { type Row, rowsOf, workRowOf, workText } from "../../../src/review/Progress.ts"
import type { Slot, SlotOf, StartedBatch } from "../../../src/run/Batch.ts"
import { initial } from "../../../src/run/Manifest.ts"

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
const row = (slot: Slot, live: ReadonlyMap<number, { silentFor: number; activity: string }> = new Map(), more = {}) => {
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
  it("of a running reviewer tells elapsed time, activity, and a silence worth telling", () => {
    const live = (silentFor: number, activity: string) => row(running, new Map([[1, { silentFor, activity }]]))
    assert.strictEqual(live(400, "$ git diff"), "low-1     running    2m05s  $ git diff")
    assert.strictEqual(live(9000, "$ x"), "low-1     running    2m05s  $ x (9s ago)")
    assert.strictEqual(live(9000, ""), "low-1     running    2m05s  (9s ago)")
  })
  it("of one that nobody has recorded the end of", () =>
    assert.strictEqual(row(running), "low-1     ended      2m05s  not recorded yet"))
  it("of the others", () => {
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
    assert.strictEqual(row(failed), "low-1     retrying          RateLimited: slow")
    assert.strictEqual(row(failed, new Map(), { failedAt: 7 }), "low-1     failed            RateLimited: slow")
    assert.strictEqual(row({ ...failed, transient: false }), "low-1     failed            RateLimited: slow")
  })
  it("there is none before the batch has started", () =>
    assert.deepEqual(rowsOf(manifest, new Map(), now), [] satisfies ReadonlyArray<Row>))
})
