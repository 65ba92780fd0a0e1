// What a person sees of `converge`: the live view on terminals of 80 and of 200 columns, and plain lines elsewhere.
// Every line of the view is shorter than the terminal is wide, and the view is gone before the header.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { broken } from "../../src/text/Paint.ts"
import { width } from "../../src/text/Width.ts"
import { screenAfter } from "../support/screen.ts"
import { eventually, it, type Started, type World } from "./world.ts"
import { onTerminal, type Terminal, terminals } from "./terminals.ts"

const long = `sed -n 1,20p 資料/${"長".repeat(120)}.txt`
const item = (event: string, item: object) => `say ${JSON.stringify({ type: event, item: { id: "i", ...item } })}`
const answer = "role: worker\ntask_id: round-1/address\nstatus: pass\ngit_range: HEAD..HEAD\nissues: none\n"

/** A reviewer finds something, an agent runs a command for as long as it may, a test waits too, and the rest is clean. */
const converge = (world: World): ReadonlyArray<string> => {
  world.scenario("1", `log exec;log /bin/bash -lc 'git diff' in /repo;wait ${world.path("reviewed")};issues 2`)
  world.scenario(
    "2",
    [
      'say {"type":"thread.started","thread_id":"01a1f82b-a11c-7bc3-ae02-000000000000"}',
      'say {"type":"turn.started"}',
      item("item.started", { type: "command_execution", command: `/bin/bash -lc '${long}'`, status: "in_progress" }),
      `wait ${world.path("worked")}`,
      "edit a.txt",
      item("item.completed", { type: "agent_message", text: answer }),
      'say {"type":"turn.completed","usage":{"input_tokens":52000,"cached_input_tokens":0,"output_tokens":1800}}'
    ].join(";")
  )
  const test = `if grep -q edited a.txt; then echo 7 of 12 pass; while ! test -e ${
    world.path("tested")
  }; do sleep 0.1; done; fi`
  writeFileSync(join(world.repo, "check"), test)
  world.git("add", "check")
  world.git("commit", "-qm", "Check")
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  const what = ["--uncommitted", "-n", "1", "--ceiling", "medium", "--retro", "never", "--max-tokens", "5M"]
  return ["converge", "--yes", ...what, "--test", "sh check"]
}

/** What the terminal showed after the last whole frame so far. */
const screen = (bytes: string, columns: number) =>
  screenAfter(bytes.slice(0, bytes.lastIndexOf("\u001b[?7h") + 5), columns).lines

