// Tail.live: the end of a transcript for users: its last few KiB, or nothing if it is missing.
import { mkdirSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { printedBy, tailOf, undrawn } from "../../../../src/read/view/Tail.live.ts"
import { agentFiles, attemptFiles, testFiles } from "../../../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../../../src/run/Refs.ts"

const dir = mkdtempSync(join(tmpdir(), "ooda-tail-"))
afterAll(() => rmSync(dir, { recursive: true }))
const review: ReviewRef = {
  run: { root: dir, repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" },
  level: "low",
  batch: 1,
  slot: 1,
  attempt: 1
}
const path = attemptFiles(review).log
mkdirSync(dirname(path), { recursive: true })
const tail = (slot = 1) => Effect.runPromise(tailOf({ ...review, slot }))

describe("the tail of a transcript", () => {
  it("is the whole of a short one, read anew each time", async () => {
    const tailing = tailOf(review)
    writeFileSync(path, "one\n")
    assert.strictEqual(await Effect.runPromise(tailing), "one\n")
    writeFileSync(path, "one\ntwo\n")
    assert.strictEqual(await Effect.runPromise(tailing), "one\ntwo\n")
  })

  it("is the last 4 KiB of a long one, without half a character", async () => {
    writeFileSync(path, "€".repeat(5000))
    assert.strictEqual(await tail(), "€".repeat(1365))
    writeFileSync(path, `${"x".repeat(9000)}\nthe end`)
    assert.strictEqual(await tail(), `${"x".repeat(4096 - 8)}\nthe end`)
  })

  it("is read in constant time for a file of any size", async () => {
    writeFileSync(path, "")
    truncateSync(path, 4 * 2 ** 30)
    assert.lengthOf(await tail(), 4096)
  })

  it("is empty if the file is missing or cannot be read", async () => {
    mkdirSync(attemptFiles({ ...review, slot: 2 }).log)
    assert.deepStrictEqual([await tail(2), await tail(3)], ["", ""])
    assert.strictEqual(await Effect.runPromise(tailOf({ ...review, batch: 2 })), "")
  })
})

describe("the output of an agent or a test", () => {
  const { run } = review
  const agent = { run, agent: 1, attempt: 2, id: "a", kind: "codex" } as const
  const test = { run, test: 3, id: "t" }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    utimesSync(path, 5, 5)
  }

  it("is its end, with the time at which it was printed", async () => {
    write(agentFiles(agent).out, "x".repeat(100_000))
    write(testFiles(test).out, "y".repeat(100_000))
    assert.deepStrictEqual(await Effect.runPromise(printedBy(agent)), { end: "x".repeat(65_536), at: 5000 })
    assert.deepStrictEqual(await Effect.runPromise(undrawn.printed(test)), { end: "y".repeat(4096), at: 5000 })
  })

  it("is empty if nothing was printed", async () => {
    write(testFiles({ ...test, test: 4 }).out, "")
    for (const number of [4, 5]) {
      assert.deepStrictEqual(await Effect.runPromise(printedBy({ ...test, test: number })), { end: "", at: null })
    }
  })
})
