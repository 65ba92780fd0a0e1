// Runs: the list of runs, as a table and as a document, from stored runs.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import type { RunView } from "../../../src/read/Look.ts"
import { runsJson, runsTable } from "../../../src/read/Runs.ts"
import { BranchName } from "../../../src/run/Target.ts"
import { viewOf } from "../../support/views.ts"
import { bench, logOf, runId } from "../../support/writtenRuns.ts"
import { agentFinished, agentStarted, driving } from "../drive/converge/events.ts"
import { batchStarted, failed, finished, opened, started } from "../run/events.ts"

/** A run as `runs --json` lists it. */
interface Listed {
  readonly run: { readonly run: string }
  readonly floor: string | null
  readonly milliseconds: number | null
  readonly level: string | null
  readonly reviews: number
  readonly batches: number
  readonly reason: string
  readonly text: string
}

/** What `runs --json` lists on a bench. */
const listedOn =
  (b: ReturnType<typeof bench>) =>
  async (fields: Parameters<typeof b.runs>[0] = {}, cwd?: string): Promise<ReadonlyArray<Listed>> => {
    const { code, out, stderr } = await b.ask(b.runs({ json: true, ...fields }), cwd === undefined ? {} : { cwd })
    assert.deepEqual([code, stderr], [0, ""])
    const document = JSON.parse(out)
    assert.strictEqual(document.schema, 1)
    const runs: ReadonlyArray<Listed> = document.runs
    return runs
  }

const b = bench()
const listed = listedOn(b)

const id = (n: number): string => `20300101T0000${String(n).padStart(2, "0")}Z-000000001-p1`

describe("the list", () => {
  it("is newest first, with the state of each run", async () => {
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

  it("counts failures next to reviews", async () => {
    const again = [[started({ attempt: 2 })], [finished("Clean", { attempt: 2 })]]
    b.write([[b.born()], [batchStarted(), started()], [failed()], ...again])
    assert.include((await b.ask(b.runs())).out, "  1 (+1 failed)  ")
  })

  it("has the tokens of reviews and of agents, if any are known", async () => {
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
    assert.isNull(first.usage)
    assert.deepStrictEqual(second.usage, { reviews: usage, agents: agentFinished().usage })
  })

  it("covers this repository, or with --all every repository", async () => {
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
      /\n1 run of other worktrees of this name: ooda-codex-review runs --all --state-root \S+\n$/
    )
    const { out } = await b.ask(b.runs({ all: true }))
    assert.match(out, /WORKTREE .*\n.* {2}\/elsewhere\/repo .*\n/)
    assert.include(out, `  ${b.cwd()}  `)
  })

  it("is empty if nothing ever ran, and creates nothing", async () => {
    const { code, out } = await b.ask(b.runs())
    assert.deepEqual([code, out], [0, "no runs\n"])
    assert.deepEqual(await listed({ all: true }), [])
    assert.isFalse(fs.existsSync(b.root()))
  })

  it("needs a repository unless --all is given", async () => {
    const { code, stderr } = await b.ask(b.runs(), { cwd: "/" })
    assert.strictEqual(code, 6)
    assert.match(stderr, /^error: this directory is not in a git repository \[.*\]\n$/)
  })

  it("escapes what a log says", async () => {
    b.write([[b.born()]], { target: "base/evil\nname" })
    assert.match((await b.ask(b.runs())).out, /base\/evil\\nname/)
  })
})

describe("the table", () => {
  const view = viewOf({ review: [[batchStarted(), started(), started({ slot: 2 })], [finished("Clean")]] })
  const table = (...runs: ReadonlyArray<RunView>) =>
    runsTable(runs, "/repo").trimEnd().split("\n").map((line) => line.split(/ {2,}/))
  const state = "interrupted: 1 review at low ended and is not recorded"

  it("names a run that a mark opened, and why", () => {
    const byMark = { ...view, opened: { because: "LevelMismatch", byMark: true } } as const
    assert.strictEqual(table(byMark)[1]?.at(-1), `${state} (opened by a mark: LevelMismatch)`)
    assert.deepStrictEqual(JSON.parse(runsJson([byMark])).runs[0].opened, { because: "LevelMismatch", byMark: true })
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

describe("a run whose log is on disk", () => {
  it("is known up to an event of a newer version", async () => {
    b.write([...b.climb(), [JSON.parse(`{"_tag":"FromTheFuture"}`)], [opened("low", 2, { cause: "Restarted" })]])
    const [run] = await listed()
    assert.deepEqual([run?.reason, run?.text], [
      "TooNew",
      "needs a newer version: line 10 holds an unknown event (FromTheFuture)"
    ])
    assert.deepInclude(run, { floor: "low", level: "medium", batches: 2, reviews: 4, milliseconds: 10_000 })
  })

  it("is empty if it never started", async () => {
    fs.mkdirSync(b.dir(), { recursive: true })
    assert.deepEqual((await listed()).map(({ text }) => text), ["no log"])
    b.write([], { anchored: false })
    assert.deepEqual((await listed()).map(({ text }) => text), ["no line in its log"])
  })
})
