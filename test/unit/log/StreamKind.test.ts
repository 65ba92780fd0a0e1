// StreamKind: a kind of log that this program does not know: what its definition alone provides.
import { Result } from "effect"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import type { Envelope, Sha256 } from "../../../src/log/Frame.ts"
import { lineCodec } from "../../../src/log/Line.ts"
import {
  beginning,
  type LoggedEvent,
  sameHead,
  type StreamKind,
  type TaggedEvent
} from "../../../src/log/StreamKind.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { added, begun, bought, olderShopping, priced, shopping, type ShoppingEvent } from "./shopping.ts"

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex")
/** The lines of a log of these events, verified as the lines of a log of `reader`'s kind. */
const written = <E extends TaggedEvent, S>(
  lines: ReadonlyArray<ReadonlyArray<LoggedEvent<ShoppingEvent>>>,
  reader: StreamKind<E, S>
): ReadonlyArray<Envelope> => {
  let after = beginning
  return lines.map((events) => {
    const at = "2030-01-01T00:00:00.000Z"
    const line = { after, at, by: { version: "1", pid: 1 }, events }
    const { bytes } = Result.getOrThrow(lineCodec(shopping).encodeLine(line, sha256))
    const envelope = Result.getOrThrow(lineCodec(reader).verifyLine(bytes.subarray(0, -1), after, sha256))
    after = { seq: envelope.seq, hash: envelope.hash }
    return envelope
  })
}

const lines = [[begun], [added("milk"), added("tea")], [priced("tea", 240), bought("tea")]]

describe("a kind of its own", () => {
  it("binds its log to the fields that it names", () => {
    const [first] = written([[begun]], shopping)
    assert.strictEqual(first?.prev, sha256("food\n5eed"))
    const { encodeLine } = lineCodec(shopping)
    const headless = { after: beginning, at: "", by: { version: "1", pid: 1 }, events: [added("milk")] }
    const refused = Result.getOrThrow(Result.flip(encodeLine(headless, sha256)))
    assert.deepStrictEqual(refused, { _tag: "NotGenesis", event: "ListBegun" })
  })

  it("is not another kind", () => {
    const line = { after: beginning, at: "2030-01-01T00:00:01.000Z", by: { version: "1", pid: 1 }, events: [begun] }
    const { bytes } = Result.getOrThrow(lineCodec(shopping).encodeLine(line, sha256))
    const problem = Result.flip(lineCodec(reviewRun).verifyLine(bytes.subarray(0, -1), beginning, sha256))
    assert.deepInclude(Result.getOrThrow(problem), { _tag: "Damaged", kind: "no genesis" })
  })
})

describe("an ignorable event", () => {
  it("is marked as such, whoever writes it", () => {
    const [, , third] = written(lines, shopping)
    assert.deepStrictEqual(third?.events, [
      { _tag: "PriceSeen", item: "tea", cents: 240, ignorable: true },
      { _tag: "ItemBought", item: "tea" }
    ])
  })

  it("stops an older version if it is not marked", () => {
    const strict = { ...shopping, ignorable: [] }
    let [after, stopped] = [beginning, 0]
    for (const events of lines) {
      const line = { after, at: "", by: { version: "1", pid: 1 }, events }
      const framed = Result.getOrThrow(lineCodec(strict).encodeLine(line, sha256)).line
      after = { seq: framed.seq, hash: framed.hash }
      if (Result.isFailure(lineCodec(olderShopping).decodeLine(framed))) stopped = framed.seq
    }
    assert.strictEqual(stopped, 3)
  })
})

describe("a head", () => {
  it("equals another one only with the same number and hash", () => {
    const head = { seq: 2, hash: "ab" }
    assert.isTrue(sameHead(head, { ...head }))
    assert.isFalse(sameHead(head, { ...head, seq: 3 }))
    assert.isFalse(sameHead(head, { ...head, hash: "ba" }))
    assert.isFalse(sameHead(head, beginning))
  })
})
