// history: what `replay` and `audit` cost beside a bare JSON.parse loop, and what a long run adds to a step.
// Whole processes, interleaved; figures are ratios to a floor measured in the same run.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { created, writeLog } from "./longRun.mjs"
import { interleaved } from "./measure.mjs"

const root = resolve(import.meta.dirname, "..")
const cli = join(root, JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8")).bin["ooda-codex-review"])
const [sizes = "100000,1000000", rounds = "3"] = process.argv.slice(2)

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
