// LogFile: the files of a log beside the files of other kinds, its anchor, and the author of its lines.
import { Effect } from "effect"
import * as fs from "node:fs"
import { basename } from "node:path"
import { assert, describe, it } from "vitest"
import { LogMissing } from "../../../src/log/EventLog.ts"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import { logFile, openLog, prepareAnchor, readAnchor, thisProcess } from "../../../src/log/LogFile.live.ts"
import { version } from "../../../src/platform/Version.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Disk } from "./disk.ts"
import { thrown } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"
import { notes, repairs, shoppingSample, textsOf } from "./samples.ts"
import { added, begun, olderShopping, priced, shopping } from "./shopping.ts"
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
  it("are beside one another, each with its own files", async () => {
    await both()
    assert.deepStrictEqual(fs.readdirSync(run.dir()).sort(), [
      "head.json",
      "manifest.jsonl",
      "shopping.head.json",
      "shopping.jsonl"
    ])
    assert.strictEqual(basename(list().names.lock), "shopping.lock")
  })

  it("are read by their own kind", async () => {
    const head = await both()
    const log = unlocked()
    const contents = await Effect.runPromise(log.read(shopping, run.ref()))
    assert.deepStrictEqual(contents.commits.map(({ events }) => events), [[begun], [added("milk"), priced("milk", 99)]])
    assert.deepStrictEqual(contents.head, head)
    assert.deepStrictEqual(notes(await Effect.runPromise(log.read(reviewRun, run.ref()))), ["2"])
  })

  it("are repaired separately, with their own evidence", async () => {
    const head = await both()
    fs.appendFileSync(list().names.log, "torn")
    await Effect.runPromise(unlocked().append(shopping, run.ref(), head, [added("tea")]))
    const contents = await Effect.runPromise(unlocked().read(shopping, run.ref()))
    assert.deepStrictEqual(textsOf(shoppingSample, contents), ["milk", "tea"])
    const [repair] = repairs(contents)
    assert.match(repair?.kept ?? "", /^shopping\.torn\/\d+-[0-9a-f]{8}$/)
    assert.strictEqual(fs.readFileSync(run.file(repair?.kept ?? ""), "utf8"), "torn")
  })

  it("are read by an older version of their kind, without ignorable events", async () => {
    await both()
    const contents = await Effect.runPromise(unlocked().read(olderShopping, run.ref()))
    const tags = contents.commits.map(({ events }) => events.map(({ _tag }) => _tag))
    assert.deepStrictEqual(tags, [["ListBegun"], ["ItemAdded"]])
  })
})

describe("a missing log", () => {
  it("is reported with its path", () => {
    const { names } = list()
    assert.throws(() => openLog(list(), "read"), LogMissing, names.log)
  })
})

describe("the anchor in head.json", () => {
  const anchor = { seq: 3, hash: "ab".repeat(32), offset: 812 }
  const path = "/head.json"

  /** A disk that holds this text as the anchor. */
  const holding = (text: string) => Disk.of(new Map([[path, new TextEncoder().encode(text)]])).files

  describe("an anchor", () => {
    it("is read as it was written", () => {
      const { files } = new Disk()
      prepareAnchor(files, path, anchor)
      assert.deepStrictEqual(readAnchor(files, path), anchor)
    })

    it("replaces an older one completely", () => {
      const { files } = new Disk()
      prepareAnchor(files, path, { ...anchor, seq: 1_000_000 })
      prepareAnchor(files, path, anchor)
      assert.deepStrictEqual(readAnchor(files, path), anchor)
    })

    const json = (fields: object) => JSON.stringify({ ...anchor, ...fields })
    it.each([
      ["that is missing", ""],
      ["without bytes", ""],
      ["cut off", json({}).slice(0, 40)],
      ["that is not an object", "null"],
      ["before any line", json({ seq: 0 })],
      ["with half a line", json({ seq: 1.5 })],
      ["that ends before the first line could", json({ offset: 5 })],
      ["with another hash", json({ hash: "AB".repeat(32) })],
      ["with a text for a number", json({ seq: "3" })]
    ])("%s is invalid", (what, text) => {
      const files = what === "that is not there" ? new Disk().files : holding(text)
      assert.isNull(readAnchor(files, path))
    })

    it("that cannot be read is not missing", () => {
      const files = {
        ...holding(json({})),
        open: () => {
          throw systemError("EACCES")
        }
      }
      assert.deepStrictEqual(thrown(() => readAnchor(files, path)), { code: "EACCES" })
    })
  })
})

describe("the author of a line", () => {
  it("is this process and this version", () => assert.deepInclude(thisProcess, { version, pid: process.pid }))
})
