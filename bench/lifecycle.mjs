// lifecycle: what a person waits for: waking up, taking in huge transcripts, a whole ladder; beside plain shell.
// Every figure is compared with a baseline taken in the same run, with the same reviewers.
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

const root = resolve(import.meta.dirname, "..")
const cli = join(root, "dist", "ooda-codex-review.cjs")
const codex = join(root, "fixtures", "fake-codex", "codex")
const rounds = Number(process.argv[2] ?? 10)
const megabytes = Number(process.argv[3] ?? 500)
const waitedSeconds = Number(process.argv[4] ?? 60)
const scratch = mkdtempSync(join(tmpdir(), "ooda-bench-"))
const levels = ["low", "medium", "high", "xhigh"]

/** @param {ReadonlyArray<number>} values */
const median = (values) => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
/** @param {number} value */
const ms = (value) => `${value.toFixed(0)} ms`.padStart(9)

let worlds = 0
/** A repository, a state root and a control directory of the fake codex of their own. */
const world = () => {
  const dir = join(scratch, `world-${++worlds}`)
  const [repo, state, control] = [join(dir, "repo"), join(dir, "state"), join(dir, "control")]
  for (const path of [repo, control]) mkdirSync(path, { recursive: true })
  execFileSync("git", ["init", "--quiet", repo])
  const env = { ...process.env, FAKE_CODEX_DIR: control, TMPDIR: dir, OODA_AWAIT_SECS: "30", OODA_STATE_ROOT: state }
  return { dir, repo, state, control, env, go: join(dir, "go") }
}
/** @typedef {ReturnType<typeof world>} World */

/**
 * Starts a program; `ended` gives its exit code and when it ended, in epoch milliseconds.
 * @param {World} at @param {ReadonlyArray<string>} argv @param {NodeJS.ProcessEnv} more
 */
const start = (at, argv, more = {}) => {
  const [program = "", ...args] = argv
  const child = spawn(program, args, { cwd: at.repo, env: { ...at.env, ...more }, stdio: "ignore" })
  /** @type {Promise<{ readonly code: number | null, readonly at: number }>} */
  const ended = new Promise((done) =>
    child.once("exit", (code) => done({ code, at: performance.timeOrigin + performance.now() }))
  )
  return { ended, pid: child.pid ?? 0, kill: () => child.kill("SIGKILL") }
}
/** @param {ReadonlyArray<string>} args */
const step = (...args) => ["node", cli, "--uncommitted", "--codex-bin", codex, ...args]

/** @param {() => boolean} holds */
const until = async (holds) => {
  while (!holds()) await pause(5)
}
/** @param {World} at @param {number} count */
const calls = (at, count) => {
  const path = join(at.control, "calls")
  return existsSync(path) && readdirSync(path).filter((n) => existsSync(join(path, n, "pid"))).length >= count
}
/** The batch directory of a level in a world's only run. @param {World} at @param {string} level */
const batch = (at, level) => {
  const runs = join(
    at.state,
    readdirSync(at.state).find((name) => name.startsWith("repo-")) ?? "",
    "uncommitted",
    "runs"
  )
  return join(runs, readdirSync(runs)[0] ?? "", "levels", `level-${level}`, "batch-1")
}
/** @param {string} dir */
const exits = (dir) => readdirSync(dir).filter((name) => name.endsWith(".exit")).map((name) => join(dir, name))

/** The same reviewers in plain shell: in parallel, and waited for. @param {ReadonlyArray<string>} ladder */
const shell = (ladder) => {
  const one = (/** @type {string} */ level) =>
    `for i in 1 2 3; do ${codex} review --uncommitted -c model_reasoning_effort='"${level}"' >o$i 2>e$i & done; wait;`
  return ["sh", "-c", ladder.map(one).join(" ")]
}

