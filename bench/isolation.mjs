// isolation: how much later the first batch of a large repository starts when its reviewers are isolated.
// Each start is compared with one without a private repository, taken in turn in the same run. What a round
// made is removed at the very end: for minutes after files are removed, ext4 without a journal creates others ten times
// as slowly. Where other programs remove many files meanwhile, name another file system with TMPDIR.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
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

/** Milliseconds of processor time of all programs that have ended under this one: in the system's ticks of 10 ms. */
const processorTime = () => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/**
 * Milliseconds from the start of a step on a new run to the first reviewer's start, of the whole step, and
 * of processor time that the step and its git took.
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
  const [began, spent] = [Date.now(), processorTime()]
  const args = [cli, "--uncommitted", "-n", "1", "--codex-bin", codex, ...how]
  const { status, stderr } = spawnSync("node", args, { cwd: repo, env, encoding: "utf8" })
  const whole = Date.now() - began
  if (status !== 5) throw new Error(`the step ended with ${status}: ${stderr}`)
  const [call = ""] = readdirSync(join(at, "codex", "calls"))
  const first = statSync(join(at, "codex", "calls", call, "argv")).mtimeMs - began
  return { first, whole, processor: processorTime() - spent }
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
  /** @type {{ plain: Array<ReturnType<typeof start>>, isolated: Array<ReturnType<typeof start>> }} */
  const taken = { plain: [], isolated: [] }
  for (let round = 0; round < rounds; round++) {
    taken.plain.push(start())
    taken.isolated.push(start("--isolate"))
  }
  console.log(`isolation, ${files} files, ${rounds} rounds, medians`)
  /** @param {"first" | "whole" | "processor"} what */
  const pair = (what) => {
    const [plain, isolated] = [
      median(taken.plain.map((one) => one[what])),
      median(taken.isolated.map((one) => one[what]))
    ]
    return { plain, isolated, text: `${ms(isolated)} isolated, ${ms(plain)} not` }
  }
  const [first, whole, processor] = [pair("first"), pair("whole"), pair("processor")]
  console.log(`first reviewer starts after ${first.text}: ${ms(first.isolated - first.plain)} later`)
  console.log(`a step of one batch: ${whole.text}, ratio ${(whole.isolated / whole.plain).toFixed(2)}`)
  console.log(`its processor time: ${processor.text}: ${ms(processor.isolated - processor.plain)} more`)
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}
