// EventLog: over tables in memory it keeps the laws of every log, and refuses what somebody changed in them.
import { Effect, Layer, Result, Stream } from "effect"
import { assert, describe, it } from "vitest"
import {
  commit,
  contents,
  make,
  type NewCommit,
  partLines,
  rewound,
  streamed,
  verifyPart,
  verifyStored
} from "../../../../src/fleet/sql/EventLog.live.ts"
import { sqlLog, type Statements, unavailable } from "../../../../src/fleet/sql/Statements.live.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { lineCodec } from "../../../../src/log/Line.ts"
import { beginning, type Head } from "../../../../src/log/StreamKind.ts"
import { sha256 } from "../../../../src/platform/Sha256.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { created, note, shoppingSample } from "../../log/samples.ts"
import { outcome, writeLines } from "../../log/temporaryLog.ts"
import { answersAsMemory, eventLogLaws } from "../eventLogLaws.ts"
import { away, type HeldLog, heldTables, stopping } from "./heldTables.ts"

const run = onlyRun("store")

describe("over tables in memory", () => {
  eventLogLaws(Layer.sync(EventLog, () => make(heldTables().ask)), () => run)

  it("a log answers as the one in memory does", () => answersAsMemory(() => ({ run, log: make(heldTables().ask) })))
})

const log = sqlLog(reviewRun, onlyRun("store"))
const by = { version: "0.1.0", pid: 7 }
const first: NewCommit<Event> = { as: "first", expected: beginning, by, events: [created()] }

const refusal = (why: string, state: string | null) => ({
  _tag: "LogUnavailable",
  reason: { _tag: "DatabaseRefused", why, state }
})

describe("a commit", () => {
  it("is one statement, and no question where nothing is wrong", async () => {
    const { ask, only } = heldTables()
    const asked: Array<string> = []
    const counted: Statements = {
      part: (...of) => Effect.andThen(Effect.sync(() => asked.push("part")), ask.part(...of)),
      bytesBefore: ask.bytesBefore,
      create: (...of) => Effect.andThen(Effect.sync(() => asked.push("create")), ask.create(...of)),
      append: (...of) => Effect.andThen(Effect.sync(() => asked.push("append")), ask.append(...of))
    }
    const head = await Effect.runPromise(commit(counted, log, first))
    await Effect.runPromise(commit(counted, log, { as: "further", expected: head, by, events: [note("2")] }))
    assert.deepStrictEqual(asked, ["create", "append"])
    assert.deepStrictEqual(only().lines.map(({ seq }) => seq), [1, 2])
  })

  it("to a database that is away, or goes away, is unavailable, and no one says that it was made", async () => {
    const { ask } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const gone: Statements = { ...ask, create: () => Effect.fail(away), append: () => Effect.fail(stopping) }
    assert.deepStrictEqual(await outcome(commit(gone, log, first)), refusal("closed", null))
    assert.deepStrictEqual(
      await outcome(commit(gone, log, { as: "further", expected: head, by, events: [note("2")] })),
      refusal("unreachable", "57P01")
    )
  })

  it("whose answer was lost is a conflict when it is made again", async () => {
    const { ask, only } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const lost: Statements = { ...ask, append: (...of) => Effect.andThen(ask.append(...of), Effect.fail(away)) }
    const second: NewCommit<Event> = { as: "further", expected: head, by, events: [note("2")] }
    assert.deepStrictEqual(await outcome(commit(lost, log, second)), refusal("closed", null))
    assert.deepStrictEqual(await outcome(commit(ask, log, second)), { _tag: "LogConflict", expected: 1, actual: 2 })
    assert.lengthOf(only().lines, 2)
  })

  it("after a head that was put back is refused, although its line exists", async () => {
    const { ask, only } = heldTables()
    const one = await Effect.runPromise(commit(ask, log, first))
    const two = await Effect.runPromise(commit(ask, log, { as: "further", expected: one, by, events: [note("2")] }))
    only().head = { seq: 1, hash: two.hash }
    assert.deepStrictEqual(
      await outcome(commit(ask, log, { as: "further", expected: two, by, events: [note("3")] })),
      { _tag: "LogRewound", kind: "rolled back" }
    )
  })

  it("that nothing explains is a conflict: the log was put back meanwhile", async () => {
    const { ask } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const moved: Statements = { ...ask, append: () => Effect.succeed(false) }
    assert.deepStrictEqual(
      await outcome(commit(moved, log, { as: "further", expected: head, by, events: [note("2")] })),
      { _tag: "LogConflict", expected: 1, actual: 1 }
    )
  })
})

