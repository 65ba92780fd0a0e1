// startup: what `--help` and a mark cost beside an empty node program.
// The one rule: the mark is a real one, with its git calls, its lock and its synced line.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { interleaved } from "./measure.mjs"

const cli = resolve(import.meta.dirname, "../dist/ooda-codex-review.cjs")
const rounds = Number(process.argv[2] ?? 30)
const scratch = mkdtempSync(join(tmpdir(), "ooda-bench-"))
try {
  const repo = join(scratch, "repo")
  execFileSync("git", ["init", "--quiet", repo])
  const options = { cwd: repo }
  const mark = ["node", cli, "--uncommitted", "--state-root", join(scratch, "state"), "--restart-from-floor"]
  const figures = interleaved({
    "node -e 0": { argv: ["node", "-e", "0"], options },
    "--help": { argv: ["node", cli, "--help"], options },
    "a mark": { argv: mark, options, code: 7 },
    "its git calls": { argv: ["git", "rev-parse", "--show-toplevel"], options }
  }, rounds)
  const base = figures["node -e 0"]
  console.log(`start-up, ${rounds} interleaved runs           least     median     cpu    ratio of cpu, of least wall`)
  for (const [name, { cpu, least, median }] of Object.entries(figures)) {
    const ratios = `${(cpu / (base?.cpu ?? 1)).toFixed(2)}   ${(least / (base?.least ?? 1)).toFixed(2)}`
    console.log(
      `${name.padEnd(36)} ${least.toFixed(1)} ms   ${median.toFixed(1)} ms   ${cpu.toFixed(1)} ms   ${ratios}`
    )
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
