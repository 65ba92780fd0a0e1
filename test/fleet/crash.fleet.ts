// crash: the log under kills of the server and of those who write, in mid-append; and two machines that write at once.
// What was acknowledged is there, in its place; what is there is there once; and every line is proven.
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { Effect, Exit, ManagedRuntime } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { prepareProgram } from "../crash/program.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { created, note, notes } from "../unit/log/samples.ts"
import { outcome, writeLines } from "../unit/log/temporaryLog.ts"
import { databaseOf, logIn, makeStore, withServer } from "./databases.ts"

const { installed, url } = databaseOf("crash")
const role = "crash_writer"

/** A running writer, and the lines that were acknowledged to it: `seq text`. */
interface Writer {
  readonly process: ChildProcess
  readonly ended: Promise<unknown>
  readonly said: () => ReadonlyArray<string>
}

describe.runIf(installed)("a log on PostgreSQL", () => {
  const prepared = { program: "", root: "" }
  const living: Array<ChildProcess> = []
  beforeAll(async () => {
    Object.assign(prepared, await prepareProgram("../fleet/writer.ts"))
    await makeStore(url(), role)
  })
  afterAll(() => {
    for (const one of living) one.kill("SIGKILL")
    rmSync(prepared.root, { recursive: true, force: true })
  })

  const startWriter = (at: string, store: string, name: string): Writer => {
    const process_ = spawn(process.execPath, [prepared.program, at, store, name], { stdio: ["ignore", "pipe", "pipe"] })
    living.push(process_)
    let text = ""
    process_.stdout.setEncoding("utf8").on("data", (part: string) => text += part)
    const ended = new Promise((resolve) => process_.once("close", resolve))
    return { process: process_, ended, said: () => text.split("\n").slice(0, -1) }
  }
  const kill = async (writer: Writer) => {
    assert.isNull(writer.process.exitCode, "a writer ended by itself")
    writer.process.kill("SIGKILL")
    await writer.ended
  }
  /** Waits until so many more lines were acknowledged. */
  const more = async (writers: ReadonlyArray<Writer>, count: number) => {
    const sum = () => writers.reduce((all, { said }) => all + said().length, 0)
    for (const from = sum(); sum() < from + count;) await setTimeout(5)
  }

  /** Checks the log against the acknowledged lines. `open`: how many appends may have no answer. */
  const proven = async (at: string, store: string, said: ReadonlyArray<string>, open: number) => {
    const read = Effect.provide(EventLog.use((log) => log.read(reviewRun, onlyRun(store))), logIn(at))
    const contents = await Effect.runPromise(read)
    const texts = notes(contents)
    assert.strictEqual(new Set(texts).size, texts.length, "a line is there twice")
    const bySeq = new Map(contents.commits.map((commit) => [commit.seq, notes({ commits: [commit] })[0]]))
    for (const line of said) {
      const [seq, text] = line.split(" ")
      assert.strictEqual(bySeq.get(Number(seq)), text, "an acknowledged line is lost")
    }
    assert.isAtMost(texts.length - said.length, open)
    return texts.length
  }

  it("loses no acknowledged line and doubles none when its server is killed in mid-append", () =>
    withServer(true, async (server) => {
      const at = server.database("own")
      await makeStore(at, role)
      const writers = ["a", "b"].map((name) => startWriter(at, "shared", name))
      const rounds = 4
      for (let round = 0; round < rounds; round++) {
        await more(writers, 30)
        await setTimeout(Math.random() * 50)
        await server.crash()
        await server.start()
      }
      await more(writers, 10)
      for (const writer of writers) await kill(writer)
      const said = writers.flatMap((writer) => writer.said())
      const lines = await proven(at, "shared", said, (rounds + 1) * writers.length)
      console.log(`${lines} lines through ${rounds} crashes of the server; ${lines - said.length} without an answer`)
    }))

  it("loses no acknowledged line and doubles none when those who write are killed in mid-append", async () => {
    const said: Array<string> = []
    const rounds = 8
    for (let round = 0; round < rounds; round++) {
      const writers = [startWriter(url(role), "killed", `${round}a`), startWriter(url(role), "killed", `${round}b`)]
      await more(writers, 20)
      await setTimeout(Math.random() * 20)
      await Promise.all(writers.map(kill))
      said.push(...writers.flatMap((writer) => writer.said()))
    }
    const lines = await proven(url(), "killed", said, rounds * 2)
    console.log(`${lines} lines through ${rounds * 2} killed writers; ${lines - said.length} without an answer`)
  })

  it("lets exactly one of two machines write after a head, and exactly one begin", async () => {
    const machines = [1, 2].map(() => ManagedRuntime.make(logIn(url(role))))
    const logs = await Promise.all(machines.map((machine) => machine.runPromise(EventLog)))
    const race = async (use: (log: EventLog["Service"], i: number) => Effect.Effect<unknown, unknown>) => {
      const exits = await Promise.all(logs.map((log, i) => Effect.runPromiseExit(use(log, i))))
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      for (const exit of exits.filter(Exit.isFailure)) {
        assert.deepInclude(await outcome(Effect.failCause(exit.cause)), { _tag: "LogConflict" })
      }
    }
    const [first] = logs
    if (first === undefined) return assert.fail("no log")
    for (let round = 0; round < 20; round++) {
      await race((log) => log.create(reviewRun, onlyRun(`race-${round}`), [created()]))
    }
    const run = onlyRun("race")
    await Effect.runPromise(writeLines(first, run, 1))
    for (let round = 0; round < 100; round++) {
      const { head } = await Effect.runPromise(first.read(reviewRun, run))
      await race((log, i) => log.append(reviewRun, run, head, [note(`${round}.${i}`)]))
    }
    assert.lengthOf((await Effect.runPromise(first.read(reviewRun, run))).commits, 101)
    await Promise.all(machines.map((machine) => machine.dispose()))
  })
})
