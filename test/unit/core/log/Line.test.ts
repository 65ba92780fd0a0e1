// A line of the log: its bytes, what verifies, and the name of everything that does not.
// The one rule: whatever happens to the bytes of a line, verifying them never succeeds.
import { createHash } from "node:crypto"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { maxLineBytes, type Sha256 } from "../../../../src/core/log/Frame.ts"
import { beginning, type Head } from "../../../../src/core/log/Head.ts"
import type { Event } from "../../../../src/core/run/Event.ts"
import { type Line, lineCodec } from "../../../../src/core/log/Line.ts"
import type { LineProblem } from "../../../../src/core/log/LineProblem.ts"
import { reviewRun } from "../../../../src/core/run/ReviewRun.ts"

const { decodeLine, encodeLine, verifyLine } = lineCodec(reviewRun)
const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex")
const at = "2026-11-20T10:11:12.000Z"
const by = { version: "0.1.0", pid: 7 }

const created = (over: { readonly runId?: string; readonly nonce?: string } = {}): Event => ({
  _tag: "RunCreated",
  runId: "20261120T101112Z-000000001-p7",
  repoId: "repo",
  worktree: "/w",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 2,
  createdAt: "2026-11-20T10:11:12Z",
  because: "NoLatestPointer",
  nonce: "00ff",
  ...over
})
const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }

const encode = (after: Head, events: ReadonlyArray<Event>) => {
  const { bytes, line: { hash, seq } } = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
  return { bytes, head: { seq, hash } }
}
const first = encode(beginning, [created()])
const second = encode(first.head, [aborted])

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (line: string): Uint8Array => new TextEncoder().encode(line)
const withoutNewline = (line: { readonly bytes: Uint8Array }): Uint8Array => line.bytes.subarray(0, -1)

const read = (line: Uint8Array, after: Head): Result.Result<Line<Event>, LineProblem> =>
  Result.flatMap(verifyLine(line, after, sha256), decodeLine)
const problem = (line: Uint8Array, after: Head): LineProblem | null =>
  Result.merge(Result.map(read(line, after), () => null))
const kind = (line: Uint8Array, after: Head): string => {
  const found = problem(line, after)
  return found === null ? "sound" : found._tag === "Damaged" ? found.kind : found._tag
}

/** A line made by hand, with a hash of its own: what a foreign program could write. */
const forged = (body: string): Uint8Array => bytes(`${body},"hash":"${sha256(body)}"}`)
const reworked = (line: { readonly bytes: Uint8Array }, from: string, to: string): Uint8Array =>
  forged(text(line.bytes).slice(0, -76).replace(from, to))

describe("encodeLine", () => {
  it("writes the documented bytes", () => {
    const body = `{"v":1,"seq":2,"at":"${at}","by":{"version":"0.1.0","pid":7},"prev":"${first.head.hash}",` +
      `"events":[{"_tag":"StepAborted","signal":"SIGTERM"}]`
    assert.strictEqual(text(second.bytes), `${body},"hash":"${sha256(body)}"}\n`)
    assert.deepStrictEqual(second.head, { seq: 2, hash: sha256(body) })
  })

  it("binds the first line to the run's id and nonce", () => {
    const prev = (event: Event) => JSON.parse(text(encode(beginning, [event]).bytes)).prev
    assert.strictEqual(prev(created()), sha256("20261120T101112Z-000000001-p7\n00ff"))
    assert.notStrictEqual(prev(created({ nonce: "ff00" })), prev(created()))
    assert.notStrictEqual(prev(created({ runId: "another" })), prev(created()))
  })

  it("refuses a first line that creates no run", () =>
    assert.isTrue(Result.isFailure(encodeLine({ after: beginning, at, by, events: [aborted] }, sha256))))

  it("writes a line of exactly 64 KiB and refuses one byte more", () => {
    const sized = (length: number): Event => ({ _tag: "StepAborted", signal: "x".repeat(length) })
    const overhead = encode(first.head, [sized(0)]).bytes.length
    const largest = encode(first.head, [sized(maxLineBytes - overhead)])
    assert.strictEqual(largest.bytes.length, maxLineBytes)
    assert.strictEqual(kind(withoutNewline(largest), first.head), "sound")
    const larger = encodeLine({ after: first.head, at, by, events: [sized(maxLineBytes - overhead + 1)] }, sha256)
    assert.isTrue(Result.isFailure(larger))
  })

  it("keeps every character of a text on one line", () => {
    const signal = "a\n\r\u0000\u0085\u2028\u2029\ud800 \u{1f600}\ufeff\""
    const line = encode(first.head, [{ _tag: "StepAborted", signal }])
    assert.strictEqual(line.bytes.indexOf(10), line.bytes.length - 1)
    assert.deepStrictEqual(Result.getOrThrow(read(withoutNewline(line), first.head)).events, [
      { _tag: "StepAborted", signal }
    ])
  })
})

