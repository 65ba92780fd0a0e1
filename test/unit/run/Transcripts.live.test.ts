// Cutting transcripts: both ends stay, short ones stay whole, and nothing that may be a review is touched.
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { archivedFiles, attemptFiles } from "../../../src/run/Layout.live.ts"
import { cutTranscripts, isCut, shortenTranscript } from "../../../src/run/Removal.live.ts"
import { openOnDisk } from "../../../src/platform/Files.ts"
import { bootId, processAt } from "../../../src/platform/Processes.ts"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import type { CuttableTranscript } from "../../../src/run/RunStore.ts"

let root = ""
let review: ReviewRef = {
  run: { root, repoId: "r", targetKey: "t", runId: "i" },
  level: "low",
  batch: 1,
  slot: 1,
  attempt: 2
}
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "ooda-transcripts-"))
  review = { ...review, run: { ...review.run, root } }
  fs.mkdirSync(dirname(attemptFiles(review).log), { recursive: true })
})
afterEach(() => fs.rmSync(root, { recursive: true }))

const long = `HEAD${"x".repeat(500_000)}TAIL`
const cut = (state: CuttableTranscript["state"], dryRun = false) =>
  Effect.runPromise(cutTranscripts([{ review, state }], { dryRun }))
/** Leaves long streams of an attempt, whose journal and exit file say so. */
const leave = (
  journal: string | null,
  exit: string | null,
  files: { log: string; out: string } = attemptFiles(review)
) => {
  fs.writeFileSync(files.log, long)
  fs.writeFileSync(files.out, long)
  if (journal !== null) fs.writeFileSync(attemptFiles(review).journal, journal)
  if (exit !== null) fs.writeFileSync(attemptFiles(review).exit, exit)
}
const sizes = ({ log, out }: { log: string; out: string } = attemptFiles(review)) =>
  [log, out].map((path) => fs.statSync(path).size > 200_000 ? "whole" : "cut")
const boot = bootId(process.env) ?? ""
const dead = `attempt a 4194300 1 ${boot}\n`

describe("a long transcript", () => {
  it("of a recorded review keeps both its ends, and is known as cut; its standard output stays", async () => {
    leave(dead, "0\n")
    assert.isFalse(openOnDisk(attemptFiles(review).log, isCut))
    assert.isAbove(await cut("Reviewed", true), 300_000)
    assert.deepStrictEqual(sizes(), ["whole", "whole"])
    assert.isAbove(await cut("Reviewed"), 300_000)
    const text = fs.readFileSync(attemptFiles(review).log, "utf8")
    assert.strictEqual(shortenTranscript(Buffer.from(long))?.toString(), text)
    assert.isNull(shortenTranscript(Buffer.from(text)))
    assert.match(text, /^HEADx+\n\[cut by ooda-codex-review runs --prune --transcripts\]\nx+TAIL$/)
    assert.isBelow(text.length, 140_000)
    assert.deepStrictEqual([openOnDisk(attemptFiles(review).log, isCut), ...sizes()], [true, "cut", "whole"])
    assert.strictEqual(await cut("Reviewed"), 0)
  })

  it("of an attempt that failed, or came before one, is cut with its standard output", async () => {
    leave(dead, "1\n")
    await cut("Failed")
    assert.deepStrictEqual(sizes(), ["cut", "cut"])
    leave(null, null, archivedFiles(review))
    await cut("Archived")
    assert.deepStrictEqual(sizes(archivedFiles(review)), ["cut", "cut"])
  })

  it.each([
    ["ended with an error", dead, "101\n", "cut"],
    ["was lost", dead, null, "cut"],
    ["ended well", dead, "0\n", "whole"],
    ["ended well, as its journal alone says", `${dead}ended 0 500008 500008\n`, null, "whole"],
    ["has not begun", null, null, "whole"],
    ["lives", `attempt a ${process.pid} ${processAt(process.pid, process.env)?.start} ${boot}\n`, null, "whole"]
  ])("of an open attempt that %s is %4$s", async (_, journal, exit, left) => {
    leave(journal, exit)
    await cut("Open")
    assert.deepStrictEqual(sizes(), [left, left])
  })
})

it("a short transcript, and one that is not there, stay as they are", async () => {
  assert.strictEqual(await cut("Reviewed"), 0)
  assert.isFalse(openOnDisk(attemptFiles(review).log, isCut))
  fs.writeFileSync(attemptFiles(review).log, "x".repeat(128 * 1024))
  assert.strictEqual(await cut("Reviewed"), 0)
  assert.strictEqual(fs.statSync(attemptFiles(review).log).size, 128 * 1024)
})
