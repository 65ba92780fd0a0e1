// status: what `status` and `runs` cost on a run of 1,000 events beside an empty node program.
// Whole processes, interleaved; figures are ratios to bare node, measured in the same run.
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { created, writeLog } from "./longRun.mjs"
import { interleaved } from "./measure.mjs"

const cli = resolve(import.meta.dirname, "../dist/ooda-codex-review.cjs")
const rounds = Number(process.argv[2] ?? 20)
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "ooda-bench-status-")))
try {
  const repo = join(scratch, "repo")
  execFileSync("git", ["init", "--quiet", repo])
  const runId = "20300101T000000Z-000000001-p7"
  const run = join(scratch, "state", "repo-noremote", "uncommitted", "runs", runId)
  const { events } = writeLog(run, created(runId, repo), 1000)
  const options = { cwd: repo }
  const root = ["--state-root", join(scratch, "state")]
  const figures = interleaved({
    "node -e 0": { argv: ["node", "-e", "0"], options },
    "status": { argv: ["node", cli, "status", ...root], options },
    "runs": { argv: ["node", cli, "runs", ...root], options }
  }, rounds)
  const base = figures["node -e 0"]
  console.log(`a run of ${events} events, ${rounds} interleaved runs   least     median     ratio of least wall`)
  for (const [name, { least, median }] of Object.entries(figures)) {
    const ratio = (least / (base?.least ?? 1)).toFixed(2)
    console.log(`${name.padEnd(46)} ${least.toFixed(0)} ms     ${median.toFixed(0)} ms     ${ratio}`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
