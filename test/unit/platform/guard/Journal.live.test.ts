// Journal: what the lines of a job's journal mean, what torn or foreign ones do not, and how an end is made whole by it.
// Every cut of a journal reads as an earlier journal, never as another one.
import * as fc from "fast-check"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeEach, describe, it } from "vitest"
import { bootId } from "../../../../src/platform/Processes.ts"
import type { JobFiles } from "../../../../src/platform/guard/Job.ts"
import {
  complete,
  exitStatus,
  fence,
  notedEnd,
  noteStall,
  noteStrike,
  parseJournal,
  readJournal,
  type StartedJournal,
  statusWithoutFile
} from "../../../../src/platform/guard/Journal.ts"
import { filesIn } from "./guarded.ts"

const wrapper = { id: "a-b", pid: 123, start: "456", boot: "boot" }

describe("a journal", () => {
  it("names the wrapper, the command's group and what happened", () =>
    assert.deepStrictEqual(
      parseJournal(
        "attempt a-b 123 456 boot\nline 7 ab\ngroup 124 457\nsilent 10 1000\nnetwork 10 1060\nnew word\nstopped TERM\ndeadline\nidle\nasked\n" +
          "ended 143 20 30\n"
      ),
      {
        _tag: "Started",
        wrapper,
        line: { seq: 7, hash: "ab" },
        group: { pgid: 124, start: "457" },
        struck: ["stopped", "deadline", "idle", "asked"],
        stalls: [{ from: 10, kind: "silent", since: 1000 }, { from: 10, kind: "network", since: 1060 }],
        lost: false,
        end: { status: 143, logBytes: 20, outBytes: 30 }
      }
    ))

  it.each([
    ["", "Opened"],
    ["attempt a-b 123 456 boot", "Opened"],
    ["fenced a-b\n", "Fenced"],
    ["attempt a-b\n", "Opened"],
    ["attempt a-b 1 2 boot\n", "Opened"],
    ["attempt a-b -5 2 boot\n", "Opened"],
    ["attempt a-b 123 - -\n", "Started"],
    ["attempt a-b 123 456 boot\nunstarted\n", "Fenced"]
  ])("%j is %s", (text, tag) => assert.strictEqual(parseJournal(text)._tag, tag))

  it("never names a group that a signal must not reach", () => {
    for (const pgid of ["0", "1", "-1", "x", ""]) {
      const run = parseJournal(`attempt a-b 123 456 boot\ngroup ${pgid} 457\n`)
      assert.isNull(run._tag === "Started" ? run.group : "no journal")
    }
  })

  it("that is cut anywhere reads as what its whole lines say", () =>
    fc.assert(fc.property(
      fc.array(
        fc.constantFrom("group 124 457", "deadline", "transcript", "stopped TERM", "silent 5 6", "ended 0 1 2", "other")
      ),
      fc.nat(200),
      (lines, cut) => {
        const text = ["attempt a-b 123 456 boot", ...lines].map((line) => `${line}\n`).join("").slice(0, cut)
        const whole = text.slice(0, text.lastIndexOf("\n") + 1)
        assert.deepStrictEqual(parseJournal(text), parseJournal(whole))
      }
    )))
})

describe("the file of a journal", () => {
  const within = (use: (dir: string) => void): void => {
    const dir = mkdtempSync(join(tmpdir(), "ooda-journal-"))
    try {
      use(dir)
    } finally {
      rmSync(dir, { recursive: true })
    }
  }
  const jobAt = (journal: string) => ({ id: "a-b", files: { journal, lock: "", log: "", out: "", exit: "" } })

  it("that is not there is absent, and one that is a directory is a fault", () =>
    within((dir) => {
      assert.deepStrictEqual(readJournal(join(dir, "no.run")), { _tag: "Absent" })
      assert.throws(() => readJournal(dir), /EISDIR/)
    }))

  it("is fenced once, in a directory that need not be there, and never over what it says", () =>
    within((dir) => {
      const journal = join(dir, "deep", "down", "a.run")
      assert.isTrue(fence(jobAt(journal)))
      assert.deepStrictEqual(readJournal(journal), { _tag: "Fenced" })
      assert.strictEqual(statSync(journal).mode & 0o777, 0o600)
      assert.isFalse(fence(jobAt(journal)))
      const started = join(dir, "b.run")
      writeFileSync(started, "attempt a-b 123 456 boot\n")
      assert.isFalse(fence(jobAt(started)))
      assert.strictEqual(readFileSync(started, "utf8"), "attempt a-b 123 456 boot\n")
    }))

  it("keeps a stall behind what it says, and is not made by it", () =>
    within((dir) => {
      const journal = join(dir, "a.run")
      const stall = { from: 10, kind: "silent", since: 1000.4 } as const
      assert.throws(() => noteStall(journal, stall), /ENOENT/)
      assert.isFalse(existsSync(journal))
      writeFileSync(journal, "attempt a-b 123 456 boot\n")
      noteStall(journal, stall)
      const read = readJournal(journal)
      assert.deepStrictEqual(read._tag === "Started" ? read.stalls : null, [{ ...stall, since: 1000 }])
    }))

  it("keeps why a job that has begun is stopped, and only before its end", () =>
    within((dir) => {
      const journal = join(dir, "a.run")
      noteStrike(journal, "idle")
      assert.isFalse(existsSync(journal))
      for (const over of ["fenced a-b\n", "attempt a-b 123 456 boot\nended 0 1 2\n"]) {
        writeFileSync(journal, over)
        noteStrike(journal, "idle")
        assert.strictEqual(readFileSync(journal, "utf8"), over)
      }
      writeFileSync(journal, "attempt a-b 123 456 boot\n")
      noteStrike(journal, "idle")
      noteStrike(journal, "asked")
      const read = readJournal(journal)
      assert.deepStrictEqual(read._tag === "Started" ? read.struck : null, ["idle", "asked"])
    }))
})

