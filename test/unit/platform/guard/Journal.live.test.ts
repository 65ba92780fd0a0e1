// The journal of a job: what its lines mean, and what torn or foreign ones do not.
// The one rule: every cut of a journal reads as an earlier journal, never as another one.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fence, noteStall, noteStrike, parseJournal, readJournal } from "../../../../src/platform/guard/Journal.ts"

const wrapper = { id: "a-b", pid: 123, start: "456", boot: "boot" }

describe("a journal", () => {
  it("tells who guards the job, the command's group and what befell it", () =>
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
