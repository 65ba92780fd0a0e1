// KeptFiles: a file is named by its path in the run, packed within a bound, and a damaged one passes for nothing.
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { isPacked, pack, pathIn, unpack } from "../../../../src/fleet/sql/KeptFiles.live.ts"
import { historyFile, keptFile } from "../../../../src/run/Layout.live.ts"
import { runRef } from "../../run/events.ts"

describe("a kept file", () => {
  it("a file has the path that it has in its run's directory", () => {
    assert.strictEqual(pathIn(runRef(), historyFile(runRef())), "history.md")
    assert.strictEqual(pathIn(runRef(), keptFile(runRef(), "texts/a.txt")), "texts/a.txt")
  })
})

describe("what was packed comes back within the bound, and what is damaged never passes for anything", () => {
  const most = 64 * 1024 * 1024
  const bytes = Buffer.from("a transcript\n".repeat(100))

  it.each([["low-1.log", true], ["low-1.out", false], ["history.md", false], ["low-1.review.json", false]])(
    "%s is packed: %s",
    (path, packed) => assert.strictEqual(isPacked(path), packed)
  )

  describe("a packed file", () => {
    it("is small, and holds what was packed", () => {
      assert.isBelow(pack(bytes).length, 100)
      assert.isTrue(unpack(pack(bytes)).equals(bytes))
    })

    it("holds as much as the bound", () => assert.strictEqual(unpack(gzipSync(Buffer.alloc(most))).length, most))

    it.each([
      ["is no gzip", bytes],
      ["was cut", gzipSync(bytes).subarray(0, 20)],
      ["would fill the memory", gzipSync(Buffer.alloc(most + 1))]
    ])("that %s holds nothing", (_, row) => assert.strictEqual(unpack(row).length, 0))
  })
})