describe("verifyLine", () => {
  it("accepts what was encoded", () => {
    assert.deepInclude(Result.getOrThrow(read(withoutNewline(first), beginning)), { seq: 1, at, events: [created()] })
    assert.deepInclude(Result.getOrThrow(read(withoutNewline(second), first.head)), { seq: 2, at, events: [aborted] })
  })

  it("refuses every flip of a bit, and every cut", () => {
    const sound = withoutNewline(second)
    for (let i = 0; i < sound.length; i++) {
      assert.notStrictEqual(kind(sound.subarray(0, i), first.head), "sound")
      for (let bit = 0; bit < 8; bit++) {
        const flipped = sound.map((byte, j) => i === j ? byte ^ (1 << bit) : byte)
        assert.strictEqual(problem(flipped, first.head)?._tag, "Damaged", `byte ${i}, bit ${bit}`)
      }
    }
  })

  const sound = text(withoutNewline(second))
  const third = encode(second.head, [aborted])
  const notUtf8 = bytes(sound).map((byte, i) => i === 20 ? 0xff : byte)
  const cases: ReadonlyArray<readonly [name: string, line: Uint8Array, after: Head, kind: string]> = [
    ["an empty line", bytes(""), first.head, "blank line"],
    ["a line of spaces", bytes("  \t"), first.head, "blank line"],
    ["a byte order mark", bytes(`\ufeff${sound}`), first.head, "BOM"],
    ["a carriage return", bytes(`${sound}\r`), first.head, "CRLF"],
    ["a NUL", bytes(sound.replace("T", "\u0000")), first.head, "NUL"],
    ["no JSON", bytes("hello"), first.head, "not JSON"],
    ["JSON without a hash", bytes("{\"v\":1}"), first.head, "no hash"],
    ["a changed byte", bytes(sound.replace("SIGTERM", "SIGTERN")), first.head, "bad hash"],
    ["a changed hash", bytes(`${sound.slice(0, -3)}z"}`), first.head, "no hash"],
    ["other spacing", bytes(sound.replace("\"seq\":2", "\"seq\": 2")), first.head, "bad hash"],
    ["bytes that are not UTF-8", notUtf8, first.head, "bad hash"],
    ["no JSON, with a hash", forged("hello"), first.head, "not JSON"],
    ["a NUL, with a hash", forged(`{"v":1,"x":"\u0000"`), first.head, "NUL"],
    ["an object of another kind", forged("{\"v\":1"), first.head, "not a line of this log"],
    ["version 0", reworked(second, "\"v\":1", "\"v\":0"), first.head, "not a line of this log"],
    ["a hash twice", reworked(second, "\"v\":1", "\"v\":1,\"hash\":\"\""), first.head, "sound"],
    ["the line before", withoutNewline(first), first.head, "duplicate"],
    ["the same line again", withoutNewline(second), second.head, "duplicate"],
    ["a later line", withoutNewline(third), first.head, "gap"],
    ["a line of another history", withoutNewline(second), { seq: 1, hash: "0".repeat(64) }, "broken chain"],
    ["a first line of another run", reworked(first, "00ff", "00fe"), beginning, "broken chain"],
    ["a first line that creates nothing", reworked(first, "RunCreated", "RunCreatod"), beginning, "no genesis"],
    ["a newer version", reworked(second, "\"v\":1", "\"v\":2"), first.head, "TooNew"],
    ["an unknown event", reworked(second, "StepAborted", "StepPostponed"), first.head, "TooNew"],
    ["an event of another shape", reworked(second, "\"signal\":\"SIGTERM\"", "\"signal\":15"), first.head, "TooNew"],
    ["a line that is too long", reworked(second, "SIGTERM", "x".repeat(maxLineBytes)), first.head, "too long"]
  ]
  for (const [name, line, after, expected] of cases) {
    it(`calls ${name} "${expected}"`, () => assert.strictEqual(kind(line, after), expected))
  }

  it("calls only an unhashed line with a NUL a possible hole of a power loss", () => {
    const torn = (line: Uint8Array) => problem(line, first.head)
    assert.deepInclude(torn(bytes(sound.replace("T", "\u0000"))), { kind: "NUL", torn: true })
    assert.deepInclude(torn(forged("{\"v\":1,\"x\":\"\u0000\"")), { kind: "NUL", torn: false })
    assert.deepInclude(torn(bytes(sound.replace("SIGTERM", "SIGTERN"))), { kind: "bad hash", torn: false })
  })
})

describe("decodeLine", () => {
  it("leaves out unknown events that are marked ignorable, and fields it does not know", () => {
    const line = reworked(
      second,
      "{\"_tag\":\"StepAborted\",",
      "{\"_tag\":\"StepPostponed\",\"ignorable\":true},{\"_tag\":\"StepAborted\",\"colour\":\"red\","
    )
    assert.deepStrictEqual(Result.getOrThrow(read(line, first.head)).events, [aborted])
  })

  it("says which line needs a newer version, and why", () => {
    const found = problem(reworked(second, "StepAborted", "StepPostponed"), first.head)
    assert.deepStrictEqual(found, {
      _tag: "TooNew",
      newer: { _tag: "UnknownEvent", line: 2, event: "StepPostponed" }
    })
  })
})
