// history: what `replay` and `audit` cost beside a bare JSON.parse loop, and what a long run adds to a step.
// The one rule: whole processes, interleaved; figures are ratios to a floor measured in the same run.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { interleaved } from "./measure.mjs"

const root = resolve(import.meta.dirname, "..")
const cli = join(root, JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8")).bin["ooda-codex-review"])
const [sizes = "100000,1000000", rounds = "3"] = process.argv.slice(2)

const sha256 = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex")
const by = { version: "0.1.0", pid: 7, host: "bench" }
const digestOf = (/** @type {string} */ of) => ({ algorithm: "sha256", hex: sha256(of), bytes: 12_345 })
const id40 = (/** @type {string} */ of) => sha256(of).slice(0, 40)

/** What git told of the code of a batch, with the fields that a run on a branch with one commit records. */
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

/** @param {string} runId @param {string} worktree */
const created = (runId, worktree) => ({
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
const writeLog = (run, first, events) => {
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

const loop = `
import { closeSync, openSync, readSync } from "node:fs"
const fd = openSync(process.argv[2], "r")
const chunk = Buffer.alloc(1 << 20)
let rest = ""
let events = 0
for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
  const lines = (rest + chunk.toString("utf8", 0, read)).split("\\n")
  rest = lines.pop()
  for (const line of lines) events += JSON.parse(line).events.length
}
closeSync(fd)
if (events < 1) process.exit(1)
`

const peak = `
import { writeFileSync } from "node:fs"
process.on("exit", () => {
  if (process.env.PEAK) writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS))
})
`

const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ooda-bench-history-")))
const repo = join(scratch, "repo")
const stateRoot = join(scratch, "state")
const runId = (/** @type {number} */ n) => `20300101T000000Z-${String(n).padStart(9, "0")}-p7`
const dirOf = (/** @type {number} */ n) => join(stateRoot, "repo-noremote", "uncommitted", "runs", runId(n))

/** @param {number} events */
const readers = (events) => {
  const { events: count, megabytes } = writeLog(dirOf(events), created(runId(events), repo), events)
  const memory = (/** @type {string} */ name) => join(scratch, `${name}.peak`)
  const watched = (/** @type {string} */ name) => ({
    cwd: repo,
    env: { ...process.env, PEAK: memory(name), NODE_OPTIONS: `--import ${join(scratch, "peak.mjs")}` }
  })
  const command = (/** @type {string} */ name, /** @type {ReadonlyArray<string>} */ args) => ({
    argv: ["node", ...args, "--state-root", stateRoot],
    options: watched(name)
  })
  const log = join(dirOf(events), "manifest.jsonl")
  const figures = interleaved({
    "JSON.parse loop": { argv: ["node", join(scratch, "loop.mjs"), log], options: watched("loop") },
    "replay": command("replay", [cli, "replay", runId(events)]),
    "replay --json": command("json", [cli, "replay", runId(events), "--json"]),
    "audit --log-only": command("audit", [cli, "audit", runId(events), "--log-only"])
  }, Number(rounds))
  const floor = figures["JSON.parse loop"]
  const names = ["loop", "replay", "json", "audit"]
  const row = (/** @type {ReadonlyArray<string>} */ cells) =>
    console.log(cells.map((cell, i) => i === 0 ? cell.padEnd(30) : cell.padStart(14)).join(""))
  console.log("")
  row([`${count} events, ${megabytes.toFixed(0)} MB`, "least wall", "cpu", "ratio of wall", "of cpu", "peak memory"])
  Object.entries(figures).forEach(([name, { cpu, least }], i) => {
    const rss = Number(fs.readFileSync(memory(names[i] ?? ""), "utf8")) / 1024
    const ratios = [least / (floor?.least ?? 1), cpu / (floor?.cpu ?? 1)].map((ratio) => ratio.toFixed(2))
    row([name, `${least.toFixed(0)} ms`, `${cpu.toFixed(0)} ms`, ...ratios, `${rss.toFixed(0)} MB`])
  })
  fs.rmSync(dirOf(events), { recursive: true })
}

/** What a run of 10,000 events adds to a step: the same step on it and on a run of one event. */
const opening = () => {
  const step = (/** @type {number} */ events) => {
    const state = join(scratch, `state-${events}`)
    const target = join(state, "repo-noremote", "uncommitted")
    writeLog(join(target, "runs", runId(1)), created(runId(1), repo), events)
    fs.writeFileSync(join(target, "latest"), runId(1))
    const argv = ["node", cli, "--uncommitted", "--inspect", "--state-root", state]
    return { argv, options: { cwd: repo }, code: 4 }
  }
  const { long, short } = interleaved({ short: step(1), long: step(10_000) }, 15)
  const [from, to] = [short?.least ?? 0, long?.least ?? 0]
  const cpu = (long?.cpu ?? 0) - (short?.cpu ?? 0)
  console.log(
    `a run of 10,000 events adds ${(to - from).toFixed(0)} ms to a step ` +
      `(least wall ${from.toFixed(0)} -> ${to.toFixed(0)} ms; ${cpu.toFixed(0)} ms of processor time)`
  )
}

try {
  execFileSync("git", ["init", "--quiet", repo])
  fs.writeFileSync(join(scratch, "loop.mjs"), loop)
  fs.writeFileSync(join(scratch, "peak.mjs"), peak)
  opening()
  for (const size of sizes.split(",")) readers(Number(size))
} finally {
  fs.rmSync(scratch, { recursive: true, force: true })
}
