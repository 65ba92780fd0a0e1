// What an ended reviewer left in its files: two streams told apart again, within bounds, with their digests.
import { createHash } from "node:crypto"
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { openOnDisk } from "../../../src/platform/Files.ts"
import {
  cutMarker,
  logBytes,
  outBytes,
  outputOf,
  type StreamFiles,
  textsOf
} from "../../../src/review/ReviewFiles.live.ts"

let dir = ""
let files: StreamFiles = { log: "", out: "", exit: "", journal: "" }
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ooda-output-"))
  files = { log: join(dir, "log"), out: join(dir, "out"), exit: join(dir, "exit"), journal: join(dir, "run") }
})
afterEach(() => rmSync(dir, { recursive: true }))

const sha = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")

/** Leaves files as the wrapper does: standard output stands behind standard error. */
const leave = (log: string, out: string): void => {
  writeFileSync(files.log, log + out)
  writeFileSync(files.out, out)
  writeFileSync(files.exit, "0\n")
}

describe("the streams of a reviewer", () => {
  it("are told apart again, with digests of the stored files", () => {
    leave("banner\nwords\n", "Ünïcode — fine.\n")
    const found = outputOf(openOnDisk, files)
    assert.deepStrictEqual([found.logHead, found.logTail], ["banner\nwords\n", "banner\nwords\n"])
    assert.strictEqual(found.out, "Ünïcode — fine.\n")
    const log = "banner\nwords\nÜnïcode — fine.\n"
    assert.deepStrictEqual(found.digests.log, { algorithm: "sha256", hex: sha(log), bytes: Buffer.byteLength(log) })
    const { digests: _, ...texts } = found
    assert.deepStrictEqual(textsOf(openOnDisk, files), { ...texts, transcript: null })
  })

  it("show the commands of standard error, and none that standard output looks like", () => {
    const block = "exec\n/bin/sh -c 'git diff' in /r\n exited 1 in 2ms:\n"
    leave(`banner\n${block}`, block.replace("exited 1", "succeeded"))
    assert.deepInclude(outputOf(openOnDisk, files).transcript, { succeeded: 0, failed: 1 })
  })

  it.each(["banner\n", "banner\nans", "banner\nanswer\n"])("are told apart by the noted sizes in %j", (log) => {
    leave("", "answer\n")
    writeFileSync(files.log, log)
    writeFileSync(files.journal, "attempt a 123 456 boot\nended 0 7 7\n")
    assert.deepInclude(outputOf(openOnDisk, files), { logHead: "banner\n", logTail: "banner\n", out: "answer\n" })
  })

  it("that were never put together are read as they are", () => {
    writeFileSync(files.log, "only standard error\n")
    writeFileSync(files.out, "an answer\n")
    assert.deepInclude(outputOf(openOnDisk, files), { logTail: "only standard error\n", out: "an answer\n" })
  })

  it("that are missing are empty", () => {
    const { digests, logHead, out } = outputOf(openOnDisk, files)
    assert.deepStrictEqual([logHead, out], ["", ""])
    assert.deepStrictEqual(digests.log, { algorithm: "sha256", hex: sha(""), bytes: 0 })
  })

  it("are read at both ends alone where the log is long", () => {
    leave(`${"a".repeat(logBytes)}${"b".repeat(100_000)}${"c".repeat(logBytes)}`, "answer\n")
    const { logHead, logTail } = outputOf(openOnDisk, files)
    assert.isTrue(logHead === "a".repeat(logBytes) && logTail === "c".repeat(logBytes))
  })

  it("of 500 MB are known by both ends", () => {
    leave("head é", "")
    truncateSync(files.log, 500 * 2 ** 20)
    appendFileSync(files.log, "tail of standard error\nanswer\n")
    writeFileSync(files.out, "answer\n")
    const found = outputOf(openOnDisk, files)
    assert.isTrue(found.logHead.startsWith("head é\0"))
    assert.isAtMost(found.logHead.length, logBytes)
    assert.isTrue(found.logTail.endsWith("\0tail of standard error\n"))
    const size = statSync(files.log).size
    assert.deepInclude(found.digests.log, { algorithm: "sha256-ends", bytes: size })
    const [first, last] = [Buffer.alloc(65_536), Buffer.alloc(65_536)]
    first.write("head é")
    last.write("tail of standard error\nanswer\n", last.length - 30)
    assert.strictEqual(found.digests.log.hex, sha(Buffer.concat([Buffer.from(`${size}\n`), first, last])))
  })

  it("of an answer beyond all bounds are cut, and that is said", () => {
    leave("banner\n", "")
    writeFileSync(files.out, `x${"é".repeat(outBytes / 2 + 100)}`)
    const { out } = outputOf(openOnDisk, files)
    const { size } = statSync(files.out)
    assert.isTrue(out.endsWith(cutMarker(size)))
    assert.isFalse(out.includes("\ufffd"))
    assert.strictEqual(out.length, outBytes / 2 + cutMarker(size).length)
  })

  it("that cannot be read throw what the system throws", () => {
    mkdirSync(files.out)
    assert.throws(() => outputOf(openOnDisk, files), /EISDIR/)
  })
})
