// The progress of a waiting step: on the terminal, never on the streams, gone before the header.
// The streams' bytes are compared whole, as if nothing had been drawn.
import { assert, describe } from "vitest"
import { eventually, it, type World } from "./world.ts"
import { screenAfter } from "../support/screen.ts"
import { onTerminal, type Terminal, terminals } from "./terminals.ts"

const argv = ["--uncommitted", "-n", "2", "--ceiling", "low"]

/** Runs a step whose reviewers work on a command until they are let go, and what was drawn meanwhile. */
const step = async (world: World, terminal: Terminal, drawn: RegExp | null) => {
  world.scenario("default", `log exec;log /bin/bash -lc 'git diff' in /repo;wait ${world.path("go")};clean`)
  const run = onTerminal(world, terminal, ...argv)
  if (drawn === null) await eventually("both reviewers at work", () => world.calls().length === 2)
  else await eventually("progress on the terminal", () => drawn.test(run.tty()))
  const meanwhile = run.tty()
  world.release("go")
  assert.strictEqual(await run.ended, 0)
  return { meanwhile, run }
}

describe.runIf(terminals).concurrent("a waiting step", () => {
  it("shows one line a reviewer on the terminal and leaves both streams alone", async ({ world }) => {
    const both = /low-1 .*running.*s {2}\$ git diff[^]*low-2 .*running.*s {2}\$ git diff/
    const { meanwhile, run } = await step(world, { errors: "apart" }, both)
    assert.strictEqual(run.out(), "")
    assert.strictEqual(run.err(), "DoneFixedPoint\r\n")
    const [first, second, rest] = screenAfter(meanwhile.slice(0, meanwhile.lastIndexOf("\u001b[?7h") + 5), 100).lines
    assert.match(first ?? "", /^low-1 {5}running +\d+s {2}\$ git diff$/)
    assert.match(second ?? "", /^low-2 {5}running +\d+s {2}\$ git diff$/)
    assert.strictEqual(rest, "")
    assert.deepEqual(screenAfter(run.tty(), 100), { lines: [""], wraps: true })
  })

  it("has taken it away before the header, on the one terminal there is", { tags: "slow" }, async ({ world }) => {
    const { run } = await step(world, { errors: "same", columns: 30, rows: 5 }, /running/)
    assert.deepEqual(screenAfter(run.tty(), 30), { lines: ["DoneFixedPoint", ""], wraps: true })
    assert.strictEqual(run.out(), "")
  })

  it("takes it away when a person interrupts it, too", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "sleep 3600")
    const run = onTerminal(world, { errors: "same" }, ...argv)
    await eventually("progress on the terminal", () => run.tty().includes("low-2"))
    run.type("\u0003")
    assert.strictEqual(await run.ended, 8)
    // The terminal itself echoes what was typed.
    assert.deepEqual(screenAfter(run.tty().replace("^C", ""), 100).lines, ["DoneAborted", ""])
    assert.deepEqual(world.reviewers(), [])
  })

  it("is coloured, but not with NO_COLOR", { tags: "slow" }, async ({ world }) => {
    const { run } = await step(world, { errors: "apart" }, /low-1 {5}\u001b\[36mrunning\u001b\[0m/)
    assert.strictEqual(run.err(), "DoneFixedPoint\r\n")
  })
  it("is plain with NO_COLOR", { tags: "slow" }, async ({ world }) => {
    const { run } = await step(world, { errors: "apart", env: { NO_COLOR: "1" } }, /low-1 {5}running/)
    assert.notMatch(run.tty(), /\u001b\[[\d;]*m/)
  })

  const unseen: ReadonlyArray<readonly [string, Terminal]> = [
    ["on a terminal that cannot redraw", { errors: "apart", env: { TERM: "dumb" } }],
    ["in the background of a terminal", { errors: "apart", background: true }]
  ]
  for (const [where, terminal] of unseen) {
    it(`shows nothing ${where}`, async ({ world }) => {
      const { run } = await step(world, terminal, null)
      assert.strictEqual(run.tty(), "")
      assert.strictEqual(run.err(), "DoneFixedPoint\r\n")
    })
  }
})

describe.concurrent("a step without a terminal", () => {
  it("writes the contract's bytes and nothing else", async ({ world }) => {
    world.scenario("default", "sleep 1;clean")
    const { exit, stderr, stdout } = await world.step(...argv)
    assert.deepEqual({ exit, stderr, stdout }, { exit: 0, stderr: "DoneFixedPoint\n", stdout: "" })
  })
})

describe.runIf(terminals).concurrent("help", () => {
  const shown = async (world: World, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
    const run = onTerminal(world, { errors: "same", out: "tty", columns: 80, rows: 60, env }, ...args)
    await run.ended
    return run.tty().replaceAll("\r\n", "\n")
  }
  const uncoloured = (text: string) => text.replaceAll(/\u001b\[[\d;]*m/g, "")

  it("has bold headings and coloured commands on a terminal that allows it, and the same words", async ({ world }) => {
    for (const args of [["--help"], ["undo", "--help"]]) {
      const plain = await shown(world, { NO_COLOR: "1" }, ...args)
      assert.notInclude(plain, "\u001b")
      assert.strictEqual(await shown(world, { TERM: "dumb" }, ...args), plain)
      const coloured = await shown(world, {}, ...args)
      assert.strictEqual(uncoloured(coloured), plain)
      assert.match(coloured, /^\u001b\[1m(?:Commands:|FLAGS)\u001b\[0m$/m)
      assert.match(coloured, /^ {2}\u001b\[36m(?:undo|--dry-run)\u001b\[0m {2,}\S/m)
      assert.notInclude((await world.start(args).ended).stdout, "\u001b")
    }
  })

  it("after a step's UsageError has no colour", async ({ world }) =>
    assert.notInclude(await shown(world, {}, "--nonsense"), "\u001b"))
})

describe.runIf(terminals)("report", () => {
  it("does not write its page on a terminal, and says how to get it", async ({ world }) => {
    world.scenario("default", "clean")
    await world.step(...argv)
    const run = onTerminal(world, { errors: "same", out: "tty" }, "report")
    assert.strictEqual(await run.ended, 64)
    assert.strictEqual(
      run.tty().replaceAll("\r\n", "\n"),
      "error: the page is HTML, which a terminal does not show\ndid you mean --out ../report.html?\n" +
        "see 'ooda-codex-review report --help'\n"
    )
  })
})
