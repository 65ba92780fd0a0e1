// Verify: a stored line against the one before it, and a log against what its reader remembers.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { rewound, verifyPart, verifyStored } from "../../../../src/fleet/sql/EventLog.live.ts"
import { sha256 } from "../../../../src/platform/Sha256.ts"
import { beginning } from "../../../../src/log/StreamKind.ts"
import { lineCodec } from "../../../../src/log/Line.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { created } from "../../log/samples.ts"

const codec = lineCodec(reviewRun)
const by = { version: "0.1.0", pid: 7 }
const { bytes, line } = Result.getOrThrow(
  codec.encodeLine({ after: beginning, at: "2030-01-01T00:00:00Z", by, events: [created()] }, sha256)
)
const stored = { seq: 1, hash: line.hash, bytes }
const head = { seq: 1, hash: line.hash }

describe("a stored line", () => {
  it("is taken for its bytes", () =>
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
