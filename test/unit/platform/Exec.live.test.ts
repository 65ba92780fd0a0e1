// Helper programs: what they print and how they end is data, and nothing of them outlives their time.
// A program that never began is never killed: node would send that signal to our own process group.
import { ChildProcess, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { afterEach, assert, describe, it, vi } from "vitest"
import { exec, type ExecOptions, whyNot } from "../../../src/platform/Exec.ts"
import { eventually, living } from "./guard/processes.ts"

const run = (program: string, args: ReadonlyArray<string> = [], options: Partial<ExecOptions> = {}) =>
  Effect.runPromise(exec(program, args, { cwd: process.cwd(), ...options }))

afterEach(() => {
  vi.restoreAllMocks()
})

describe("exec", () => {
  it("gives both streams and the exit as they are", async () => {
    const done = await run("sh", ["-c", "echo out; echo err >&2; exit 3"])
    assert.deepStrictEqual(done, { code: 3, stdout: "out\n", stderr: "err\n", problem: null })
    assert.strictEqual(whyNot("sh", done), "err")
  })

  it.each([true, false])("ends a program at its time limit (a group of its own: %s)", async (group) => {
    const done = await run("sleep", ["60"], { timeout: 50, group })
    assert.strictEqual(done.problem, "timeout")
  })

  it("gives the same on a leash, and ends all of it at the time limit", async () => {
    const done = await run("sh", ["-c", "cat; echo out; echo err >&2; exit 3"], { leash: true })
    assert.deepStrictEqual(done, { code: 3, stdout: "out\n", stderr: "err\n", problem: null })
    const late = await run("sh", ["-c", "echo $$; sleep 60; :"], { leash: true, timeout: 2000 })
    assert.strictEqual(late.problem, "timeout")
    await eventually("its end", () => !living(Number(late.stdout)))
  })

  it("asks what is on a leash to end before it is killed", async () => {
    const asked = join(mkdtempSync(join(tmpdir(), "ooda-leash-")), "asked")
    const script = `trap 'echo >${asked}; exit' TERM; (trap '' TERM; exec sleep 60) & echo $!; wait`
    const late = await run("sh", ["-c", script], { leash: true, timeout: 2000 })
    await eventually("its end in order", () => existsSync(asked))
    await eventually("the end of what does not listen", () => !living(Number(late.stdout)))
  })

  it("gives the same if this process blocks for it", async () => {
    const done = await run("sh", ["-c", "cat; echo out; echo err >&2; exit 3"], { instant: true })
    assert.deepStrictEqual(done, { code: 3, stdout: "out\n", stderr: "err\n", problem: null })
    const late = await run("sh", ["-c", "echo begun; exec sleep 60"], { instant: true, timeout: 2000 })
    assert.deepStrictEqual(late, { code: null, stdout: "begun\n", stderr: "", problem: "timeout" })
    const killed = await run("sh", ["-c", "kill -s KILL $$"], { instant: true })
    assert.deepStrictEqual(killed, { code: null, stdout: "", stderr: "", problem: null, signal: "SIGKILL" })
    const bytes = await run("printf", ["\\377"], { instant: true, encoding: "latin1" })
    assert.strictEqual(bytes.stdout, "\u00ff")
  })

  it.each([true, false])("says that a program is missing, or that the directory is (instant: %s)", async (instant) => {
    const missing = await run("no-such-program", [], { instant })
    assert.strictEqual(missing.problem, "missing")
    assert.strictEqual(whyNot("no-such-program", missing), "no-such-program is not installed or not on PATH")
    const nowhere = await run("sh", ["-c", "exit 0"], { cwd: "/no/such/directory", instant })
    assert.strictEqual(whyNot("sh", nowhere), "there is no directory /no/such/directory")
  })

  it.each([true, false])("says what the system refused outright (instant: %s)", async (instant) => {
    const done = await run("sh", ["-c", "x".repeat(4_000_000)], { instant })
    assert.strictEqual(done.problem, "failed")
    assert.match(whyNot("sh", done), /E2BIG/)
  })

  it("kills a program when it is interrupted", async () => {
    const fiber = Effect.runFork(exec("sleep", ["61.0625"], { cwd: process.cwd() }))
    await Effect.runPromise(Fiber.interrupt(fiber))
    await vi.waitFor(() => assert.notInclude(spawnSync("ps", ["-eo", "args"]).stdout.toString(), "sleep 61.0625"))
  })

  it("is interrupted no sooner than the program is gone", async () => {
    const pids = () => spawnSync("pgrep", ["-f", "^sleep 61.1875$"]).stdout.toString()
    const fiber = Effect.runFork(exec("sleep", ["61.1875"], { cwd: process.cwd(), group: true }))
    await vi.waitFor(() => assert.notStrictEqual(pids(), ""))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.strictEqual(pids(), "")
  })

  it.each([true, false])("kills nothing when what is interrupted never began (a group: %s)", async (group) => {
    const byChild = vi.spyOn(ChildProcess.prototype, "kill").mockReturnValue(true)
    const byNumber = vi.spyOn(process, "kill").mockReturnValue(true)
    const fiber = Effect.runFork(exec("no-such-program", [], { cwd: process.cwd(), group }))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.isEmpty(byChild.mock.calls)
    assert.isEmpty(byNumber.mock.calls)
  })
})
