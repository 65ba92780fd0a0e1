// Reading: parts of a log, and what somebody changed in the tables, refused with its place behind what is sound.
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { contents, make, partLines, streamed } from "../../../../src/fleet/sql/EventLog.live.ts"
import { sqlLog, type Statements } from "../../../../src/fleet/sql/Statements.live.ts"
import { beginning, type Head } from "../../../../src/log/StreamKind.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { sha256 } from "../../../../src/platform/Sha256.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { outcome, writeLines } from "../../log/temporaryLog.ts"
import { away, type HeldLog, heldTables } from "./heldTables.ts"

const run = onlyRun("store")
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

describe("what somebody changed", () => {
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

it("a database that is away is told by reading and by the stream", async () => {
  const { ask } = await written(1)
  const gone: Statements = { ...ask, part: () => Effect.fail(away) }
  const refused = { _tag: "LogUnavailable", reason: { _tag: "DatabaseRefused", why: "closed", state: null } }
  assert.deepStrictEqual(await outcome(contents(gone, log, beginning)), refused)
  assert.deepStrictEqual((await seen(gone)).failure, refused)
})
