// The frame of a line: its bytes, what verifies, and the name of each kind of damage.
// No changed line verifies; property/Log changes every byte.
import { createHash } from "node:crypto"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  frame,
  isTime,
  type LineProblem,
  maxLineBytes,
  type Sha256,
  suffix,
  suffixBytes,
  verify
} from "../../../src/log/Frame.ts"
import { beginning, type Head } from "../../../src/log/StreamKind.ts"

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex")
const at = "2026-11-20T10:11:12.000Z"
const by = { version: "0.1.0", pid: 7 }
const genesis = { event: "Begun", binds: ["id", "nonce"] }

const begun = (nonce = "00ff") => ({ _tag: "Begun", id: "i", nonce })
const noted = { _tag: "Noted", text: "SIGTERM" }

const framed = (after: Head, events: ReadonlyArray<unknown>) => {
  const { bytes, line } = Result.getOrThrow(frame({ after, at, by, events }, genesis, sha256))
  return { bytes, line, head: { seq: line.seq, hash: line.hash } }
}
const first = framed(beginning, [begun()])
const second = framed(first.head, [noted])

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (line: string): Uint8Array => new TextEncoder().encode(line)
const withoutNewline = (line: { readonly bytes: Uint8Array }): Uint8Array => line.bytes.subarray(0, -1)

const problem = (line: Uint8Array, after: Head): LineProblem | null =>
  Result.merge(Result.map(verify(line, after, genesis, sha256), () => null))
const kind = (line: Uint8Array, after: Head): string => {
  const found = problem(line, after)
  return found === null ? "sound" : found._tag === "Damaged" ? found.kind : found._tag
}

/** A line made by hand, with its own hash: what a foreign program could write. */
const forged = (body: string): Uint8Array => bytes(`${body},"hash":"${sha256(body)}"}`)
/** The same with the comma before the hash among the hashed bytes. */
const respelt = (body: string): Uint8Array => bytes(`${body},"hash" :"${sha256(`${body},`)}"}`)
const reworked = (line: { readonly bytes: Uint8Array }, from: string, to: string): Uint8Array =>
  forged(text(line.bytes).slice(0, -76).replace(from, to))

describe("a frame", () => {
  it("has the documented bytes", () => {
    const body = `{"v":1,"seq":2,"at":"${at}","by":{"version":"0.1.0","pid":7},"prev":"${first.head.hash}",` +
      `"events":[{"_tag":"Noted","text":"SIGTERM"}]`
    assert.strictEqual(text(second.bytes), `${body},"hash":"${sha256(body)}"}\n`)
    assert.deepStrictEqual(second.line, {
      seq: 2,
      at,
      by,
      prev: first.head.hash,
      hash: sha256(body),
      events: [noted]
    })
    assert.strictEqual(suffix(sha256(body)).length, suffixBytes)
  })

  it("binds the first line to fields of the genesis event, wherever the event is in the line", () => {
    assert.strictEqual(first.line.prev, sha256("i\n00ff"))
    assert.strictEqual(framed(beginning, [noted, begun()]).line.prev, first.line.prev)
    assert.notStrictEqual(framed(beginning, [begun("ff00")]).line.prev, first.line.prev)
  })

  it("does not begin a log without that event", () => {
    const refused = Result.getOrThrow(
      Result.flip(frame({ after: beginning, at, by, events: [noted] }, genesis, sha256))
    )
    assert.deepStrictEqual(refused, { _tag: "NotGenesis", event: "Begun" })
  })

  it("holds exactly 64 KiB", () => {
    const sized = (length: number) => ({ _tag: "Noted", text: "x".repeat(length) })
    const overhead = framed(first.head, [sized(0)]).bytes.length
    const largest = framed(first.head, [sized(maxLineBytes - overhead)])
    assert.strictEqual(largest.bytes.length, maxLineBytes)
    assert.strictEqual(kind(withoutNewline(largest), first.head), "sound")
    const events = [sized(maxLineBytes - overhead + 1)]
    const larger = Result.flip(frame({ after: first.head, at, by, events }, genesis, sha256))
    assert.deepStrictEqual(Result.getOrThrow(larger), {
      _tag: "LineTooLong",
      bytes: maxLineBytes + 1,
      most: maxLineBytes
    })
  })
})

