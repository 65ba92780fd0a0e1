// startup: what `--help`, a mark and the hook cost beside an empty node program.
// The mark is a real one, with its git calls, its lock and its synced line; so is the hook's state.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
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
  const codex = join(scratch, "codex")
  const answers =
    'for one; do last=$out; out=$one; done; case $(cat) in *broken*) echo FAIL;; *) echo PASS; esac >"$last"'
  writeFileSync(codex, `#!/bin/sh\n${answers}\n`, { mode: 0o755 })
  const hook = ["node", cli, "hook", "--codex-bin", codex, "--state-root", join(scratch, "state")]
  /** @param {string} tool @param {string} [text] */
  const used = (tool, text = "two") => {
    const event = { hook_event_name: "PostToolUse", session_id: "s", prompt_id: "p", cwd: repo, tool_name: tool }
    return JSON.stringify({ ...event, tool_input: { file_path: `${text}.ts`, old_string: "one", new_string: text } })
  }
  /** @type {(text: string) => object} */
  const given = (text) => ({ cwd: repo, input: text, stdio: ["pipe", "ignore", "ignore"] })
  for (const text of ["two", "broken"]) execFileSync("node", hook.slice(1), { cwd: repo, input: used("Edit", text) })
  const figures = interleaved({
    "node -e 0": { argv: ["node", "-e", "0"], options },
    "--help": { argv: ["node", cli, "--help"], options },
    "hook, nothing to review": { argv: hook, options: given(used("Read")) },
    "hook, an edit that passed before": { argv: hook, options: given(used("Edit")) },
    "hook, an edit that failed before": { argv: hook, options: given(used("Edit", "broken")) },
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
