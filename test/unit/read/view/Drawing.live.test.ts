// Rows drawn in place: what stands on the screen after each frame, on terminals of any size.
// The one rule: after it is cleared the screen is as it was before, whatever was drawn.
import * as fc from "fast-check"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Size } from "../../../../src/platform/Page.ts"
import { drawing, erasing, frame } from "../../../../src/read/view/Progress.live.ts"
import type { WorkRow } from "../../../../src/review/Progress.ts"
import { screenAfter } from "./screen.ts"

const row = (slot: number, activity = "", state: WorkRow["state"] = "running"): WorkRow => ({
  name: `low-${slot}`,
  state,
  elapsed: 61_000,
  activity,
  silentFor: 0
})
const wide: Size = { columns: 80, rows: 24 }

describe("a frame", () => {
  it("is one line a row, the cursor below them, and leaves the terminal wrapping as before", () => {
    const { lines, text } = frame([row(1, "$ git diff"), row(2)], 0, wide, false)
    assert.strictEqual(lines, 2)
    assert.deepEqual(screenAfter(text), {
      lines: ["low-1     running    1m01s  $ git diff", "low-2     running    1m01s", ""],
      wraps: true
    })
  })

  it("takes the place of the one before", () => {
    const first = frame([row(1, "a long activity of a reviewer"), row(2), row(3)], 0, wide, false)
    const second = frame([row(1, "x")], first.lines, wide, false)
    assert.deepEqual(screenAfter(first.text + second.text).lines, ["low-1     running    1m01s  x", ""])
  })

  it("is coloured where that is wanted, and in no other byte different", () => {
    const plain = frame([row(1)], 0, wide, false).text
    const colour = frame([row(1)], 0, wide, true).text
    assert.notMatch(plain, /\u001b\[\d*m/)
    assert.strictEqual(colour, plain.replace("running", "\u001b[36mrunning\u001b[0m"))
  })

  it("fits the terminal: lines are cut, and of too many rows the rest is counted", () => {
    const { lines, text } = frame(Array.from({ length: 64 }, (_, i) => row(i + 1)), 0, { columns: 20, rows: 10 }, false)
    assert.strictEqual(lines, 8)
    const shown = screenAfter(text, 20).lines
    assert.deepEqual(shown.slice(-3), ["low-7     running", "... and 57 more", ""])
  })

  it("is gone without a trace after the last one, on any terminal, after any frames", () => {
    const text = fc.string({ unit: "grapheme-ascii", maxLength: 200 })
    const rows = fc.array(fc.record({ slot: fc.nat(99), activity: text }), { maxLength: 20 })
    const size = fc.record({ columns: fc.integer({ min: 1, max: 120 }), rows: fc.integer({ min: 1, max: 30 }) })
    fc.assert(fc.property(fc.array(rows, { maxLength: 6 }), size, fc.boolean(), (frames, size, colour) => {
      let bytes = ""
      let drawn = 0
      for (const one of frames) {
        const { lines, text } = frame(one.map(({ activity, slot }) => row(slot, activity)), drawn, size, colour)
        bytes += text
        drawn = lines
        assert.isAtMost(lines, Math.max(1, size.rows - 2))
      }
      assert.deepEqual(screenAfter(bytes + erasing(drawn), size.columns), { lines: [""], wraps: true })
    }))
  })
})

describe("a frame of a driven run", () => {
  const head = ["running: codex works on 1 finding", "3 reviews, 1.2k tokens, 1m05s"]
  const work: ReadonlyArray<WorkRow> = [
    { name: "codex", state: "waiting", elapsed: 5000, activity: `x ${"資".repeat(90)}`, silentFor: null },
    row(1)
  ]

  it("says how far the run is, above what is worked on", () => {
    const { lines, text } = frame(work, 0, wide, false, head)
    assert.strictEqual(lines, 4)
    assert.deepStrictEqual(text.slice(5, -5).split("\r\n"), [
      ...head,
      `codex     waiting       5s  x ${"資".repeat(24)}`,
      "low-1     running    1m01s",
      ""
    ])
  })

  it("marks how it is and the states by colour", () => {
    const { text } = frame(work, 0, wide, true, head)
    assert.include(text, "\u001b[36mrunning\u001b[0m: codex")
    assert.include(text, "\u001b[33mwaiting\u001b[0m")
  })

  it("keeps what it says of the run where there is no room for all rows", () => {
    const { text } = frame([...work, row(2)], 0, { columns: 80, rows: 6 }, false, head)
    assert.deepEqual(screenAfter(text).lines.map((line) => line.slice(0, 12)), [
      "running: cod",
      "3 reviews, 1",
      "codex     wa",
      "... and 2 mo",
      ""
    ])
  })
})

describe("drawing", () => {
  const run = (write: (text: string) => boolean) =>
    drawing((text) => Effect.try(() => write(text)), Effect.succeed(wide), false)

  it("erases only what it has drawn", () => {
    let text = ""
    const watcher = run((part) => (text += part) !== "")
    Effect.runSync(watcher.clear)
    assert.strictEqual(text, "")
    Effect.runSync(Effect.andThen(watcher.show([row(1)]), watcher.clear))
    assert.deepEqual(screenAfter(text).lines, [""])
    const before = text
    Effect.runSync(watcher.clear)
    assert.strictEqual(text, before)
  })

  it("keeps away from the terminal in the background, and from what is there by then", () => {
    let text = ""
    let front = true
    const watcher = run((part) => {
      if (front) text += part
      return front
    })
    Effect.runSync(watcher.show([row(1)]))
    front = false
    Effect.runSync(watcher.show([row(1), row(2)]))
    front = true
    const before = text
    Effect.runSync(watcher.clear)
    assert.strictEqual(text, before)
    Effect.runSync(watcher.show([row(3)]))
    assert.notInclude(text.slice(before.length), erasing(1))
  })

  it("drops a frame that a terminal does not take", () => {
    let text = ""
    let held = false
    const watcher = run((part) => {
      if (held) throw new Error("EAGAIN")
      text += part
      return true
    })
    Effect.runSync(watcher.show([row(1)]))
    held = true
    Effect.runSync(watcher.show([row(1), row(2)]))
    held = false
    Effect.runSync(watcher.clear)
    assert.deepEqual(screenAfter(text).lines, [""])
  })
})