/** Every line that was ever drawn. */
const drawn = (bytes: string): ReadonlyArray<string> =>
  [...bytes.matchAll(/\u001b\[\?7l([^]*?)\u001b\[\?7h/g)].flatMap(([, frame = ""]) => frame.trimEnd().split("\r\n"))

const plain = (line: string): string => line.replaceAll(/\u001b\[[\d;]*m/g, "")

const seen = async (world: World, terminal: Terminal & { readonly columns: number }) => {
  const { columns } = terminal
  const run = onTerminal(world, terminal, ...converge(world))
  const watches: Array<Started> = []
  const lines: Array<Started> = []
  /** Waits until the terminal shows something and the watcher has seen it, and returns what the terminal shows. */
  const shows = async (what: RegExp, words: string, row = "") => {
    await eventually(String(what), () => what.test(plain(run.tty())))
    for (const watch of watches) await eventually(`${words} as watched`, () => watch.said().includes(words))
    for (const one of lines) await eventually(`${row} as followed`, () => one.said().includes(row))
    return screen(run.tty(), columns)
  }
  const reviewing = await shows(/low +running .*\$ git diff/, "")
  watches.push(world.start(["watch", "--json"]))
  lines.push(world.start(["status", "--follow"]))
  await shows(/low +running/, "$ git diff", "low ")
  world.release("reviewed")
  const working = await shows(/codex .*\$ sed/, "$ sed", "codex")
  world.release("worked")
  const testing = await shows(/test .*7 of 12 pass/, "7 of 12 pass", "test ")
  world.release("tested")
  assert.strictEqual(await run.ended, 0, run.tty())
  for (const line of drawn(run.tty())) assert.isBelow(width(plain(line)), columns)
  const [documents = "", watched = ""] = (await Promise.all([...watches, ...lines].map(({ ended }) => ended))).map((
    { stdout }
  ) => stdout)
  return { watched, documents, reviewing, working, testing, end: screenAfter(run.tty(), columns), bytes: run.tty() }
}

/** The view alone, without the story above it, each time as one second. */
const view = (lines: ReadonlyArray<string>) =>
  lines.slice(lines.findIndex((line) => line.startsWith("running:"))).map((line) =>
    line.replace(/ \(\d+s ago\)$/, "").replaceAll(/ +\d+s/g, " 1s")
  )

/** The story of the run and its header, on a page so wide; each time is one second. */
const story = (columns: number | null) =>
  [
    "reviewing the uncommitted changes with codex 0.169.0",
    "levels low, medium with 1 review each: at least 2 if clean, about 5 with one finding at each level; fewer: " +
    "--level medium",
    "edits this working tree, never commits; sends the diff and the files that codex reads to OpenAI",
    "",
    "         sh check passed  1s",
    "low      1 review    2 findings  1s",
    "           P1  a.txt:1  Finding 1",
    "           P2  a.txt:2  Finding 2",
    "round 1  codex left 2 findings open  1 file changed, +1 -0  1s",
    "         sh check passed  1s",
    "low      1 review    clean       1s",
    "medium   1 review    clean       1s",
    "",
    "done: reviewed clean from low to medium",
    "3 reviews, 1 file changed, +1 -0, 54k tokens, 1s",
    "take it back:  ooda-codex-review undo",
    "proof:         ooda-codex-review audit",
    "page:          ooda-codex-review report --out ../report.html",
    "DoneFixedPoint",
    ""
  ].flatMap((line) => broken(line, columns))

const timeless = (lines: ReadonlyArray<string>) => lines.map((line) => line.replace(/\b(?:\d+m)?\d+s$/, "1s"))

describe.runIf(terminals).concurrent("converge on a terminal", () => {
  it(
    "shows the run's state, its cost and its present work on 80 columns",
    { tags: "slow" },
    async ({ world }) => {
      const { bytes, end, reviewing, testing, working } = await seen(world, { errors: "same", columns: 80 })
      assert.deepStrictEqual(view(reviewing), [
        "running: 1 of 1 reviewer at low",
        "0 reviews, 0 of 5M tokens, 1s",
        "low       running 1s  $ git diff",
        ""
      ])
      assert.deepStrictEqual(view(working), [
        "running: codex works on 2 findings",
        "1 review, round 1 of 20, 0 of 5M tokens, 1s",
        `codex     running 1s  works on the findings: $ sed -n 1,20p 資料/${"長".repeat(4)}`,
        ""
      ])
      assert.deepStrictEqual(view(testing), [
        "running: sh check",
        "1 review, round 1 of 20, 1 file changed, +1 -0, 54k of 5M tokens, 1s",
        "test      running 1s  sh check: 7 of 12 pass",
        ""
      ])
      // No line of the log wraps either, and nothing of the view is left.
      assert.deepStrictEqual({ ...end, lines: timeless(end.lines) }, { lines: story(80), wraps: true })
      assert.include(bytes, "\u001b[36mrunning\u001b[0m: codex")
      assert.include(bytes, "\u001b[38;5;130m2 findings\u001b[0m")
      assert.include(bytes, "\u001b[32mclean\u001b[0m")
    }
  )

  it(
    "shows on 200 columns more of each line, without colour where none is wanted",
    { tags: "slow" },
    async ({ world }) => {
      const terminal = { errors: "same", columns: 200, env: { NO_COLOR: "1" } } as const
      const { bytes, documents, end, testing, watched, working } = await seen(world, terminal)
      assert.deepStrictEqual(view(working), [
        "running: codex works on 2 findings",
        "1 review, round 1 of 20, 0 of 5M tokens, 1s",
        `codex     running 1s  works on the findings: $ sed -n 1,20p 資料/${"長".repeat(64)}`,
        ""
      ])
      assert.deepStrictEqual(view(testing), [
        "running: sh check",
        "1 review, round 1 of 20, 1 file changed, +1 -0, 54k of 5M tokens, 1s",
        "test      running 1s  sh check: 7 of 12 pass",
        ""
      ])
      assert.deepStrictEqual({ ...end, lines: timeless(end.lines) }, { lines: story(200), wraps: true })
      assert.notMatch(bytes, /\u001b\[[\d;]*m/)
      // Meanwhile `watch` continues over batches and rounds.
      for (
        const part of [
          /^low +running/,
          /^codex +running/,
          /^test +running/,
          /^medium +1 review +clean/
        ]
      ) {
        assert.isTrue(watched.split("\n").some((line) => part.test(line)), `${part} in ${watched}`)
      }
      assert.include(watched, "\ndone: reviewed clean from low to medium\n")
      const values = documents.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepInclude(values.at(-1), { state: "Done", text: "reviewed clean from low to medium" })
      assert.isTrue(values.some(({ work }) => work?.[0]?.name === "codex"))
    }
  )
})

describe.concurrent("converge without a terminal", () => {
  it("says what was found and done, then the header", { tags: "slow" }, async ({ world }) => {
    for (const name of ["reviewed", "worked", "tested"]) world.release(name)
    const { exit, stderr, stdout } = await world.step(...converge(world))
    const lines = timeless(stderr.split("\n").filter((line) => !/^\S+ +(?:running|waiting) /.test(line)))
    assert.deepStrictEqual({ exit, stdout, lines }, { exit: 0, stdout: "", lines: story(null) })
  })
})