describe("a line", () => {
  it("that was framed can be verified", () => {
    assert.deepStrictEqual(Result.getOrThrow(verify(withoutNewline(first), beginning, genesis, sha256)), first.line)
    assert.deepStrictEqual(Result.getOrThrow(verify(withoutNewline(second), first.head, genesis, sha256)), second.line)
  })

  const sound = text(withoutNewline(second))
  const third = framed(second.head, [noted])
  // With its newline it is one byte too long.
  const surplus = maxLineBytes - sound.length + "SIGTERM".length
  const notUtf8 = bytes(sound).map((byte, i) => i === 20 ? 0xff : byte)
  const cases: ReadonlyArray<readonly [name: string, line: Uint8Array, after: Head, kind: string]> = [
    ["an empty line", bytes(""), first.head, "blank line"],
    ["a line of spaces", bytes("  \t"), first.head, "blank line"],
    ["a byte order mark", bytes(`\ufeff${sound}`), first.head, "BOM"],
    ["a carriage return", bytes(`${sound}\r`), first.head, "CRLF"],
    ["a NUL", bytes(sound.replace("T", "\u0000")), first.head, "NUL"],
    ["no JSON", bytes("hello"), first.head, "not JSON"],
    ["JSON without a hash", bytes('{"v":1}'), first.head, "no hash"],
    ["a changed byte", bytes(sound.replace("SIGTERM", "SIGTERN")), first.head, "bad hash"],
    ["a changed hash", bytes(`${sound.slice(0, -3)}z"}`), first.head, "no hash"],
    ["other spacing", bytes(sound.replace('"seq":2', '"seq": 2')), first.head, "bad hash"],
    ["bytes that are not UTF-8", notUtf8, first.head, "bad hash"],
    ["no JSON, with a hash", forged("hello"), first.head, "not JSON"],
    ["a NUL, with a hash", forged(`{"v":1,"x":"\u0000"`), first.head, "NUL"],
    ["an object of another kind", forged('{"v":1'), first.head, "not a line of this log"],
    ["an invalid time", reworked(second, at, "never"), first.head, "not a line of this log"],
    ["version 0", reworked(second, '"v":1', '"v":0'), first.head, "not a line of this log"],
    ["a hash with other spelling", respelt(text(second.bytes).slice(0, -76)), first.head, "no hash"],
    ["a hash twice", reworked(second, '"v":1', '"v":1,"hash":""'), first.head, "sound"],
    ["the line before", withoutNewline(first), first.head, "duplicate"],
    ["the same line again", withoutNewline(second), second.head, "duplicate"],
    ["a later line", withoutNewline(third), first.head, "gap"],
    ["a line of another history", withoutNewline(second), { seq: 1, hash: "0".repeat(64) }, "broken chain"],
    ["a first line of another log", reworked(first, "00ff", "00fe"), beginning, "broken chain"],
    ["a first line without the genesis event", reworked(first, "Begun", "Begum"), beginning, "no genesis"],
    ["a newer version", reworked(second, '"v":1', '"v":2'), first.head, "TooNew"],
    ["a line that is too long", reworked(second, "SIGTERM", "x".repeat(maxLineBytes)), first.head, "too long"],
    ["a line that is one byte too long", reworked(second, "SIGTERM", "x".repeat(surplus)), first.head, "too long"]
  ]
  for (const [name, line, after, expected] of cases) {
    it(`is called "${expected}" for ${name}`, () => assert.strictEqual(kind(line, after), expected))
  }

  it("may be a hole of a power loss only if it has a NUL and no hash", () => {
    const torn = (line: Uint8Array) => problem(line, first.head)
    assert.deepInclude(torn(bytes(sound.replace("T", "\u0000"))), { kind: "NUL", torn: true })
    assert.deepInclude(torn(forged('{"v":1,"x":"\u0000"')), { kind: "NUL", torn: false })
    assert.deepInclude(torn(bytes(sound.replace("SIGTERM", "SIGTERN"))), { kind: "bad hash", torn: false })
  })
})

describe("the time of a line", () => {
  it("is in ISO format, in UTC, and a real time", () => {
    for (const time of [at, "2030-12-31T23:59:59Z", "1970-01-01T00:00:00.123456Z"]) assert.isTrue(isTime(time), time)
    for (
      const time of [
        "never",
        "",
        "2030-13-01T00:00:00Z",
        "2030-00-01T00:00:00Z",
        "2030-01-32T00:00:00Z",
        "2030-01-01T24:00:00Z",
        "2030-01-01T00:60:00Z",
        "2030-01-01T00:00:00",
        "2030-01-01",
        `${at} `,
        `x${at}`
      ]
    ) {
      assert.isFalse(isTime(time), time)
    }
  })
})
