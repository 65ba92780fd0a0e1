// Head: the anchor as it is written, and as it counts for missing when it is not whole.
import { assert, describe, it } from "vitest"
import { prepareAnchor, readAnchor } from "../../../src/log/LogFile.live.ts"
import { Disk } from "./disk.ts"
import { thrown } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"

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

  it("is written in the place of an older one, whole", () => {
    const { files } = new Disk()
    prepareAnchor(files, path, { ...anchor, seq: 1_000_000 })
    prepareAnchor(files, path, anchor)
    assert.deepStrictEqual(readAnchor(files, path), anchor)
  })

  const json = (fields: object) => JSON.stringify({ ...anchor, ...fields })
  it.each([
    ["that is not there", ""],
    ["without bytes", ""],
    ["cut off", json({}).slice(0, 40)],
    ["of no object", "null"],
    ["before any line", json({ seq: 0 })],
    ["with half a line", json({ seq: 1.5 })],
    ["that ends before a line can", json({ offset: 5 })],
    ["with another hash", json({ hash: "AB".repeat(32) })],
    ["with a text for a number", json({ seq: "3" })]
  ])("%s is none", (what, text) => {
    const files = what === "that is not there" ? new Disk().files : holding(text)
    assert.isNull(readAnchor(files, path))
  })

  it("that cannot be read is no missing one", () => {
    const files = {
      ...holding(json({})),
      open: () => {
        throw systemError("EACCES")
      }
    }
    assert.deepStrictEqual(thrown(() => readAnchor(files, path)), { code: "EACCES" })
  })
})
