// Files to be read, on a real disk: plain ones of bounded size, and nothing is waited for.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { inFilesLayer } from "../../../src/read/UserFiles.live.ts"
import { InFiles } from "../../../src/read/UserFiles.ts"

let dir = ""
beforeEach(() => (dir = fs.mkdtempSync(join(tmpdir(), "ooda-in-"))))
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }))

const read = async (name: string) => {
  const done = await Effect.runPromise(
    Effect.result(Effect.provide(InFiles.use((f) => f.read(dir, name, 4)), inFilesLayer))
  )
  return Result.isSuccess(done) ? done.success : done.failure.reason._tag
}

describe("a file", () => {
  it("is read by its name in the directory, by its whole name, and through a link", async () => {
    fs.writeFileSync(join(dir, "a"), "four")
    fs.symlinkSync("a", join(dir, "link"))
    assert.deepStrictEqual([await read("a"), await read(join(dir, "a")), await read("link")], ["four", "four", "four"])
  })

  it("is not read where it is too large, no plain file, or not there", async () => {
    fs.writeFileSync(join(dir, "large"), "fives")
    execFileSync("mkfifo", [join(dir, "pipe")])
    assert.deepStrictEqual(
      [await read("large"), await read("."), await read("pipe"), await read("/dev/zero"), await read("none")],
      ["TooLarge", "NoPlainFile", "NoPlainFile", "NoPlainFile", "SystemRefused"]
    )
  })
})
