// isolation: how much later the first batch of a large repository starts when its reviewers are isolated.
// The one rule: each start stands beside one without a private repository, taken in turn in the same run.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const cli = join(root, "dist", "ooda-codex-review.cjs")
const codex = join(root, "fixtures", "fake-codex", "codex")
const files = Number(process.argv[2] ?? 20_000)
const rounds = Number(process.argv[3] ?? 5)
const scratch = mkdtempSync(join(tmpdir(), "ooda-bench-isolation-"))
const repo = join(scratch, "repo")
/** @param {ReadonlyArray<string>} args */
const git = (...args) => execFileSync("git", args, { cwd: repo, stdio: "pipe" })

/** @param {ReadonlyArray<number>} values */
const median = (values) => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
/** @param {number} value */
const ms = (value) => `${value.toFixed(0)} ms`

/**
 * Milliseconds from the start of a step on a new run to the first reviewer's start, and those of the whole step.
 * @param {ReadonlyArray<string>} how
 */
const start = (...how) => {
  const at = mkdtempSync(join(scratch, "round-"))
  const env = {
    ...process.env,
    FAKE_CODEX_DIR: join(at, "codex"),
    FAKE_CODEX: "issues 1",
    OODA_STATE_ROOT: join(at, "state")
  }
  mkdirSync(join(at, "codex"))
  const began = Date.now()
  const args = [cli, "--uncommitted", "-n", "1", "--codex-bin", codex, ...how]
  const { status, stderr } = spawnSync("node", args, { cwd: repo, env, encoding: "utf8" })
  const whole = Date.now() - began
  if (status !== 5) throw new Error(`the step ended with ${status}: ${stderr}`)
  const [call = ""] = readdirSync(join(at, "codex", "calls"))
  const first = statSync(join(at, "codex", "calls", call, "argv")).mtimeMs - began
  rmSync(at, { recursive: true, force: true })
  return { first, whole }
}

try {
  for (let i = 0; i < files; i++) {
    if (i % 200 === 0) mkdirSync(join(repo, `d${i / 200}`), { recursive: true })
    writeFileSync(join(repo, `d${Math.floor(i / 200)}`, `f${i}.txt`), `${i}\n`.repeat(40))
  }
  git("init", "--quiet")
  git("add", "--all")
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "One")
  writeFileSync(join(repo, "d0", "f0.txt"), "edited\n")
  /** @type {{ plain: Array<number>, isolated: Array<number>, wholePlain: Array<number>, wholeIsolated: Array<number> }} */
  const taken = { plain: [], isolated: [], wholePlain: [], wholeIsolated: [] }
  for (let round = 0; round < rounds; round++) {
    const [plain, isolated] = [start(), start("--isolate")]
    taken.plain.push(plain.first)
    taken.isolated.push(isolated.first)
    taken.wholePlain.push(plain.whole)
    taken.wholeIsolated.push(isolated.whole)
  }
  console.log(`isolation, ${files} files, ${rounds} rounds, medians`)
  const [plain, isolated] = [median(taken.plain), median(taken.isolated)]
  console.log(`first reviewer starts after ${ms(isolated)} isolated, ${ms(plain)} not: ${ms(isolated - plain)} later`)
  const [wholePlain, whole] = [median(taken.wholePlain), median(taken.wholeIsolated)]
  console.log(
    `a step of one batch: ${ms(whole)} isolated, ${ms(wholePlain)} not, ratio ${(whole / wholePlain).toFixed(2)}`
  )
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}