describe("reading", () => {
  const log = sqlLog(reviewRun, run)

  /** Tables with a log of so many lines. */
  const written = async (count: number) => {
    const { ask, only } = heldTables()
    const heads = await Effect.runPromise(writeLines(make(ask), run, count))
    return { ask, heads, held: only() }
  }

  /** The numbers of the lines that a stream gives, and how it ends. */
  const seen = async (ask: Statements, after: Head = beginning) => {
    const parts: Array<ReadonlyArray<number>> = []
    const ends: Array<boolean> = []
    const failure = await outcome(
      Stream.runForEach(streamed(ask, log, after), ({ end, lines }) =>
        Effect.sync(() => {
          parts.push(lines.map(({ seq }) => seq))
          ends.push(end !== null)
        }))
    )
    return { parts, ends, failure }
  }

  describe("a log longer than a part", () => {
    it.each([partLines - 1, partLines, partLines + 1, 2 * partLines])("of %i lines is read whole", async (count) => {
      const { ask, heads } = await written(count)
      const read = await Effect.runPromise(contents(ask, log, beginning))
      assert.lengthOf(read.commits, count)
      assert.deepStrictEqual(read.head, heads.at(-1))
      const { ends, parts } = await seen(ask)
      assert.deepStrictEqual(parts.flat(), read.commits.map(({ seq }) => seq))
      assert.isTrue(parts.every((part) => part.length <= partLines))
      assert.deepStrictEqual(ends, [...ends.slice(1).map(() => false), true])
    })
  })

  describe("what was changed from outside", () => {
    const second = (held: HeldLog) => held.lines[1] ?? assert.fail("no second line")
    const cases: ReadonlyArray<readonly [string, (held: HeldLog) => void, Readonly<Record<string, unknown>>]> = [
      ["a byte", (held) => {
        const { bytes } = second(held)
        bytes[40] = (bytes[40] ?? 0) ^ 1
      }, { _tag: "LogDamaged", kind: "bad hash", line: 2 }],
      ["a hash beside the bytes", (held) => {
        held.lines[1] = { ...second(held), hash: "x" }
      }, { _tag: "LogDamaged", kind: "bad hash", line: 2 }],
      ["a line without its end", (held) => {
        held.lines[1] = { ...second(held), bytes: second(held).bytes.subarray(0, -1) }
      }, { _tag: "LogDamaged", kind: "no newline", line: 2 }],
      ["a line that is gone", (held) => held.lines.splice(1, 1), { _tag: "LogDamaged", kind: "gap", line: 2 }],
      ["a last line that is gone", (held) => held.lines.pop(), { _tag: "LogRewound", kind: "rolled back" }],
      ["a head of before", (held) => held.head.seq > 0 && (held.head = { ...held.head, seq: 2 }), {
        _tag: "LogRewound",
        kind: "rolled back"
      }],
      ["another head", (held) => (held.head = { seq: 3, hash: "x" }), { _tag: "LogRewound", kind: "rewritten" }]
    ]
    it.each(cases)("%s is refused by reading and by the stream alike", async (_, change, refused) => {
      const { ask, held } = await written(3)
      const offset = held.lines[0]?.bytes.length
      change(held)
      const read = await outcome(contents(ask, log, beginning))
      assert.deepStrictEqual(read, refused["_tag"] === "LogDamaged" ? { ...refused, offset } : refused)
      const { ends, failure, parts } = await seen(ask)
      assert.deepStrictEqual(failure, read)
      assert.deepStrictEqual(ends, [false])
      assert.strictEqual(parts[0]?.[0], 1)
    })

    it("a first line is refused before anything is handed on", async () => {
      const { ask, held } = await written(1)
      held.lines = held.lines.map((line) => ({ ...line, bytes: new Uint8Array([10]) }))
      const { failure, parts } = await seen(ask)
      assert.deepInclude(failure, { _tag: "LogDamaged", line: 1, offset: 0 })
      assert.deepStrictEqual(parts, [])
    })
  })

  it("an event of a newer version is refused with the number of its line", async () => {
    const { ask, held } = await written(2)
    const body =
      `{"v":1,"seq":3,"at":"2030-01-01T00:00:00.000Z","by":{},"prev":"${held.head.hash}","events":[{"_tag":"New"}]`
    const hash = sha256(body)
    held.lines.push({ seq: 3, hash, bytes: new TextEncoder().encode(`${body},"hash":"${hash}"}\n`) })
    held.head = { seq: 3, hash }
    assert.deepStrictEqual(await outcome(contents(ask, log, beginning)), {
      _tag: "LogTooNew",
      reason: { _tag: "UnknownEvent", line: 3, event: "New" }
    })
  })

  it("a database that is away is reported by reading and by the stream", async () => {
    const { ask } = await written(1)
    const gone: Statements = { ...ask, part: () => Effect.fail(away) }
    const refused = { _tag: "LogUnavailable", reason: { _tag: "DatabaseRefused", why: "closed", state: null } }
    assert.deepStrictEqual(await outcome(contents(gone, log, beginning)), refused)
    assert.deepStrictEqual((await seen(gone)).failure, refused)
  })
})