/** When the last review of a batch was recorded, in epoch milliseconds. @param {string} dir its directory */
const recordedAt = (dir) => {
  const lines = readFileSync(resolve(dir, "../../../manifest.jsonl"), "utf8").trim().split("\n")
  return Date.parse(JSON.parse(lines.findLast((one) => one.includes('"ReviewFinished"')) ?? "{}").at)
}

/** When a step woke up, in epoch milliseconds. @param {string} log its log file */
const wakings = (log) =>
  readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ message }) => message === "woke up").map(({ time }) => Date.parse(time))

/**
 * Milliseconds from the moment when the last exit file is in place until the step is awake, until it records that
 * review, for which it asks git about the code first, and until it ends, after one more look at the code.
 * @param {boolean} earlier whether the reviewers belong to an earlier step that was killed
 */
const wakeUp = async (earlier) => {
  const at = world()
  writeFileSync(join(at.control, "default"), `wait ${at.go};clean`)
  const log = join(at.dir, "log")
  const args = step("--ceiling", "low", "--log-level", "trace", "--log-file", log)
  const first = start(at, args)
  await until(() => calls(at, 3))
  if (earlier) {
    first.kill()
    await first.ended
  }
  const waiting = earlier ? start(at, args) : first
  // In the middle of the 30 s that it would sleep if nothing woke it.
  await pause(1000)
  writeFileSync(at.go, "")
  const { at: end, code } = await waiting.ended
  if (code !== 0) throw new Error(`the step ended with ${code}`)
  // The rename that puts an exit file in place changes its ctime, but not its mtime.
  const dir = batch(at, "low")
  const last = Math.max(...exits(dir).map((path) => statSync(path).ctimeMs))
  const recorded = recordedAt(dir)
  // Without another waking it was awake already, because of an end just before.
  const awake = wakings(log).find((time) => time >= Math.floor(last)) ?? last
  return { awake: awake - last, recorded: recorded - last, ended: end - last }
}

/** Processor time of a process and of its children that have ended, in milliseconds; 10 ms ticks. @param {number} pid */
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ")
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

/** What a step uses of one processor while it waits for eight reviewers that talk, in percent. */
const waitingCost = async () => {
  const at = world()
  writeFileSync(join(at.control, "default"), `talk ${at.go};clean`)
  const waiting = start(at, step("--ceiling", "low", "-n", "8"))
  await until(() => calls(at, 8))
  await pause(3000)
  const [from, before] = [performance.now(), cpuOf(waiting.pid)]
  await pause(waitedSeconds * 1000)
  const share = (cpuOf(waiting.pid) - before) / (performance.now() - from)
  writeFileSync(at.go, "")
  await waiting.ended
  return share * 100
}

/** Milliseconds from the end of the last of three reviewers to the end of the shell that waited for them. */
const shellWakeUp = async () => {
  const at = world()
  const last = join(at.dir, "last")
  writeFileSync(join(at.control, "default"), `wait ${at.go};clean;mark ${last}`)
  const waiting = start(at, shell(["low"]))
  await until(() => calls(at, 3))
  await pause(1000)
  writeFileSync(at.go, "")
  const { at: end } = await waiting.ended
  return end - statSync(last).mtimeMs
}

/**
 * The step that takes in three finished transcripts of a size: its time in milliseconds and its peak memory in MB.
 * @param {number} bytes
 */
