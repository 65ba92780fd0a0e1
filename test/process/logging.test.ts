// The program's own log: silent unless it is asked for; then one line of JSON an entry, and nothing on standard output.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

const loop = ["--uncommitted", "-n", "2", "--ceiling", "low"]
const entries = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text.trimEnd().split("\n").map((line) => JSON.parse(line))
const logOf = (world: World, name = "ooda.log") => entries(readFileSync(world.path(name), "utf8"))
const batch = (run: string | undefined, slot: number) => ({ run, batch: "low/1", slot, attempt: 1 })

describe.concurrent("a log file", () => {
  it("on a full disk changes nothing, and the call says how many entries are lost", async ({ world }) => {
    const { exit, stderr, stdout } = await world.step("runs", "--log-file", "/dev/full")
    assert.deepStrictEqual([exit, stdout], [0, "no runs\n"])
    const [lost, ...more] = entries(stderr)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(lost, { level: "WARN" })
    assert.match(String(lost?.["message"]), /^[1-9]\d* entries of the log could not be written/)
  })

  it("records the work of a step, of a mark and of a subcommand", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    world.scenario("2", "issues 1")
    const log = ["--log-file", world.path("ooda.log")]
    const step = await world.step(...loop, ...log)
    assert.deepInclude(step, { exit: 5, stdout: "", header: "HandoffAgent: AddressBatch" })
    const [run] = world.runs()
    const records = logOf(world)
    assert.strictEqual(statSync(world.path("ooda.log")).mode & 0o777, 0o600)

    const messages = records.map(({ message }) => message)
    assert.deepInclude(records[0], { level: "INFO", message: "the call begins", call: "Loop" })
    assert.deepInclude(records.at(-1), { level: "INFO", outcome: "HandoffAgent: AddressBatch" })
    for (const entry of records) {
      assert.hasAllKeys({ time: 1, level: 1, pid: 1, message: 1, ...entry }, Object.keys(entry))
    }
    const of = (message: string) => records.filter((entry) => entry["message"] === message)
    const ran = of("ran a program").find(({ args }) => String(args).includes("show-toplevel"))
    assert.deepInclude(ran, { program: "git", exit: 0, span: "Repository.worktreeAt" })
    assert.isNumber(ran?.["ms"])
    assert.includeDeepMembers(of("decided").map(({ because, decision, run }) => ({ run, decision, because })), [
      { run, decision: "RunReviews", because: "not-started" },
      { run, decision: "Halt", because: "HandoffAgent: AddressBatch" }
    ])
    for (const slot of [1, 2]) {
      assert.isTrue(of("started a reviewer").some((entry) => entry["slot"] === slot))
      const exited = of("a reviewer exited").find((entry) => entry["slot"] === slot)
      assert.deepInclude(exited, { ...batch(run, slot), status: 0, deadline: false })
    }
    const seqs = of("committed a line").map(({ seq }) => Number(seq))
    assert.deepStrictEqual(seqs, seqs.map((_, i) => i + 1))
    assert.include(messages, "locked a file")
    assert.notInclude(JSON.stringify(records), "prompt:")

    const mark = await world.step(...loop, "--mark-address-passed", ...log)
    assert.strictEqual(mark.exit, 7)
    const marked = logOf(world).slice(records.length)
    assert.isTrue(marked.some(({ mark, message }) => message === "decided on a mark" && mark === "AddressPassed"))
    const sofar = records.length + marked.length

    const runs = await world.step("runs", ...log)
    assert.deepInclude(runs, { exit: 0, stderr: "" })
    assert.isTrue(runs.stdout.includes(run ?? "?"))
    assert.isTrue(logOf(world).slice(sofar).some(({ message }) => message === "ran a program"))
  })

  it("may be named by the environment", async ({ world }) => {
    const env = { OODA_LOG_FILE: world.path("env.log"), OODA_LOG_LEVEL: "info" }
    const { exit, stderr } = await world.start([...loop, "--inspect"], env).ended
    assert.deepEqual({ exit, stderr }, { exit: 4, stderr: "WouldAdvance: RunReviews\n" })
    assert.deepEqual(logOf(world, "env.log").map(({ level }) => level), ["INFO", "INFO"])
  })

  it("that cannot be written ends the call before anything is started", async ({ world }) => {
    mkdirSync(world.path("directory"))
    for (const args of [loop, [...loop, "--advance-level"], ["runs"]]) {
      const { exit, stderr, stdout } = await world.step(...args, "--log-file", world.path("directory"))
      assert.deepEqual({ exit, stdout }, { exit: 6, stdout: "" })
      assert.match(stderr, /^[\w-]+: the log file [^\n]* cannot be written: it is a directory \[[^\n]*\]\n$/)
    }
    assert.deepEqual([world.calls().length, existsSync(world.stateRoot)], [0, false])
  })

  it("in the code under review is refused, and the code stays as it is", { tags: "slow" }, async ({ world }) => {
    writeFileSync(`${world.repo}/new.txt`, "")
    const before = world.git("status", "--porcelain")
    const { exit, header } = await world.step(...loop, "--log-file", "ooda.log")
    assert.strictEqual(exit, 6)
    assert.match(header, /^BinaryError: the log file ooda\.log would change the code under review/)
    assert.strictEqual(world.git("status", "--porcelain"), before)
  })
})

describe.concurrent("standard error", () => {
  it("has the log before the header where no file is named, and standard output has none of it", async ({ world }) => {
    for (const [args, exit] of [[[...loop, "--advance-level"], 7], [["runs"], 0]] as const) {
      const { stderr, stdout, ...ended } = await world.step(...args, "--log-level", "trace")
      assert.strictEqual(ended.exit, exit)
      assert.notMatch(stdout, /"level"/)
      const lines = stderr.trimEnd().split("\n").filter((line) => line.startsWith("{"))
      assert.isTrue(entries(lines.join("\n")).some(({ level }) => level === "TRACE"))
      if (exit === 7) assert.isTrue(stderr.endsWith("}\nIdle\n"))
    }
  })

  it("has nothing by default, whatever the program meets", async ({ world }) => {
    world.scenario("default", "clean")
    const { exit, stderr, stdout } = await world.step(...loop)
    assert.deepEqual({ exit, stderr, stdout }, { exit: 0, stderr: "DoneFixedPoint\n", stdout: "" })
    const runs = await world.step("runs")
    assert.deepInclude(runs, { exit: 0, stderr: "" })
  })

  it("says in one line what is wrong with a level", async ({ world }) => {
    const { exit, header } = await world.step(...loop, "--log-level", "loud")
    assert.deepEqual({ exit, header }, {
      exit: 64,
      header: 'UsageError: --log-level "loud": expected trace, debug, info, warn, error or none'
    })
  })
})
