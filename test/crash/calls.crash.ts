// File calls: the program killed, or failing, at every single file call it makes while it commits.
// The one rule: acknowledged lines are all there, at most one more; the next program commits as if nothing had been.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer } from "../../src/adapters/log/EventLogFile.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { fileOf, onlyRun } from "../unit/adapters/log/onlyRun.ts"
import { created, note, notes } from "../unit/adapters/log/temporaryLog.ts"
import { type Ending, fileCalls, prepareWriter, runFreely, runUntil } from "./program.ts"
import { reviewRun } from "../../src/core/run/ReviewRun.ts"

const state = { root: "", writer: "" }
beforeAll(async () => {
  Object.assign(state, await prepareWriter())
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

const program = (root: string, name: string, count: number) => [state.writer, root, name, String(count)]

/** The lines of the run in a store after one more writer has added its own. */
const next = (root: string): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(Effect.gen(function*() {
    const log = yield* EventLog
    const run = onlyRun(root)
    const found = yield* Effect.option(log.read(reviewRun, run))
    yield* Option.isNone(found) || found.value.head.seq === 0
      ? log.create(reviewRun, run, [created(), note("next")])
      : log.append(reviewRun, run, found.value.head, [note("next")])
    return notes(yield* log.read(reviewRun, run))
  }).pipe(Effect.provide(layer)))

/** Where a program starts from, and the lines that are acknowledged there already. */
interface Start {
  readonly name: string
  readonly done: ReadonlyArray<string>
  readonly adds: number
  readonly prepare: (root: string) => void
}

const twoLines = (root: string): void => assert.strictEqual(runFreely(program(root, "a", 2)).status, 0)
const starts: ReadonlyArray<Start> = [
  { name: "no run", done: [], adds: 2, prepare: () => {} },
  { name: "a log of two lines", done: ["a1", "a2"], adds: 1, prepare: twoLines },
  {
    name: "a torn tail",
    done: ["a1", "a2"],
    adds: 1,
    prepare: (root) => {
      twoLines(root)
      fs.appendFileSync(fileOf(root, "manifest.jsonl"), "{\"v\":1,\"seq\":3")
    }
  }
]

const endings: ReadonlyArray<Ending> = ["kill", "half", "EIO"]

describe.each(starts)("from $name", ({ adds, done, name, prepare }) => {
  const template = () => path.join(state.root, name)
  const watched = () => path.join(state.root, "state")
  beforeAll(() => {
    fs.mkdirSync(template())
    prepare(template())
  })
  const reset = (): void => {
    fs.rmSync(watched(), { recursive: true, force: true })
    fs.cpSync(template(), watched(), { recursive: true })
  }

  it.each(endings)("a program that ends by %s at any of its file calls", async (how) => {
    reset()
    const calls = fileCalls(program(watched(), "b", adds), watched())
    assert.isAbove(calls.length, 20)
    for (const [i, { name: call }] of calls.entries()) {
      if (how === "half" && call !== "writeSync") continue
      reset()
      const said = runUntil(program(watched(), "b", adds), watched(), i + 1, how)
      const where = `${how} at call ${i + 1} (${call}): ${said.stderr}`
      if (how === "kill" || how === "half") assert.strictEqual(said.signal, "SIGKILL", where)
      else assert.include([0, 6], said.status, where)

      const acknowledged = [...done, ...said.acknowledged]
      const without = [...acknowledged, "next"].join()
      const withOneMore = [...acknowledged, `b${said.acknowledged.length + 1}`, "next"].join()
      // A failure is undone; only a death may leave a line that was not acknowledged.
      const allowed = said.signal === null ? [without] : [without, withOneMore]
      assert.include(allowed, (await next(watched())).join(), where)
    }
  })
})
