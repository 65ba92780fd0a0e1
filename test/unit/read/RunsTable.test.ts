// RunsTable: the list of runs, as a table and as a document, of what stored runs tell.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { BranchName } from "../../../src/run/Target.ts"
import type { RunView } from "../../../src/read/Look.ts"
import { runsJson, runsTable } from "../../../src/read/Runs.ts"
import { agentFinished, agentStarted, driving } from "../drive/converge/events.ts"
import { batchStarted, failed, finished, started } from "../run/events.ts"
import { listedOn } from "./audit/listedRuns.ts"
import { bench, logOf, opened, runId } from "./audit/writtenRuns.ts"
import { viewOf } from "./views.ts"

const b = bench()
const listed = listedOn(b)

const id = (n: number): string => `20300101T0000${String(n).padStart(2, "0")}Z-000000001-p1`

describe("the list", () => {
  it("is newest first and tells of each run what it is", async () => {
    b.write(b.climb())
    b.write([[b.born({ runId: id(5), startLevel: "high" })], [opened("xhigh", 1, { from: "high" })]], { id: id(5) })
    const branch = BranchName.make("feature/x")
    b.write([[b.born({ runId: id(3), target: { _tag: "Base", branch } })]], { id: id(3), target: "base/feature/x" })
    const { code, out } = await b.ask(b.runs())
    assert.strictEqual(code, 0)
    assert.deepEqual(out.split("\n").map((row) => row.split(/ {2,}/)), [
      ["RUN", "TARGET", "LEVELS", "ROUNDS", "REVIEWS", "TIME", "STATE"],
      [id(5), "uncommitted", "high..xhigh", "0", "0", "1s", "empty: no review yet"],
      [id(3), "base/feature/x", "low", "0", "0", "0s", "empty: no review yet"],
      [runId, "uncommitted", "low..medium", "0", "4", "8s", "done: reviewed clean from low to medium"],
      [""]
    ])
  })

  it("counts failures beside reviews", async () => {
    const again = [[started({ attempt: 2 })], [finished("Clean", { attempt: 2 })]]
    b.write([[b.born()], [batchStarted(), started()], [failed()], ...again])
    assert.include((await b.ask(b.runs())).out, "  1 (+1 failed)  ")
  })

  it("tells the tokens of reviews and of agents, where some are known", async () => {
    const usage = { input: 1_234_567, cached: 1_100_000, output: 34_000, reasoning: 12_000 }
    b.write([[b.born()], [batchStarted(), started()], [failed({ usage })]])
    b.write([[b.born({ runId: id(5) })]], { id: id(5) })
    const stream = logOf([[driving, agentStarted()], [agentFinished()]], {}, driving).text
    fs.writeFileSync(`${b.dir()}/converge.jsonl`, stream)
    const [heading, none, some] = (await b.ask(b.runs())).out.split("\n").map((row) => row.split(/ {2,}/))
    assert.deepStrictEqual(heading?.slice(5), ["TIME", "TOKENS", "STATE"])
    assert.strictEqual(none?.[6], "-")
    assert.strictEqual(some?.[6], "1.2M in, 34k out (+ 300k in, 12k out by agents)")
    const [first, second] = JSON.parse((await b.ask(b.runs({ json: true }))).out).runs
    assert.notProperty(first, "usage")
    assert.deepStrictEqual(second.usage, { reviews: usage, agents: agentFinished().usage })
  })

  it("is of this repository, or with --all of every one", async () => {
    b.write(b.climb())
    b.write([[b.born({ runId: id(9), repoId: "other-noremote" })]], { id: id(9), repo: "other-noremote" })
    assert.deepEqual((await listed()).map(({ run }) => run.run), [runId])
    assert.deepEqual((await listed({ all: true })).map(({ run }) => run.run), [id(9), runId])
    assert.deepEqual((await listed({ all: true }, "/")).map(({ run }) => run.run), [id(9), runId])
    const { out } = await b.ask(b.runs({ all: true }))
    assert.match(out, /^RUN +REPOSITORY +TARGET .*\n\S+ +other-noremote +uncommitted /)
  })

  it("leaves out the runs of another repository of the same name, and counts them", async () => {
    b.write([[b.born()]])
    b.write([[b.born({ runId: id(9), worktree: "/elsewhere/repo" })]], { id: id(9) })
    assert.deepEqual((await listed()).map(({ run }) => run.run), [runId])
    assert.match(
      (await b.ask(b.runs())).out,
      /\n1 run of other worktrees of this name: ooda-codex-review runs --all\n$/
    )
    const { out } = await b.ask(b.runs({ all: true }))
    assert.match(out, /WORKTREE .*\n.* {2}\/elsewhere\/repo .*\n/)
    assert.include(out, `  ${b.cwd()}  `)
  })

  it("is empty where nothing was ever run, and creates nothing", async () => {
    const { code, out } = await b.ask(b.runs())
    assert.deepEqual([code, out], [0, "no runs\n"])
    assert.deepEqual(await listed({ all: true }), [])
    assert.isFalse(fs.existsSync(b.root()))
  })

  it("needs a repository unless it is of all", async () => {
    const { code, stderr } = await b.ask(b.runs(), { cwd: "/" })
    assert.strictEqual(code, 6)
    assert.match(stderr, /^error: git: .*\n$/)
  })

  it("cannot be broken by what a log says", async () => {
    b.write([[b.born()]], { target: "base/evil\nname" })
    assert.match((await b.ask(b.runs())).out, /base\/evil\\nname/)
  })
})

