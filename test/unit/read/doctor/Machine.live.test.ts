// Machine.live: its Node, its programs with a time limit, and its places, written and locked for real.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, afterEach, assert, describe, it } from "vitest"
import { Environment } from "../../../../src/platform/Environment.ts"
import { layer, storageFacts } from "../../../../src/read/doctor/Machine.live.ts"
import { Machine } from "../../../../src/read/doctor/Machine.ts"
import { eventually, living } from "../../platform/guard/processes.ts"
import { eachInDirectory } from "../../../support/directories.ts"

const machineDir = mkdtempSync(join(tmpdir(), "ooda-machine-"))
afterAll(() => rmSync(machineDir, { recursive: true }))

const run = <A>(use: (machine: typeof Machine.Service) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Machine.use(use).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, {
        PATH: process.env["PATH"],
        CODEX_HOME: join(machineDir, "codex"),
        GIVEN: "yes",
        CLAUDE_CODE_CLIENT_KEY: "/key.pem",
        CODEX_API_KEY: "1",
        OTHER_TOKEN: "2"
      })
    )
  )

describe("this machine", () => {
  it("has the Node that runs this test", async () =>
    assert.strictEqual(await run(({ nodeVersion }) => Effect.succeed(nodeVersion)), process.version))

  it("runs programs in the given environment", async () => {
    const answer = await run(({ ask }) => ask("sh", ["-c", "echo $GIVEN; pwd"], { cwd: "/", limit: 5000 }))
    assert.deepInclude(answer, { code: 0, stdout: "yes\n/\n" })
  })

  it("says which variables agents do not get, by the keys of their engine", async () => {
    assert.deepStrictEqual(await run(({ withheld }) => withheld("claude")), ["CODEX_API_KEY", "OTHER_TOKEN"])
    assert.deepStrictEqual(await run(({ withheld }) => withheld("codex")), ["CLAUDE_CODE_CLIENT_KEY", "OTHER_TOKEN"])
  })

  it("kills a program that does not answer in time, and all its children", async () => {
    const script = `sleep 3600 & echo $! >${join(machineDir, "child")}; wait`
    const answer = await run(({ ask }) => ask("sh", ["-c", script], { cwd: machineDir, limit: 500 }))
    assert.deepInclude(answer, { code: null, problem: "timeout" })
    const child = Number(readFileSync(join(machineDir, "child"), "utf8"))
    await eventually("the child's end", () => !living(child))
  })

  it("has a place for runs, and the check leaves nothing there", async () => {
    const root = join(machineDir, "state")
    assert.deepInclude(await run(({ storage }) => storage(root)), { root, exists: false, writeProblem: null })
    assert.isFalse(existsSync(root))
    assert.isEmpty(readdirSync(machineDir).filter((name) => name.startsWith(".ooda")))
  })

  it("has codex's home at the place that the environment names", async () =>
    assert.deepInclude(await run(({ codexHome }) => codexHome), { home: join(machineDir, "codex"), named: true }))
})

const dir = eachInDirectory()
afterEach(() => {
  chmodSync(dir(), 0o700)
})

const root = process.getuid?.() === 0

describe("a place for runs", () => {
  it("that exists can be written and locked, and is left unchanged", () => {
    const facts = storageFacts(dir(), process.env)
    assert.deepInclude(facts, { root: dir(), exists: true, writeProblem: null, lockProblem: null, network: false })
    assert.match(facts.fileSystem, /^[a-z0-9]+$|^type 0x/)
    assert.isEmpty(readdirSync(dir()))
  })

  it("that does not exist is tried in the nearest directory above it, and is not created", () => {
    const path = dir("not", "there")
    assert.deepInclude(storageFacts(path, process.env), { root: path, exists: false, writeProblem: null })
    assert.isFalse(existsSync(dir("not")))
    assert.isEmpty(readdirSync(dir()))
  })

  it.skipIf(root)("that cannot be written says why", () => {
    chmodSync(dir(), 0o500)
    assert.deepInclude(storageFacts(dir(), process.env), {
      writeProblem: "no permission (EACCES: mkdtemp)",
      lockProblem: null
    })
  })

  it("says so if no program can lock, and is left unchanged", () => {
    mkdirSync(dir("bin"))
    const { lockProblem } = storageFacts(dir(), { PATH: dir("bin") })
    assert.strictEqual(lockProblem?.kind, "NoProgram")
    assert.match(lockProblem?.text ?? "", /^none of flock, perl and python3/)
    assert.deepStrictEqual(readdirSync(dir()), ["bin"])
  })
})
