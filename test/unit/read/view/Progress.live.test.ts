// Progress.live: rows drawn in place on terminals of any size, and nothing elsewhere.
import { Effect, Layer, Stdio, Terminal } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Environment } from "../../../../src/platform/Environment.ts"
import type { Size } from "../../../../src/platform/Page.ts"
import { drawing, erasing, frame, outputLayer, ttyLayer } from "../../../../src/read/view/Progress.live.ts"
import { Progress, type WorkRow } from "../../../../src/review/Progress.ts"
import { screenAfter } from "../../../support/screen.ts"

const row = (slot: number, activity = "", state: WorkRow["state"] = "running"): WorkRow => ({
  name: `low-${slot}`,
  state,
  elapsed: 61_000,
  activity,
  silentFor: 0
})
const wide: Size = { columns: 80, rows: 24 }

describe("a frame", () => {
  it("is one line per row with the cursor below, and leaves the terminal wrapping as before", () => {
    const { lines, text } = frame([row(1, "$ git diff"), row(2)], 0, wide, false)
    assert.strictEqual(lines, 2)
    assert.deepEqual(screenAfter(text), {
      lines: ["low-1     running    1m01s  $ git diff", "low-2     running    1m01s", ""],
      wraps: true
    })
  })

  it("replaces the frame before it", () => {
    const first = frame([row(1, "a long activity of a reviewer"), row(2), row(3)], 0, wide, false)
    const second = frame([row(1, "x")], first.lines, wide, false)
    assert.deepEqual(screenAfter(first.text + second.text).lines, ["low-1     running    1m01s  x", ""])
  })

  it("is coloured on request, and otherwise has the same bytes", () => {
    const plain = frame([row(1)], 0, wide, false).text
    const colour = frame([row(1)], 0, wide, true).text
    assert.notMatch(plain, /\u001b\[[\d;]*m/)
    assert.strictEqual(colour, plain.replace("running", "\u001b[36mrunning\u001b[0m"))
  })

  it("fits the terminal: lines are cut, and rows that do not fit are counted", () => {
    const { lines, text } = frame(Array.from({ length: 64 }, (_, i) => row(i + 1)), 0, { columns: 20, rows: 10 }, false)
    assert.strictEqual(lines, 8)
    const shown = screenAfter(text, 20).lines
    assert.deepEqual(shown.slice(-3), ["low-7     running", "... and 57 more", ""])
  })

  it("is removed completely after the last one, on any terminal, after any frames", () => {
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

  it("keeps its headline if there is no room for all rows", () => {
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

  it("erases only what it drew", () => {
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

  it("writes nothing in the background, and does not erase what came meanwhile", () => {
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

  it("drops a frame that the terminal refuses", () => {
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

/** What is drawn for one row, and whether drawing is on. */
const drawn = (isTerminal: boolean, env: Readonly<Record<string, string>> = {}) => {
  const texts: Array<string> = []
  const terminal = Terminal.make({
    columns: Effect.succeed(0),
    rows: Effect.succeed(0),
    size: Effect.die("unused"),
    readInput: Effect.die("unused"),
    readLine: Effect.die("unused"),
    display: (text) => Effect.sync(() => void texts.push(text))
  })
  const machine = Layer.merge(
    Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(isTerminal) }),
    Layer.succeed(Terminal.Terminal, terminal)
  )
  const row = { name: "low-1", state: "running", elapsed: 0, activity: "", silentFor: 0 } as const
  return Effect.runPromise(
    Effect.gen(function*() {
      const { clear, on, show } = yield* Progress
      yield* show([row])
      yield* clear
      return { on, text: texts.join("") }
    }).pipe(Effect.provide(Layer.provide(outputLayer, machine)), Effect.provideService(Environment, env))
  )
}

it("draws rows on a terminal of unknown size and removes them", async () => {
  const { on, text } = await drawn(true, { TERM: "xterm", NO_COLOR: "" })
  assert.isTrue(on)
  assert.match(text, /low-1[^]*\[1A\r/)
})

it.each([[false, {}], [true, { TERM: "dumb" }]])(
  "draws nothing elsewhere",
  async (isTerminal, env) => assert.deepEqual(await drawn(isTerminal, env), { on: false, text: "" })
)

const colours: ReadonlyArray<readonly [Readonly<Record<string, string>>, boolean]> = [
  [{}, true],
  [{ NO_COLOR: "1" }, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true],
  [{ NO_COLOR: "1", FORCE_COLOR: "" }, false],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "false" }, false]
]
it.each(colours)("has colours with %j: %s", async (env, coloured) => {
  const { text } = await drawn(true, env)
  assert.strictEqual(/\u001b\[[\d;]+m/.test(text), coloured)
})

it("draws nothing on a terminal that cannot redraw", async () => {
  const { on } = await Effect.runPromise(
    Progress.pipe(Effect.provide(ttyLayer), Effect.provideService(Environment, { TERM: "dumb" }))
  )
  assert.isFalse(on)
})
