// Replay: the events of a run as a stream, and the timeline of a kind of log that the program does not know.
import * as fs from "node:fs"
import { Effect, Fiber, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import type { StreamKind } from "../../../../src/log/StreamKind.ts"
import { replay, type ReplayOptions, timeline } from "../../../../src/read/replay/Replay.ts"
import { layer as eventLog } from "../../../../src/log/EventLog.live.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { temporaryRun, unlocked, writeLines } from "../../log/temporaryLog.ts"
import { note } from "../../log/samples.ts"
import {
  added,
  begun,
  bought,
  olderShopping,
  priced,
  type Shopping,
  shopping,
  type ShoppingEvent
} from "../../log/shopping.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { shoppingReader } from "../audit/shoppingReader.ts"

const run = temporaryRun()
const onDisk = <A, E>(effect: Effect.Effect<A, E, EventLog>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, eventLog))

describe("the events of a run", () => {
  it("come in order, each once, with the state before and after it", async () => {
    await onDisk(writeLines(unlocked(), run.ref(), 3))
    const happenings = await onDisk(Stream.runCollect(replay(run.ref())))
    assert.deepStrictEqual(happenings.map(({ event, line }) => [line.seq, event?._tag]), [
      [1, "RunCreated"],
      [2, "StepAborted"],
      [3, "StepAborted"]
    ])
    assert.isNull(happenings[0]?.before.state)
    assert.strictEqual(happenings[2]?.after.state?.run.current_level, "low")
  })

  it("can be had from behind a line, up to a line, and with what comes later", async () => {
    const heads = await onDisk(writeLines(unlocked(), run.ref(), 3))
    const seqs = (options: Parameters<typeof replay>[1]) =>
      Effect.map(Stream.runCollect(replay(run.ref(), options)), (all) => all.map(({ line }) => line.seq))
    assert.deepStrictEqual(await onDisk(seqs({ after: 2 })), [3])
    assert.deepStrictEqual(await onDisk(seqs({ until: 2 })), [1, 2])
    const followed = await onDisk(Effect.gen(function*() {
      const following = yield* Effect.forkChild(seqs({ follow: true, until: 4 }))
      yield* Effect.sleep("100 millis")
      yield* unlocked().append(reviewRun, run.ref(), heads[2] ?? assert.fail("no head"), [note("4")])
      return yield* Fiber.join(following)
    }))
    assert.deepStrictEqual(followed, [1, 2, 3, 4])
  })
})

/** Writes a list of three lines, the last with a price. */
const written = Effect.gen(function*() {
  const log = yield* EventLog
  const first = yield* log.create(shopping, run.ref(), [begun])
  const second = yield* log.append(shopping, run.ref(), first, [added("milk"), added("tea")])
  return yield* log.append(shopping, run.ref(), second, [priced("tea", 240), bought("tea")])
})

/** The timeline of the list as a version of its kind shows it, times aside. */
const shown = async <E extends ShoppingEvent>(kind: StreamKind<E, Shopping>, options: Partial<ReplayOptions> = {}) => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  const all = { after: 0, follow: false, json: false, ...options }
  await onDisk(Effect.provide(timeline(shoppingReader(kind), run.ref(), all), output))
  return said.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<at>")
}

describe("the timeline of a kind that the program does not know", () => {
  it("shows each event in the words of its reader, and what it changed", async () => {
    const { hash, seq } = await onDisk(written)
    const inLine = " ".repeat(14)
    assert.strictEqual(
      await shown(shopping),
      [
        "     1  <at>  ListBegun             food",
        "        open null -> ; bought null -> 0",
        "     2  <at>  ItemAdded             milk",
        "        open  -> milk",
        `${inLine}${" ".repeat(20)}ItemAdded             tea`,
        "        open milk -> milk tea",
        "     3  <at>  PriceSeen             tea",
        `${inLine}${" ".repeat(20)}ItemBought            tea`,
        "        open milk tea -> milk; bought 0 -> 1",
        `  head  ${seq}:${hash}`,
        ""
      ].join("\n")
    )
  })

  it("shows from behind a line, as documents, with the same changes", async () => {
    const head = await onDisk(written)
    const rows = (await shown(shopping, { after: 2, json: true })).trim().split("\n").map((row) => JSON.parse(row))
    assert.deepStrictEqual(rows, [
      {
        schema: 1,
        seq: 3,
        index: 0,
        at: "<at>",
        known: true,
        event: { ...priced("tea", 240), ignorable: true },
        changes: []
      },
      {
        schema: 1,
        seq: 3,
        index: 1,
        at: "<at>",
        known: true,
        event: bought("tea"),
        changes: [
          { field: "open", before: "milk tea", after: "milk" },
          { field: "bought", before: 0, after: 1 }
        ]
      },
      { schema: 1, head, torn: 0 }
    ])
  })

  it("by an older version shows what it does not know as it stands, and goes on", async () => {
    await onDisk(written)
    const text = await shown(olderShopping)
    assert.include(text, 'PriceSeen  unknown to this version: {"_tag":"PriceSeen","item":"tea"')
    assert.include(text, "open milk tea -> milk; bought 0 -> 1")
  })

  it("tells of repairs and of a torn tail without a word from its reader", async () => {
    const head = await onDisk(written)
    fs.appendFileSync(run.file("shopping.jsonl"), "torn")
    await onDisk(EventLog.use((log) => log.append(shopping, run.ref(), head, [added("jam")])))
    fs.appendFileSync(run.file("shopping.jsonl"), "again")
    const text = await shown(shopping, { after: 3 })
    assert.match(text, /^ {5}4 {2}<at> {2}TailRepaired {10}4 torn bytes at byte \d+ cut, kept in shopping\.torn\/\d+-/)
    assert.match(text, /\n {2}torn {2}5 bytes after it were never committed; the next writer removes them\n$/)
  })

  it("fails where there is no such line", async () => {
    await onDisk(written)
    assert.match(await shown(shopping, { after: 9 }).then(String, String), /there is no line 9: the log ends at 3/)
  })
})
