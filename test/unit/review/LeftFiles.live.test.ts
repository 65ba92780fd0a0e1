// LeftFiles: what files say of a review is the same wherever they lie; what is missing is named.
import { assert, describe, it } from "vitest"
import { exitIn, sourcesIn, storedIn } from "../../../src/review/ReviewFiles.live.ts"
import { fileInMemory, type Open } from "../../../src/platform/Files.ts"
import { type AttemptFiles, attemptFiles } from "../../../src/run/Layout.live.ts"
import { runRef } from "../run/events.ts"

const files = attemptFiles({ run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1 })
const opening = (contents: Partial<Record<keyof AttemptFiles, string>>): Open => {
  const found = new Map(Object.entries(contents).map(([name, text]) => [files[name as keyof AttemptFiles], text]))
  return (path, use) => {
    const text = found.get(path)
    return use(text === undefined ? null : fileInMemory(Buffer.from(text)))
  }
}
const whole = {
  log: "banner\nanswer\n",
  out: "answer\n",
  exit: "3\n",
  journal: `attempt abc 4194300 1 boot\nline 3 ${"0".repeat(64)}\nended 3 7 7\n`,
  review: '{"findings":[]}\n'
}

describe("a review whose files are all there", () => {
  const stored = storedIn(opening(whole), files, { session: true })

  it("has its status, its attempt and its line, and a transcript that ends with its output", () =>
    assert.deepInclude(stored, {
      missing: [],
      status: 3,
      joined: true,
      journal: {
        id: "abc",
        line: { seq: 3, hash: "0".repeat(64) },
        end: { status: 3, logBytes: 7, outBytes: 7 }
      }
    }))

  it("is of its attempt, whichever delivery of a fleet it was run for", () => {
    const delivered = { ...whole, journal: whole.journal.replace("abc", "abc:token") }
    assert.strictEqual(storedIn(opening(delivered), files, { session: true }).journal?.id, "abc")
  })

  it("has its streams apart, and the review that was kept", () => {
    assert.deepInclude(stored.evidence, { logHead: "banner\n", logTail: "banner\n", out: "answer\n" })
    assert.deepStrictEqual(stored.evidence.session, { _tag: "Found", output: { findings: [] } })
    assert.deepEqual(Object.values(stored.evidence.digests).map((digest) => digest?.bytes), [14, 7, 16])
    const { digests: _, reading, ...said } = stored.evidence
    assert.deepStrictEqual(sourcesIn(opening(whole), files, { session: true }), {
      ...said,
      reading: { ...reading, transcript: null }
    })
  })

  it("has no kept review where the log tells of none", () => {
    const without = storedIn(opening(whole), files, { session: false })
    assert.deepStrictEqual(sourcesIn(opening(whole), files, { session: false }).session, { _tag: "Absent" })
    assert.deepStrictEqual([without.evidence.session, without.evidence.digests.review], [{ _tag: "Absent" }, null])
  })
})

it("files that are not there are named, and a review only where one was kept", () => {
  const { exit: _, review: __, ...some } = whole
  assert.deepStrictEqual(storedIn(opening(some), files, { session: true }).missing, ["exit", "review"])
  assert.deepStrictEqual(storedIn(opening({}), files, { session: false }).missing, ["log", "out", "exit"])
  assert.isNull(storedIn(opening({}), files, { session: false }).journal)
})

it("a transcript that was cut is known as such", () => {
  const cut = `${"x".repeat(64 * 1024)}\n[cut by ooda-codex-review runs --prune --transcripts]\nend`
  assert.isTrue(storedIn(opening({ ...whole, log: cut }), files, { session: true }).pruned)
  assert.notProperty(storedIn(opening(whole), files, { session: true }), "pruned")
})

it.each([["0\n", 0], ["143\n", 143], ["0", null], ["\n", null], ["1234\n", null]])(
  "an exit file %j says %s",
  (text, said) => assert.strictEqual(exitIn(fileInMemory(Buffer.from(text))), said)
)
it("no exit file says nothing", () => assert.isNull(exitIn(null)))