describe("the table", () => {
  const view = viewOf({ review: [[batchStarted(), started(), started({ slot: 2 })], [finished("Clean")]] })
  const table = (...runs: ReadonlyArray<RunView>) =>
    runsTable(runs, "/repo").trimEnd().split("\n").map((line) => line.split(/ {2,}/))
  const state = "interrupted: 1 review at low ended and is not recorded"

  it("has a row a run, with what it climbed, how long it took and how it is", () =>
    assert.deepStrictEqual(
      table({ ...view, created: 0, updated: 61_000 }, { ...view, review: null, created: null, failures: 1 }),
      [
        ["RUN", "TARGET", "LEVELS", "ROUNDS", "REVIEWS", "TIME", "STATE"],
        [runId, "uncommitted", "low", "0", "1", "1m 01s", state],
        [runId, "uncommitted", "-", "0", "1 (+1 failed)", "-", state]
      ]
    ))

  it("names a run that a mark opened, and why", () => {
    const byMark = { ...view, opened: { because: "LevelMismatch", byMark: true } } as const
    assert.strictEqual(table(byMark)[1]?.at(-1), `${state} (opened by a mark: LevelMismatch)`)
    assert.deepStrictEqual(JSON.parse(runsJson([byMark])).runs[0].opened, { because: "LevelMismatch", byMark: true })
  })

  it("names repositories and worktrees only where it is of all", () => {
    const text = runsTable([view, { ...view, worktree: null }], null)
    assert.match(text, /^RUN +REPOSITORY +TARGET .*WORKTREE {2}STATE\n.* repo-noremote .* {2}\/repo {5}interrupted.*\n/)
    assert.match(text, / {2}- {9}interrupted/)
    assert.notMatch(runsTable([view], "/repo"), /REPOSITORY|repo-noremote|WORKTREE|\/repo/)
  })

  it("names worktrees where one of the runs is of another one", () => {
    assert.match(runsTable([view], "/clone"), / WORKTREE {2}STATE\n.* {2}\/repo {5}interrupted/)
    assert.notInclude(runsTable([view], "/clone"), "REPOSITORY")
  })

  it("says how many runs of other worktrees are not in it", () => {
    assert.match(
      runsTable([view], "/repo", 2),
      /\n2 runs of other worktrees of this name: ooda-codex-review runs --all\n$/
    )
    assert.match(runsTable([], "/repo", 1), /^no runs\n1 run of other worktrees/)
    assert.strictEqual(JSON.parse(runsJson([view], 2)).elsewhere, 2)
  })

  it("of no runs says so, and its document is an empty list", () => {
    assert.strictEqual(runsTable([], null), "no runs\n")
    assert.deepStrictEqual(JSON.parse(runsJson([])), { schema: 1, runs: [], elsewhere: 0 })
  })

  it("is a document on one line, with the state as a token and as text", () => {
    const text = runsJson([view])
    assert.match(text, /^[^\n]+\n$/)
    assert.deepInclude(JSON.parse(text).runs[0], {
      run: { run: runId, repo: "repo-noremote", target: "uncommitted" },
      state: "Interrupted",
      reason: "NextStep",
      text: "1 review at low ended and is not recorded"
    })
  })
})
