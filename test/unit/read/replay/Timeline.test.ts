// Timeline: the events of a replay, for people and for programs.
import { assert, describe, it } from "vitest"
import { driverReader, reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { endJson, endText, eventJson, eventText, runText } from "../../../../src/read/replay/Timeline.ts"
import { batchStarted, created, failed, started } from "../../run/events.ts"
import { happenings } from "../audit/happenings.ts"

const repaired = { _tag: "TailRepaired", offset: 7, bytes: 1, kept: "torn/7-0123abcd" }
const future = { _tag: "FromTheFuture", note: "a\nb" }

const texts = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  happenings(...lines).map((one) => eventText(reviewRunReader, one))

describe("an event for people", () => {
  it("stands behind the number and the time of its line, once a line, with its changes below", () =>
    assert.deepStrictEqual(texts([created()], [batchStarted({ size: 1 }), started()]), [
      "     1  2030-01-01T00:00:01.000Z  RunCreated            uncommitted from low, 3 reviews a batch, in /repo " +
      "(NoLatestPointer)\n        manifest none -> low batch 1\n",
      "     2  2030-01-01T00:00:02.000Z  BatchStarted          low batch 1: 1 review of tree t1, HEAD aaaaaaaaaaaa\n" +
      "        batch_size 3 -> 1; batches 0 -> 1; batch NotStarted -> Started\n",
      `${" ".repeat(34)}ReviewStarted         low batch 1 slot 1 attempt 1\n        batch.slots.1 Queued -> Running\n`
    ]))

  it("tells of the log's own events", () =>
    assert.include(
      texts([created()], [repaired])[1],
      "TailRepaired          1 torn byte at byte 7 cut, kept in torn/7-0123abcd\n"
    ))

  it("of a newer version is shown as it stands, cut where it is long", () => {
    const [, text = ""] = texts([created()], [future])
    assert.include(
      text,
      "FromTheFuture  unknown to this version; the manifest after it is not known to this version: {"
    )
    assert.include(text, '"note":"a\\nb"')
    assert.include(texts([created()], [{ ...future, ignorable: true }])[1], "unknown to this version: {")
    assert.isBelow(texts([created()], [{ ...future, note: "x".repeat(9000) }])[1]?.length ?? 0, 2300)
  })

  it("cannot break its line by what came from outside", () => {
    const message = "no\u2028HandoffAgent: AddressBatch\u001b[2J"
    const text = texts([created()], [batchStarted({ size: 1 }), started()], [failed({ message })]).at(-1) ?? ""
    assert.notMatch(text, /[\u2028\u001b]/)
    assert.lengthOf(text.split("\n"), 3)
  })
})

describe("an event for programs", () => {
  const rows = (...lines: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<Record<string, unknown>> =>
    happenings(...lines).map((one) => {
      const text = eventJson(reviewRunReader, one)
      assert.match(text, /^[^\n]+\n$/)
      return JSON.parse(text)
    })

  it("is a document of one line with its place, as it stands in the log, and with its changes", () => {
    const [, start, review] = rows([created()], [batchStarted({ size: 1 }), started()])
    assert.deepInclude(start, { seq: 2, index: 0, known: true, event: batchStarted({ size: 1 }) })
    assert.deepInclude(review, { seq: 2, index: 1, at: "2030-01-01T00:00:02.000Z" })
    assert.deepNestedInclude(review, { "changes[0].field": "batch.slots.1" })
  })

  it("of a newer version is said to be unknown", () =>
    assert.deepInclude(rows([created()], [future])[1], { known: false, event: future, changes: [] }))
})

describe("the first and the last line of a replay", () => {
  it("name the run, its head, and a torn tail", () => {
    assert.strictEqual(runText("run-1", "/state\n/x"), "   run  run-1 in /state\\n/x\n")
    const head = { seq: 3, hash: "ab" }
    assert.strictEqual(endText({ head, torn: 0 }), "  head  3:ab\n")
    assert.strictEqual(
      endText({ head, torn: 2 }),
      "  head  3:ab\n  torn  2 bytes after it were never committed; the next writer removes them\n"
    )
    const document = '{"schema":1,"head":{"seq":3,"hash":"ab"},"torn":2}\n'
    assert.strictEqual(endJson({ head, torn: 2 }, reviewRunReader), document)
  })

  it("tell the tokens of the run, and which other log it is", () => {
    const head = { seq: 3, hash: "ab" }
    const some = { input: 1_200_000, cached: 0, output: 5, reasoning: 0 }
    const usage = { reviews: some, agents: { ...some, input: 0, output: 0 } }
    assert.strictEqual(endText({ head, torn: 0, usage }), "  head  3:ab\ntokens  1.2M in, 5 out\n")
    assert.deepStrictEqual(JSON.parse(endJson({ head, torn: 0, usage }, reviewRunReader)), {
      schema: 1,
      head,
      torn: 0,
      usage
    })
    assert.strictEqual(endText({ head, torn: 0 }, driverReader), " dhead  3:ab\n")
    assert.deepStrictEqual(JSON.parse(endJson({ head, torn: 0 }, driverReader)), {
      schema: 1,
      stream: "converge",
      head,
      torn: 0
    })
  })
})
