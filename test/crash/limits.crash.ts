// Limits: a file size limit at every byte of a line, and a disk that is full.
// All or nothing; nothing is acknowledged that does not fit, and what was there stays.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { fileOf, onlyRun } from "../unit/log/onlyRun.ts"
import { note, notes } from "../unit/log/samples.ts"
import { outcome, unlocked, writeLines } from "../unit/log/temporaryLog.ts"
import { prepareWriter, runFreely } from "./program.ts"
import { works } from "./skipped.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"

const state = { root: "", writer: "" }
beforeAll(async () => {
  Object.assign(state, await prepareWriter())
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

const read = (root: string) => Effect.runPromise(unlocked().read(reviewRun, onlyRun(root)))

/** Limits the size of the files that this process may write; null lifts the limit. */
const limitFiles = (bytes: number | null): void => {
  const limit = `--fsize=${bytes ?? "unlimited"}:unlimited`
  assert.strictEqual(spawnSync("prlimit", ["--pid", String(process.pid), limit]).status, 0)
}

describe.skipIf(!works("file size limits", "prlimit", ["--fsize=100:unlimited", "true"]))("a file size limit", () => {
  it("at any byte of a line takes the line back", async () => {
    const root = path.join(state.root, "limited")
    const log = fileOf(root, "manifest.jsonl")
    const heads = await Effect.runPromise(writeLines(unlocked(), onlyRun(root), 3))
    const head = heads[1] ?? assert.fail("no second line")
    const whole = fs.readFileSync(log)
    const end = whole.lastIndexOf(10, whole.length - 2) + 1
    for (let limit = end; limit <= whole.length; limit++) {
      fs.truncateSync(log, end)
      fs.rmSync(fileOf(root, "head.json"), { force: true })
      limitFiles(limit)
      const said = await outcome(unlocked().append(reviewRun, onlyRun(root), head, [note("3")]))
      limitFiles(null)
      const fits = limit === whole.length
      assert.strictEqual(JSON.stringify(said).includes("LogUnavailable"), !fits, `limit ${limit}`)
      const contents = await read(root)
      assert.strictEqual(contents.torn, 0, `limit ${limit}`)
      assert.deepStrictEqual(notes(contents), fits ? ["2", "3"] : ["2"])
    }
  })
})

/** A file system of 64 KiB; false where this process may not mount one. */
const mounted = (): boolean =>
  process.getuid?.() === 0
    ? works("a full disk", "sh", ["-c", "d=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d"])
    : works("a full disk (needs root)", "false", [])

describe.skipIf(!mounted())("a full disk", () => {
  it("loses nothing that was acknowledged, and continues when there is space again", async () => {
    const disk = path.join(state.root, "disk")
    fs.mkdirSync(disk)
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", disk]).status, 0)
    try {
      const root = path.join(disk, "state")
      const full = runFreely([state.writer, root, "a", "1000"])
      assert.strictEqual(full.status, 6)
      assert.match(full.stderr, /LogUnavailable.*(the disk is full|only \d+ of \d+ bytes)/)
      assert.isAbove(full.acknowledged.length, 20)
      const contents = await read(root)
      assert.deepStrictEqual(notes(contents), full.acknowledged)
      assert.strictEqual(contents.torn, 0)

      fs.appendFileSync(fileOf(root, "manifest.jsonl"), "t")
      const torn = fs.statSync(fileOf(root, "manifest.jsonl")).size
      const still = await outcome(unlocked().append(reviewRun, onlyRun(root), contents.head, []))
      assert.deepInclude(still, { _tag: "LogUnavailable" })
      assert.strictEqual(fs.statSync(fileOf(root, "manifest.jsonl")).size, torn, "nothing was cut")

      assert.strictEqual(spawnSync("mount", ["-o", "remount,size=256k", disk]).status, 0)
      const more = runFreely([state.writer, root, "b", "3"])
      assert.deepStrictEqual(more.acknowledged, ["b1", "b2", "b3"])
      assert.deepStrictEqual(notes(await read(root)), [...full.acknowledged, ...more.acknowledged])
    } finally {
      spawnSync("umount", [disk])
    }
  })
})
