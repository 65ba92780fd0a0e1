// The log of one kind on this machine: its files beside those of other kinds, and a log that is not there.
import * as fs from "node:fs"
import { basename } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import { logFile, openLog, withLog } from "../../../src/log/LogFile.live.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { LogMissing } from "../../../src/log/EventLog.ts"
import { added, begun, olderShopping, priced, shopping } from "./shopping.ts"
import { notes, repairs, shoppingSample, textsOf } from "./samples.ts"
import { temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

const run = temporaryRun()
const list = () => logFile(nodeFiles, run.ref(), shopping)

/** Writes a list of two lines beside a review run of two lines. */
const both = () =>
  Effect.runPromise(Effect.gen(function*() {
    const log = unlocked()
    yield* writeLines(log, run.ref(), 2)
    const head = yield* log.create(shopping, run.ref(), [begun])
    return yield* log.append(shopping, run.ref(), head, [added("milk"), priced("milk", 99)])
  }))

describe("two logs of one run", () => {
  it("lie beside one another, each with files of its own", async () => {
    await both()
    assert.deepStrictEqual(fs.readdirSync(run.dir()).sort(), [
      "head.json",
      "manifest.jsonl",
      "shopping.head.json",
      "shopping.jsonl"
    ])
    assert.strictEqual(basename(list().names.lock), "shopping.lock")
  })

  it("are read each by its own kind", async () => {
    const head = await both()
    const log = unlocked()
    const contents = await Effect.runPromise(log.read(shopping, run.ref()))
    assert.deepStrictEqual(contents.commits.map(({ events }) => events), [[begun], [added("milk"), priced("milk", 99)]])
    assert.deepStrictEqual(contents.head, head)
    assert.deepStrictEqual(notes(await Effect.runPromise(log.read(reviewRun, run.ref()))), ["2"])
  })

  it("are repaired each by itself, with the evidence in a place of its own", async () => {
    const head = await both()
    fs.appendFileSync(list().names.log, "torn")
    await Effect.runPromise(unlocked().append(shopping, run.ref(), head, [added("tea")]))
    const contents = await Effect.runPromise(unlocked().read(shopping, run.ref()))
    assert.deepStrictEqual(textsOf(shoppingSample, contents), ["milk", "tea"])
    const [repair] = repairs(contents)
    assert.match(repair?.kept ?? "", /^shopping\.torn\/\d+-[0-9a-f]{8}$/)
    assert.strictEqual(fs.readFileSync(run.file(repair?.kept ?? ""), "utf8"), "torn")
  })

  it("are read by an older version of their kind, without what it may pass over", async () => {
    await both()
    const contents = await Effect.runPromise(unlocked().read(olderShopping, run.ref()))
    const tags = contents.commits.map(({ events }) => events.map(({ _tag }) => _tag))
    assert.deepStrictEqual(tags, [["ListBegun"], ["ItemAdded"]])
  })
})

describe("a log that is not there", () => {
  it("is missing, by its path", () => {
    const { names } = list()
    assert.throws(() => openLog(list(), "read"), LogMissing, names.log)
  })

  it("is closed again after its use, whatever that throws", async () => {
    await both()
    const open = new Set<number>()
    const files = {
      ...nodeFiles,
      open: (...of: Parameters<typeof nodeFiles.open>) => {
        const fd = nodeFiles.open(...of)
        open.add(fd)
        return fd
      },
      close: (fd: number) => {
        open.delete(fd)
        nodeFiles.close(fd)
      }
    }
    const log = logFile(files, run.ref(), shopping)
    assert.strictEqual(withLog(log, "read", (fd) => open.has(fd)), true)
    assert.throws(() => withLog(log, "read", () => assert.fail("used")), "used")
    assert.strictEqual(open.size, 0)
  })
})
