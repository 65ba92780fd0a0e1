// directories: an empty directory for each test, gone after it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"

/** Gives each test of the calling file, or of the calling block, an empty directory. Returns the place of a path in it. */
export const eachInDirectory = (): (...parts: ReadonlyArray<string>) => string => {
  let directory = ""
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-test-")))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))
  return (...parts) => join(directory, ...parts)
}
