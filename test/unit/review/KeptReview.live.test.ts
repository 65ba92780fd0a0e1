// KeptReview: a review that was kept is read again as it was, and a copy that is not what was kept says nothing.
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { openOnDisk } from "../../../src/platform/Files.ts"
import { keepReview, notKept, readKept } from "../../../src/review/Session.live.ts"

const ran = {
  succeeded: 1,
  failed: 0,
  unknown: 0,
  whole: true,
  calls: [{ command: "git diff", outcome: "succeeded" }]
} as const
const review = { findings: [], overall_explanation: "Für immer." }
let dir = ""
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "ooda-kept-"))))
afterEach(() => rmSync(dir, { recursive: true }))
const path = () => join(dir, "low-1.review.json")

describe("a kept review", () => {
  it("is one line of JSON, private to the user, known by its digest", () => {
    const digest = keepReview(path(), review, ran)
    const bytes = readFileSync(path())
    assert.strictEqual(bytes.toString(), `${JSON.stringify({ review_output: review, ran })}\n`)
    assert.strictEqual(statSync(path()).mode & 0o777, 0o600)
    const hex = createHash("sha256").update(bytes).digest("hex")
    assert.deepStrictEqual(digest, { algorithm: "sha256", hex, bytes: bytes.length })
    assert.deepStrictEqual(openOnDisk(path(), readKept), {
      session: { _tag: "Found", output: review },
      ran: { ...ran, calls: [] },
      digest
    })
  })

  it("of version 0.1.0 is the review alone", () => {
    writeFileSync(path(), `${JSON.stringify(review)}\n`)
    assert.deepInclude(openOnDisk(path(), readKept), { session: { _tag: "Found", output: review }, ran: null })
  })

  it("is the same however often it is kept, with nothing beside it", () => {
    assert.deepStrictEqual(keepReview(path(), review, ran), keepReview(path(), review, ran))
    assert.deepStrictEqual(readdirSync(dir), ["low-1.review.json"])
  })
})

describe("a copy", () => {
  it("that is not there is none", () => assert.deepStrictEqual(openOnDisk(path(), readKept), notKept))

  it("that is no JSON any more says nothing, and has the digest of what it is", () => {
    const { digest } = { digest: keepReview(path(), review, ran) }
    writeFileSync(path(), "{")
    const read = openOnDisk(path(), readKept)
    assert.deepStrictEqual(read.session, { _tag: "Absent" })
    assert.strictEqual(read.digest?.bytes, 1)
    assert.notDeepEqual(read.digest, digest)
  })

  it("that cannot be read is an error", () => {
    mkdirSync(path())
    assert.throws(() => openOnDisk(path(), readKept), /EISDIR/)
  })
})
