// The events of a line: written and read by their schemas, and how a version treats events that it does not know.
import { createHash } from "node:crypto"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { type LineProblem, type Newer, newerText, type Sha256 } from "../../../src/log/Frame.ts"
import { beginning, type Head } from "../../../src/log/StreamKind.ts"
import { eventName, isIgnorable, type Line, lineCodec } from "../../../src/log/Line.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { created } from "../run/events.ts"

const { decodeLine, encodeLine, eventFrom, verifyLine } = lineCodec(reviewRun)
const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex")
const at = "2026-11-20T10:11:12.000Z"
const by = { version: "0.1.0", pid: 7 }
const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }

const encode = (after: Head, events: ReadonlyArray<Event>) => {
  const { bytes, line: { hash, seq } } = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
  return { bytes, head: { seq, hash } }
}
const first = encode(beginning, [created()])
const second = encode(first.head, [aborted])

const read = (line: Uint8Array, after: Head): Result.Result<Line<Event>, LineProblem> =>
  Result.flatMap(verifyLine(line, after, sha256), decodeLine)

/** The second line with other text and its own hash: what a newer program could write. */
const reworked = (from: string, to: string): Uint8Array => {
  const body = new TextDecoder().decode(second.bytes).slice(0, -76).replace(from, to)
  return new TextEncoder().encode(`${body},"hash":"${sha256(body)}"}`)
}

describe("encodeLine", () => {
  it("refuses an event that does not fit its schema, and says why", () => {
    const events = [created({ batchSize: 0 })]
    const refused = Result.getOrThrow(Result.flip(encodeLine({ after: beginning, at, by, events }, sha256)))
    assert.strictEqual(refused._tag, "NotOfSchema")
    assert.match(refused._tag === "NotOfSchema" ? refused.problem : "", /greater than 0/)
  })
})

describe("decodeLine", () => {
  it("skips unknown events that are marked ignorable, and unknown fields", () => {
    const line = reworked(
      '{"_tag":"StepAborted",',
      '{"_tag":"StepPostponed","ignorable":true},{"_tag":"StepAborted","colour":"red",'
    )
    assert.deepStrictEqual(Result.getOrThrow(read(line, first.head)).events, [aborted])
  })

  const newer: ReadonlyArray<readonly [string, Uint8Array, Newer]> = [
    ["an unknown event", reworked("StepAborted", "Later"), { _tag: "UnknownEvent", line: 2, event: "Later" }],
    [
      "an event of another shape",
      reworked('"signal":"SIGTERM"', '"signal":15'),
      { _tag: "UnknownEvent", line: 2, event: "StepAborted" }
    ],
    ["an event without a name", reworked('"_tag":', '"tag":'), { _tag: "UnknownEvent", line: 2, event: "undefined" }]
  ]
  it.each(newer)("says which line needs a newer version for %s", (_, line, what) => {
    const found = Result.getOrThrow(Result.flip(read(line, first.head)))
    assert.deepStrictEqual(found, { _tag: "TooNew", newer: what })
    assert.include(newerText(what), "line 2")
  })
})

describe("an event in a line", () => {
  it("belongs to the kind, or to the log itself, or is unknown", () => {
    const repaired = { _tag: "TailRepaired", offset: 0, bytes: 1, kept: "torn/0-01234567" } as const
    assert.deepStrictEqual(eventFrom({ ...aborted, colour: "red" }), aborted)
    assert.deepStrictEqual(eventFrom({ ...repaired, ignorable: true }), repaired)
    for (const raw of [{ ...repaired, offset: -1 }, { _tag: "toString" }, {}, null, "RunCreated", [aborted]]) {
      assert.isNull(eventFrom(raw), JSON.stringify(raw))
    }
  })

  it("has a name, known or not", () => {
    assert.strictEqual(eventName({ _tag: "Later" }), "Later")
    assert.strictEqual(eventName(["Later"]), "without a name")
  })

  it("can only be skipped if it is marked", () => {
    assert.isTrue(isIgnorable({ ignorable: true }))
    for (const raw of [{}, { ignorable: "true" }, { ignorable: 1 }, null, [true]]) assert.isFalse(isIgnorable(raw))
  })
})
