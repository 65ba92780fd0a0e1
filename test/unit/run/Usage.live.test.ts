// What a store takes up: every file counts by its blocks, no link is followed, and a place that is not there is empty.
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { usageOf } from "../../../src/run/Removal.live.ts"

it("is the sum of its files, with the largest of them", () => {
  const dir = fs.mkdtempSync(join(tmpdir(), "ooda-usage-"))
  try {
    assert.isNull(usageOf(join(dir, "nowhere")).largest)
    fs.mkdirSync(join(dir, "a/b"), { recursive: true })
    fs.writeFileSync(join(dir, "small"), "x")
    fs.writeFileSync(join(dir, "a/b/large"), Buffer.alloc(300_000, "x"))
    fs.writeFileSync(join(dir, "hole"), "")
    fs.truncateSync(join(dir, "hole"), 10_000_000)
    fs.symlinkSync("/", join(dir, "link"))
    const { bytes, largest } = usageOf(dir)
    assert.strictEqual(largest?.path, join(dir, "a/b/large"))
    assert.isAtLeast(largest?.bytes ?? 0, 300_000)
    assert.isAtLeast(bytes, largest?.bytes ?? 0)
    assert.isBelow(bytes, 1_000_000)
  } finally {
    fs.rmSync(dir, { recursive: true })
  }
})
