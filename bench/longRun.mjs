// longRun: sound logs of any length for the benches of readers, as a run with the real codex commits them.
// Hashes, anchors and lines follow the format; only the contents repeat.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"

const sha256 = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex")
const by = { version: "0.1.0", pid: 7, host: "bench" }
const digestOf = (/** @type {string} */ of) => ({ algorithm: "sha256", hex: sha256(of), bytes: 12_345 })
const id40 = (/** @type {string} */ of) => sha256(of).slice(0, 40)

/** What git reported about the code of a batch, with the fields that a run on a branch with one commit records. */
const identityOf = (/** @type {number} */ batch) => ({
  _tag: "Known",
  head: id40("head"),
  tree: id40(`tree ${batch}`),
  base: null,
  headTree: id40("head tree"),
  index: sha256(`index ${batch}`),
  indexTree: id40(`tree ${batch}`),
  untracked: false,
  nested: "",
  stamps: sha256(`stamps ${batch}`),
  moved: sha256("moved"),
  held: sha256("held"),
  view: sha256("view"),
  viewMoved: sha256("view moved"),
  indexMoved: `2194078 311 ${1_795_636_091_991_726_370n + BigInt(batch)} ${1_795_636_091_995_938_101n + BigInt(batch)}`
})

/** The first event of a run.
 * @param {string} runId @param {string} worktree */
export const created = (runId, worktree) => ({
  _tag: "RunCreated",
  runId,
  repoId: "repo-noremote",
  worktree,
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 3,
  createdAt: "2030-01-01T00:00:00.000Z",
  because: "NoLatestPointer",
  nonce: "00".repeat(16)
})

/**
 * The lines of one batch at the floor whose reviews find issues: 10 events in 5 lines, as a run with the real codex
 * commits them.
 * @param {number} batch
 */
const lifeOf = (batch) => {
  const at = { level: "low", batch }
  const argv = ["review", "--uncommitted", "-c", `model_reasoning_effort="low"`, "-c", `sandbox_mode="read-only"`]
  const finished = (/** @type {number} */ slot) => ({
    _tag: "ReviewFinished",
    ...at,
    slot,
    attempt: 1,
    verdict: "HasIssues",
    reason: "session-findings",
    source: "session",
    rules: 3,
    findings: 2,
    log: digestOf(`log ${batch} ${slot}`),
    out: digestOf(`out ${batch} ${slot}`),
    review: digestOf(`review ${batch} ${slot}`),
    usage: { input: 24_000 + batch, cached: 12_000, output: 1600, reasoning: 800 }
  })
  const identity = identityOf(batch)
  const id = (/** @type {number} */ slot) => `${String(batch).padStart(8, "0")}-000${slot}-4000-8000-000000000000`
  return [
    [
      { _tag: "BatchStarted", ...at, size: 3, base: null, argv, identity },
      ...[1, 2, 3].map((slot) => ({ _tag: "ReviewStarted", ...at, slot, attempt: 1, id: id(slot) }))
    ],
    [finished(1)],
    [finished(2)],
    [finished(3), { _tag: "BatchCompleted", ...at, identity }],
    [
      { _tag: "LevelOutcomeRecorded", ...at, outcome: { _tag: "Addressed", count: 3 }, ceiling: "xhigh" },
      { _tag: "BatchOpened", level: "low", batch: batch + 1, from: "low", cause: "Dropped" }
    ]
  ]
}

/**
 * Writes a sound log of about `events` events.
 * @param {string} run @param {Record<string, unknown>} first @param {number} events
 */
export const writeLog = (run, first, events) => {
  fs.mkdirSync(run, { recursive: true, mode: 0o700 })
  const fd = fs.openSync(join(run, "manifest.jsonl"), "wx", 0o600)
  let prev = sha256(`${first["runId"]}\n${first["nonce"]}`)
  let [seq, offset, count] = [0, 0, 0]
  /** @type {Array<string>} */
  let pending = []
  const flush = () => {
    fs.writeSync(fd, pending.join(""))
    pending = []
  }
  const emit = (/** @type {ReadonlyArray<unknown>} */ facts) => {
    seq++
    const at = new Date(Date.UTC(2030, 0, 1) + seq * 1000).toISOString()
    const body = JSON.stringify({ v: 1, seq, at, by, prev, events: facts }).slice(0, -1)
    prev = sha256(body)
    pending.push(`${body},"hash":"${prev}"}\n`)
    offset += body.length + 76
    count += facts.length
    if (pending.length > 2000) flush()
  }
  emit([first])
  for (let batch = 1; count < events; batch++) for (const line of lifeOf(batch)) emit(line)
  flush()
  fs.closeSync(fd)
  fs.writeFileSync(join(run, "head.json"), `${JSON.stringify({ seq, offset, hash: prev })}\n`, { mode: 0o600 })
  return { events: count, megabytes: offset / 1e6 }
}
