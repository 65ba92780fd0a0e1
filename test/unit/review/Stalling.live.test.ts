// The stalled end of codex's transcript: its own reconnecting lines, and nothing else that it or others write.
import { assert, describe, it } from "vitest"
import { stalledTail } from "../../../src/review/Reviewers.live.ts"

const wait = "ERROR: Reconnecting... waiting for network\n"
const complaint = "2026-11-20T10:00:00.1Z ERROR codex_api::endpoint: no\n"

describe("the stalled end of a transcript", () => {
  it.each<[string, string, ReturnType<typeof stalledTail>]>([
    ["nothing", "", null],
    ["progress", "banner\n", null],
    ["progress after it", `${wait}codex\n`, null],
    ["one attempt", "z\na\nERROR: Reconnecting... 1/5\n", { from: 4, waits: 0, cut: false }],
    ["attempts, then the network", `a\nb\nERROR: Reconnecting... 5/5\n${wait}`, { from: 4, waits: 1, cut: false }],
    ["blank lines and codex's own complaints between", `z\na\n${wait}\n${complaint}${wait}`, {
      from: 4,
      waits: 2,
      cut: false
    }],
    ["complaints alone", `a\n${complaint}`, null],
    ["a line that is not yet whole", `z\na\n${wait}ERROR: Reconnecting... wai`, { from: 4, waits: 1, cut: false }],
    ["nothing else", wait + wait, { from: 0, waits: 2, cut: true }],
    ["a first line without its beginning", `${wait.slice(5)}${wait}`, { from: wait.length - 5, waits: 1, cut: true }],
    ["a newline alone before it", `\n${wait}`, { from: 0, waits: 1, cut: true }],
    ["quoted by a command", `a\n  ${wait}`, null]
  ])("%s", (_, text, expected) => assert.deepStrictEqual(stalledTail(text), expected))

  it("is told at any cut of a long stall, from its own first line", () => {
    const stall = wait.repeat(500)
    for (const cut of [0, 1, 17, wait.length, wait.length * 7 + 3]) {
      const tail = stalledTail(stall.slice(cut))
      assert.isTrue(tail?.cut)
      assert.isAtLeast(tail?.waits ?? 0, 490)
    }
  })
})