describe("exit files", () => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-exit-"))
  afterAll(() => rmSync(dir, { recursive: true }))

  describe("an exit file", () => {
    it.each([["0\n", 0], ["7\n", 7], ["143\n", 143]])("%j is a status", (text, status) => {
      writeFileSync(join(dir, "exit"), text)
      assert.strictEqual(exitStatus(join(dir, "exit")), status)
    })

    it.each(["", "0", "\n", "-1\n", "1234\n", "1\n2\n", "x\n", " 0\n"])("%j is invalid", (text) => {
      writeFileSync(join(dir, "exit"), text)
      assert.isNull(exitStatus(join(dir, "exit")))
    })

    it("that is missing is null, and an unreadable one is a fault", () => {
      assert.isNull(exitStatus(join(dir, "missing")))
      assert.throws(() => exitStatus(dir), /EISDIR/)
    })
  })
})

describe("an end", () => {
  let dir = ""
  let files: JobFiles = filesIn("", "a", 1)

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "ooda-ending-"))
    files = filesIn(dir, "a", 1)
  })

  afterEach(() => rmSync(dir, { recursive: true }))
  const boot = bootId(process.env) ?? assert.fail("no boot id")
  const errors = "warn\n"
  const said = "said\n"

  /** Leaves the files of a command that ended with 7, whose journal was written in a boot. */
  const leave = (
    log: string,
    out: string,
    noted = `ended 7 ${errors.length} ${said.length}\n`,
    within = boot
  ): void => {
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
    it("is the noted one while standard output has its noted length", () => {
      leave(errors, said)
      assert.strictEqual(status(), 7)
    })

    it.each([["shorter", "sai"], ["longer", "said\nmore\n"], ["empty", ""]])(
      "is not known where standard output is %s",
      (_, out) => {
        leave(errors, out)
        assert.isNull(status())
      }
    )

    it("is not known where standard output is gone, in another boot, without a boot, or without a note", () => {
      leave(errors, said)
      rmSync(files.out)
      assert.isNull(status())
      leave(errors, said, undefined, "00000000-0000-0000-0000-000000000000")
      assert.isNull(status())
      leave(errors, said, undefined, "-")
      assert.isNull(status())
      leave(errors, said, "ended 7 5")
      assert.isNull(status())
      assert.isNull(notedEnd(files.journal))
    })
  })

  describe("completing", () => {
    it.each([["nothing", errors], ["the half", `${errors}sa`], ["all", errors + said]])(
      "a log to which %s of standard output was appended makes it whole",
      (_, log) => {
        leave(log, said)
        complete(files, 7)
        assert.strictEqual(readFileSync(files.log, "utf8"), errors + said)
        assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
        assert.isFalse(existsSync(`${files.exit}.new`))
      }
    )

    it("puts standard output on a line of its own", () => {
      leave("warn", said, "ended 0 4 5\n")
      complete(files, 0)
      assert.strictEqual(readFileSync(files.log, "utf8"), errors + said)
    })

    it("adds nothing where standard output is empty, or the log shorter than it was", () => {
      leave("warn", "", "ended 0 4 0\n")
      complete(files, 0)
      assert.strictEqual(readFileSync(files.log, "utf8"), "warn")
      leave("wa", said)
      complete(files, 7)
      assert.strictEqual(readFileSync(files.log, "utf8"), "wa")
    })

    it("leaves an exit file as it is, puts an empty one right, and needs no log", () => {
      leave(errors, said)
      writeFileSync(files.exit, "143\n")
      complete(files, 7)
      assert.strictEqual(readFileSync(files.exit, "utf8"), "143\n")
      assert.strictEqual(readFileSync(files.log, "utf8"), errors + said)
      writeFileSync(files.exit, "")
      rmSync(files.log)
      complete(files, 7)
      assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
      assert.isFalse(existsSync(files.log))
    })

    it("gives way to another process that has just done the same", () => {
      leave(errors, said)
      complete(files, 7)
      complete(files, 7)
      assert.strictEqual(readFileSync(files.exit, "utf8"), "7\n")
    })
  })
})
