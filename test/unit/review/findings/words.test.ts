// words: places, priorities, states and blocks as in every format, and lists that are cut.
import { assert, describe, it } from "vitest"
import {
  block,
  dismissalText,
  lineOf,
  placeText,
  sectionsWithin,
  statesOf,
  whereabouts
} from "../../../../src/review/findings/words.ts"
import { batchOf, report, running, wrote } from "../../../support/reviewedBatches.ts"

describe("a place", () => {
  it("is written on one line", () => {
    assert.strictEqual(placeText({ path: null, lines: null }), "no place in the repository")
    assert.strictEqual(placeText({ path: "a.ts", lines: { start: 3, end: 3 } }), "a.ts:3")
    assert.strictEqual(placeText({ path: "a\n.ts", lines: { start: 3, end: 4 } }), "a\\n.ts:3-4")
    assert.isAtMost(placeText({ path: "a".repeat(5000), lines: null }).length, 300)
  })
})

describe("a finding", () => {
  it("is one line in a list, whatever its title", () => {
    assert.strictEqual(lineOf(wrote(1)), "P1  src/a.ts:10-12  Guard a null user")
    assert.strictEqual(
      lineOf(wrote(1, { priority: null, title: "a\u2028b\u{e0041}", path: null })),
      "no priority  no place in the repository  a\\u2028b\\u{e0041}"
    )
    assert.isAtMost(lineOf(wrote(1, { title: "x".repeat(500) })).length, 200)
  })

  it("says on which day it was dismissed", () => {
    const dismissal = { reason: "It cannot be null.", at: "2030-01-01T10:00:00.000Z", until: null } as const
    const named = { fingerprint: "0123456789abcdef", title: "x", path: null, priority: null, wordings: [] } as const
    assert.strictEqual(
      dismissalText({ ...named, ...dismissal, scope: "run" }),
      "Dismissed for the run on 2030-01-01: It cannot be null."
    )
  })
})

describe("a block", () => {
  const one = { title: "Guard", body: "It\tbreaks.\n```\nx", path: "a.ts", lines: { start: 1, end: 2 } }

  it("is a fence that its text cannot close, with a mark on every line", () =>
    assert.strictEqual(
      block(one, 100, "/s/low-1.out"),
      "````text\n| a.ts:1-2\n| Guard\n|\n| It\tbreaks.\n| ```\n| x\n````"
    ))

  it("says where the full text is when it is cut, on one line", () => {
    const text = block({ ...one, body: "x".repeat(200) }, 100, "/s\n# x/low-1.out")
    assert.match(text, /\n\nCut here; the whole of it is in \/s\\n# x\/low-1\.out$/)
    assert.match(block({ ...one, title: "x".repeat(500) }, 100, "/s"), /Cut here/)
    assert.match(block({ ...one, path: "x".repeat(500) }, 100, "/s"), /Cut here/)
  })
})

describe("the states of a report", () => {
  it("are a fixed list", () => {
    const old = wrote(1, { title: "Close the socket", path: "c.ts" })
    assert.strictEqual(statesOf(report(batchOf(1, []))), "")
    assert.strictEqual(statesOf(report(batchOf(1, [wrote(1), old]), batchOf(2, [wrote(1)]))), "1 still there, 1 gone")
    assert.strictEqual(
      statesOf(report(batchOf(1, [old]), batchOf(2, [wrote(1)], { missing: [running(2)] }))),
      "1 new, 1 not reported so far"
    )
  })
})

describe("sections within a limit", () => {
  it("are as many as fit; further ones are not even written", () => {
    let written = 0
    const section = (text: string) => {
      written++
      return text
    }
    assert.deepStrictEqual(sectionsWithin(["aa", "bb", "cc", "dd"], section, 7), { text: "aa\nbb", left: 2 })
    assert.strictEqual(written, 3)
  })
})

describe("the places of files", () => {
  it("are two lines, whatever the names of the directories", () =>
    assert.deepStrictEqual(whereabouts("/r\n# x", "/s\r\u202ey/low-1.log").split("\n"), [
      "Paths are relative to /r\\n# x",
      "The reviewers' transcripts: /s\\r\\u202ey/low-1.log"
    ]))
})