describe("verifying", () => {
  const codec = lineCodec(reviewRun)

  const { bytes, line } = Result.getOrThrow(
    codec.encodeLine({ after: beginning, at: "2030-01-01T00:00:00Z", by, events: [created()] }, sha256)
  )

  const stored = { seq: 1, hash: line.hash, bytes }
  const head = { seq: 1, hash: line.hash }

  describe("a stored line", () => {
    it("counts by its bytes", () =>
      assert.deepStrictEqual(Result.getOrThrow(verifyStored(codec, stored, beginning)).hash, line.hash))

    it.each([
      ["no newline", { ...stored, bytes: bytes.subarray(0, -1) }],
      ["no newline", { ...stored, bytes: new Uint8Array(0) }],
      ["bad hash", { ...stored, hash: "0".repeat(64) }]
    ])("is refused: %s", (kind, one) => {
      const refused = verifyStored(codec, one, beginning)
      assert.deepStrictEqual<unknown>(Result.isFailure(refused) ? refused.failure : null, {
        _tag: "Damaged",
        kind,
        torn: false
      })
    })
  })

  it("a part ends where its last sound line does", () => {
    const part = { head, before: null, lines: [stored, { ...stored, seq: 2 }] }
    const { end, lines, problem } = verifyPart(codec, part, beginning)
    assert.deepStrictEqual([lines.length, end], [1, head])
    assert.deepInclude(problem, { _tag: "Damaged", kind: "duplicate" })
  })

  it("a log was rolled back where the line is gone, rewritten where it is another, and neither from its beginning", () => {
    assert.strictEqual(rewound(head, null), "rolled back")
    assert.strictEqual(rewound(head, "other"), "rewritten")
    assert.isNull(rewound(head, line.hash))
    assert.isNull(rewound(beginning, null))
  })
})

describe("the name of a log", () => {
  it("a log is named by its run and its kind", () => {
    assert.deepInclude(sqlLog(reviewRun, run), { run, kind: "review" })
    assert.notStrictEqual(sqlLog(reviewRun, run).path, sqlLog(shoppingSample.kind, run).path)
  })

  it("a message names the log, and nothing that the database said", () => {
    const { message } = unavailable(sqlLog(reviewRun, run))(away)
    assert.include(message, run.runId)
    assert.notInclude(message, "secret")
  })
})
