// File calls: the program killed, or failing, at every single file call it makes while it commits.
// Acknowledged lines are all there, at most one more; the next program commits as if nothing had been.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer } from "../../src/log/EventLog.live.ts"
import { logFiles } from "../../src/log/LogFile.live.ts"
import type { TaggedEvent } from "../../src/log/StreamKind.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { reviewSample, type Sample, shoppingSample, textsOf } from "../unit/log/samples.ts"
import { type Ending, fileCalls, prepareWriter, runFreely, runUntil } from "./program.ts"
import { tried } from "./tried.ts"

const state = { root: "", writer: "" }
beforeAll(async () => {
  Object.assign(state, await prepareWriter())
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

/** A kind of log that a program writes: by its name, one more line by another writer, and the texts there are then. */
interface Written {
  readonly name: string
  readonly kind: string
  readonly next: (root: string) => Promise<ReadonlyArray<string>>
}

const written = <E extends TaggedEvent, S>(name: string, sample: Sample<E, S>): Written => {
  const { begun, kind, note } = sample
  return {
    name,
    kind: kind.kind,
    next: (root) =>
      Effect.runPromise(
        Effect.gen(function*() {
          const log = yield* EventLog
          const run = onlyRun(root)
          const found = yield* Effect.option(log.read(kind, run))
          yield* Option.isNone(found) || found.value.head.seq === 0
            ? log.create(kind, run, [begun, note("next")])
            : log.append(kind, run, found.value.head, [note("next")])
          return textsOf(sample, yield* log.read(kind, run))
        }).pipe(Effect.provide(layer))
      )
  }
}

const kinds = [written("a review run", reviewSample), written("an unknown kind", shoppingSample)]

const program = (
  root: string,
  name: string,
  count: number,
  kind: string
) => [state.writer, root, name, String(count), kind]

/** Where a program starts from, and the lines that are acknowledged there already. */
interface Start {
  readonly from: string
  readonly done: ReadonlyArray<string>
  readonly adds: number
  readonly prepare: (root: string, kind: string) => void
}

const twoLines = (root: string, kind: string): void =>
  assert.strictEqual(runFreely(program(root, "a", 2, kind)).status, 0)
const starts: ReadonlyArray<Start> = [
  { from: "no log", done: [], adds: 2, prepare: () => {} },
  { from: "a log of two lines", done: ["a1", "a2"], adds: 1, prepare: twoLines },
  {
    from: "a torn tail",
    done: ["a1", "a2"],
    adds: 1,
    prepare: (root, kind) => {
      twoLines(root, kind)
      fs.appendFileSync(logFiles(onlyRun(root), kind).log, '{"v":1,"seq":3')
    }
  }
]

const endings: ReadonlyArray<Ending> = ["kill", "half", "EIO"]

const cases = kinds.flatMap((kind) => starts.map((start) => ({ ...kind, ...start })))

describe.each(cases)("the log of $name, from $from", ({ adds, done, from, kind, next, prepare }) => {
  const template = () => path.join(state.root, `${kind} ${from}`)
  const watched = () => path.join(state.root, "state")
  beforeAll(() => {
    fs.mkdirSync(template())
    prepare(template(), kind)
  })
  const reset = (): void => {
    fs.rmSync(watched(), { recursive: true, force: true })
    fs.cpSync(template(), watched(), { recursive: true })
  }

  it.each(endings)("a program that ends by %s at any of its file calls", async (how) => {
    reset()
    const calls = fileCalls(program(watched(), "b", adds, kind), watched())
    assert.isAbove(calls.length, 20)
    const deadly = [...calls.entries()].filter(([, { changes, name }]) =>
      (how !== "half" || name === "writeSync") &&
      // The kinds of logs have the program in common: at reads one kind is tried for all.
      (kind === reviewSample.kind.kind || changes)
    )
    for (const [i, { name: call }] of tried(deadly)) {
      reset()
      const said = runUntil(program(watched(), "b", adds, kind), watched(), i + 1, how)
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
