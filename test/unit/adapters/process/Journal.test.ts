// The journal of an attempt: what its lines mean, and what torn or foreign ones do not.
// The one rule: every cut of a journal reads as an earlier journal, never as another one.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseJournal } from "../../../../src/adapters/process/Journal.ts"
import { parseStat } from "../../../../src/adapters/process/ProcessTable.ts"

const guard = { id: "a-b", pid: 123, ticks: "456", boot: "boot" }

describe("a journal", () => {
  it("tells who guards the attempt, codex's group and what befell it", () =>
    assert.deepStrictEqual(
      parseJournal(
        "attempt a-b 123 456 boot\ngroup 124 457\nsilent 10 1000\nnetwork 10 1060\nnew word\nstopped TERM\ndeadline\n"
      ),
      {
        _tag: "Guarded",
        guard,
        group: { pgid: 124, ticks: "457" },
        ended: ["stopped", "deadline"],
        stalls: [{ from: 10, kind: "silent", since: 1000 }, { from: 10, kind: "network", since: 1060 }]
      }
    ))

  it.each([
    ["", "Begun"],
    ["attempt a-b 123 456 boot", "Begun"],
    ["fenced a-b\n", "Fenced"],
    ["attempt a-b\n", "Begun"],
    ["attempt a-b 1 2 boot\n", "Begun"],
    ["attempt a-b -5 2 boot\n", "Begun"],
    ["attempt a-b 123 - -\n", "Guarded"]
  ])("%j is %s", (text, tag) => assert.strictEqual(parseJournal(text)._tag, tag))

  it("never names a group that a signal must not reach", () => {
    for (const pgid of ["0", "1", "-1", "x", ""]) {
      const run = parseJournal(`attempt a-b 123 456 boot\ngroup ${pgid} 457\n`)
      assert.isNull(run._tag === "Guarded" ? run.group : "no journal")
    }
  })

  it("that is cut anywhere reads as what its whole lines say", () =>
    fc.assert(fc.property(
      fc.array(fc.constantFrom("group 124 457", "deadline", "transcript", "stopped TERM", "silent 5 6", "other")),
      fc.nat(200),
      (lines, cut) => {
        const text = ["attempt a-b 123 456 boot", ...lines].map((line) => `${line}\n`).join("").slice(0, cut)
        const whole = text.slice(0, text.lastIndexOf("\n") + 1)
        assert.deepStrictEqual(parseJournal(text), parseJournal(whole))
      }
    )))
})

describe("a line of /proc/<pid>/stat", () => {
  const rest = (state: string) => `${state} 10 11 12 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 789 0 0`
  it("counts its fields behind the command's name, whatever that is", () => {
    for (const name of ["sh", "a b", ") Z 1 2", "))", ""]) {
      assert.deepStrictEqual(parseStat(`42 (${name}) ${rest("S")}`), { pid: 42, parent: 10, group: 11, ticks: "789" })
      assert.isNull(parseStat(`42 (${name}) ${rest("Z")}`))
      assert.isNull(parseStat(`42 (${name}) ${rest("X")}`))
    }
  })
})
