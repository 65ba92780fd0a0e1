// The end of a command whose wrapper could not put its files together: told by its journal, or not at all.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import {
  complete,
  notedEnd,
  readJournal,
  type StartedJournal,
  statusWithoutFile
} from "../../../../src/platform/guard/Journal.ts"
import type { JobFiles } from "../../../../src/platform/guard/Job.ts"
import { bootId } from "../../../../src/platform/Processes.ts"
import { filesIn } from "./guarded.ts"

let dir = ""
let files: JobFiles = filesIn("", "a", 1)
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ooda-ending-"))
  files = filesIn(dir, "a", 1)
})
afterEach(() => rmSync(dir, { recursive: true }))

const boot = bootId(process.env) ?? assert.fail("no boot id")
const told = "told\n"
const said = "said\n"

/** Leaves the files of a command that ended with 7, whose journal was written in a boot. */
const leave = (log: string, out: string, noted = `ended 7 ${told.length} ${said.length}\n`, within = boot): void => {
  writeFileSync(files.log, log)
  writeFileSync(files.out, out)
  writeFileSync(files.journal, `attempt a 4194300 1 ${within}\n${noted}`)
  writeFileSync(`${files.exit}.new`, "000\n")
}

const status = (): number | null => {
  const journal = readJournal(files.journal)
  assert.strictEqual(journal._tag, "Started")
  return statusWithoutFile(files, journal as StartedJournal, process.env)
}

describe("the status without an exit file", () => {
  it("is the noted one while standard output is as long as it was", () => {
    leave(told, said)
    assert.strictEqual(status(), 7)
  })

  it.each([["shorter", "sai"], ["longer", "said\nmore\n"], ["empty", ""]])(
    "is not known where standard output is %s",
    (_, out) => {
      leave(told, out)
      assert.isNull(status())
    }
  )

  it("is not known where standard output is gone, in another boot, without a boot, or without a note", () => {
    leave(told, said)
    rmSync(files.out)
    assert.isNull(status())
    leave(told, said, undefined, "00000000-0000-0000-0000-000000000000")
    assert.isNull(status())
    leave(told, said, undefined, "-")
    assert.isNull(status())
    leave(told, said, "ended 7 5")
    assert.isNull(status())
    assert.isNull(notedEnd(files.journal))
  })
})

describe("completing", () => {
  it.each([["nothing", told], ["the half", `${told}sa`], ["all", told + said]])(
    "a log to which %s of standard output was appended makes it whole",
    (_, log) => {
      leave(log, said)
      complete(files, 7)
      assert.strictEqual(readFileSync(files.log, "utf8"), told + said)
      assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
      assert.isFalse(existsSync(`${files.exit}.new`))
    }
  )

  it("puts standard output on a line of its own", () => {
    leave("told", said, "ended 0 4 5\n")
    complete(files, 0)
    assert.strictEqual(readFileSync(files.log, "utf8"), told + said)
  })

  it("adds nothing where standard output is empty, or the log shorter than it was", () => {
    leave("told", "", "ended 0 4 0\n")
    complete(files, 0)
    assert.strictEqual(readFileSync(files.log, "utf8"), "told")
    leave("to", said)
    complete(files, 7)
    assert.strictEqual(readFileSync(files.log, "utf8"), "to")
  })

  it("leaves an exit file as it is, puts an empty one right, and needs no log", () => {
    leave(told, said)
    writeFileSync(files.exit, "143\n")
    complete(files, 7)
    assert.strictEqual(readFileSync(files.exit, "utf8"), "143\n")
    assert.strictEqual(readFileSync(files.log, "utf8"), told + said)
    writeFileSync(files.exit, "")
    rmSync(files.log)
    complete(files, 7)
    assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
    assert.isFalse(existsSync(files.log))
  })

  it("gives way to another process that has just done the same", () => {
    leave(told, said)
    complete(files, 7)
    complete(files, 7)
    assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
  })
})