const observation = async (bytes) => {
  const at = world()
  const watch = join(at.dir, "rss.mjs")
  const rss = join(at.dir, "rss")
  writeFileSync(
    watch,
    `import { writeFileSync } from "node:fs"
process.on("exit", () => writeFileSync(${JSON.stringify(rss)}, String(process.resourceUsage().maxRSS)))`
  )
  writeFileSync(join(at.control, "default"), bytes === 0 ? `wait ${at.go};clean` : `huge ${bytes};wait ${at.go};clean`)
  const first = start(at, step("--ceiling", "low"))
  await until(() => calls(at, 3))
  first.kill()
  await first.ended
  writeFileSync(at.go, "")
  const dir = batch(at, "low")
  await until(() => exits(dir).length === 3)
  const from = performance.now()
  const { code } = await start(at, step("--ceiling", "low"), { NODE_OPTIONS: `--import ${watch}` }).ended
  const time = performance.now() - from
  if (code !== 0) throw new Error(`the step ended with ${code}`)
  const logs = levels.slice(0, 1).flatMap((level) => [1, 2, 3].map((slot) => join(dir, `${level}-${slot}.log`)))
  const whole = performance.now()
  execFileSync("sh", ["-c", 'grep -c "^codex$" "$@"', "sh", ...logs], { stdio: "ignore" })
  const result = { time, memory: Number(readFileSync(rss, "utf8")) / 1024, whole: performance.now() - whole }
  rmSync(at.dir, { recursive: true, force: true })
  return result
}

/** A whole ladder of three instant reviewers a level, and the same reviewers in plain shell. Milliseconds. */
const ladder = async () => {
  const at = world()
  const from = performance.now()
  for (const level of levels) {
    const expected = level === "xhigh" ? 0 : 5
    const { code } = await start(at, step()).ended
    if (code !== expected) throw new Error(`the step at ${level} ended with ${code}`)
    if (level !== "xhigh") await start(at, step("--mark-retro-clean")).ended
  }
  const ours = performance.now() - from
  const other = world()
  const then = performance.now()
  await start(other, shell(levels)).ended
  return { ours, plain: performance.now() - then }
}

/** @param {string} what @param {ReadonlyArray<number>} values @param {string} beside */
const line = (what, values, beside) =>
  console.log(`${what.padEnd(52)} ${ms(median(values))} median ${ms(Math.max(...values))} most   ${beside}`)

try {
  /** @typedef {{ readonly awake: number, readonly recorded: number, readonly ended: number }} Woken */
  /** @type {{ own: Array<Woken>, earlier: Array<Woken>, plain: Array<number> }} */
  const woken = { own: [], earlier: [], plain: [] }
  for (let round = 0; round < rounds; round++) {
    woken.own.push(await wakeUp(false))
    woken.earlier.push(await wakeUp(true))
    woken.plain.push(await shellWakeUp())
  }
  console.log(`lifecycle, ${rounds} rounds, poll interval 30 s`)
  const beside = `shell's wait: ${ms(median(woken.plain)).trim()}`
  /** @type {ReadonlyArray<["awake" | "recorded" | "ended", string]>} */
  const moments = [["awake", "awake"], ["recorded", "the review recorded"], ["ended", "the step's end"]]
  for (const [moment, what] of moments) {
    line(`last exit file to ${what}`, woken.own.map((one) => one[moment]), moment === "ended" ? beside : "")
    line("the same, reviewers of an earlier step", woken.earlier.map((one) => one[moment]), "")
  }

  const share = await waitingCost()
  console.log(
    `waiting ${waitedSeconds} s for 8 reviewers that talk`.padEnd(52) + ` ${share.toFixed(2)} % of one processor`
  )

  const small = await observation(0)
  const huge = await observation(megabytes * 1_000_000)
  for (const [what, { memory, time, whole }] of /** @type {const} */ ([["small", small], [`${megabytes} MB`, huge]])) {
    const figures = `${ms(time)} and ${memory.toFixed(0)} MB at most`
    console.log(
      `a step that takes in 3 transcripts, ${what}`.padEnd(52) + ` ${figures}   grep over them: ${ms(whole).trim()}`
    )
  }

  const climbs = []
  for (let round = 0; round < Math.max(1, Math.floor(rounds / 3)); round++) climbs.push(await ladder())
  const plain = median(climbs.map((climb) => climb.plain))
  const ours = climbs.map((climb) => climb.ours)
  line(
    "four levels, 3 instant reviewers each",
    ours,
    `shell: ${ms(plain).trim()}, ratio ${(median(ours) / plain).toFixed(1)}`
  )
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}
