// What fills the disk, in words, and the command that frees some of it.
import { assert, describe, it } from "vitest"
import { diskUsageText, howToFree } from "../../../src/run/FullDisk.ts"

describe("a store that fills its disk", () => {
  it("is told with its largest file, which is cut where it is a long one", () => {
    const facts = { root: "/a b", bytes: 2_100_000_000, largest: { path: "/a b/low-1.log", bytes: 38_120_000 } }
    assert.strictEqual(diskUsageText(facts), "the state root /a b holds 2.1 GB, 38.1 MB of it in /a b/low-1.log")
    assert.strictEqual(howToFree(facts), "ooda-codex-review runs --prune --transcripts --all --state-root '/a b'")
  })

  it("is told to be small where something else fills it", () => {
    const facts = { root: "/s", bytes: 12_100, largest: { path: "/s/log", bytes: 8_000 } }
    assert.strictEqual(diskUsageText(facts), "the state root /s holds 13 kB, 8 kB of it in /s/log")
    assert.strictEqual(howToFree(facts), "free space on the disk of /s")
    assert.strictEqual(diskUsageText({ ...facts, largest: null }), "the state root /s holds 13 kB")
    assert.strictEqual(howToFree({ ...facts, largest: null }), "free space on the disk of /s")
  })
})
