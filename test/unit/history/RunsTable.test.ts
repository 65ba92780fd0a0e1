// RunsTable: the list of runs, where each stands, and how commands choose among them.
// The one rule: each standing is reached by the lines that a run would hold then.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/core/run/Event.ts"
import { BranchName } from "../../../src/core/run/Target.ts"
import { runsJson, runsTable } from "../../../src/history/RunsTable.ts"
import type { Summary } from "../../../src/history/Summary.ts"
import { batchFailed, batchStarted, failed, finished, started, stopped } from "../core/run/events.ts"
import { bench, opened, runId, tree } from "./writtenRuns.ts"

const b = bench()

const id = (n: number): string => `20300101T0000${String(n).padStart(2, "0")}Z-000000001-p1`

interface Listed {
  readonly run: string
  readonly floor: string | null
  readonly milliseconds: number | null
  readonly level: string | null
  readonly reviews: number
  readonly batches: number
  readonly outcome: string
  readonly outcomeText: string
}

const listed = async (fields: Parameters<typeof b.runs>[0] = {}, cwd?: string) => {
  const { code, out, stderr } = await b.ask(b.runs({ json: true, ...fields }), cwd === undefined ? {} : { cwd })
  assert.deepEqual([code, stderr], [0, ""])
  const document = JSON.parse(out)
  assert.strictEqual(document.schema, 1)
  const runs: ReadonlyArray<Listed> = document.runs
  return runs
}

describe("where a run stands", () => {
  const both: ReadonlyArray<Event> = [started(), started({ slot: 2 })]
  const done = (identity = tree("t1")): Event => ({ _tag: "BatchCompleted", level: "low", batch: 1, identity })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<Event>>, string]> = [
    ["NextStep", [], "waiting for the next step"],
    ["NextStep", [[batchStarted(), ...both]], "waiting for the next step: 2 reviewers have ended"],
    ["NextStep", [[batchStarted(), started()], [finished("Clean")]], "waiting for the next step"],
    ["Stopped", [[batchStarted(), ...both], [stopped(), stopped({ slot: 2 })]], "stopped: waiting for the next step"],
    [
      "Failed",
      [[batchStarted(), ...both], [failed(), finished("Clean", { slot: 2 }), batchFailed([1])]],
      "failed: slot 1"
    ],
    [
      "AddressBatch",
      [[batchStarted(), ...both], [finished("Clean"), finished("HasIssues", { slot: 2 }), done()]],
      "waiting for AddressBatch"
    ],
    [
      "TestsFailedTriage",
      [
        [batchStarted(), ...both],
        [finished("Clean"), finished("HasIssues", { slot: 2 }), done()],
        [{ _tag: "AddressFailed", level: "low", batch: 1, details: { text: "no" } }],
        [{ _tag: "StepAborted", signal: "SIGTERM" }]
      ],
      "waiting for a human: tests failed"
    ],
    [
      "Retrospective",
      [[batchStarted(), ...both], [finished("Clean"), finished("Clean", { slot: 2 }), done()]],
      "waiting for Retrospective"
    ],
    [
      "NextStep",
      [[batchStarted(), ...both], [finished("Clean"), finished("Clean", { slot: 2 }), done(tree("t2"))]],
      "waiting for the next step"
    ],
    [
      "TooNew",
      [[JSON.parse(`{"_tag":"FromTheFuture"}`)]],
      "needs a newer version: line 2 holds an unknown event (FromTheFuture)"
    ]
  ]
  it.each(cases)("%s", async (kind, lines, text) => {
    b.write([[b.born()], ...lines])
    const [run] = await listed()
    assert.deepEqual([run?.outcome, run?.outcomeText], [kind, text])
  })

  it("TooNew: what stands before the unknown event is told", async () => {
    b.write([...b.climb(), [JSON.parse(`{"_tag":"FromTheFuture"}`)], [opened("low", 2, { cause: "Restarted" })]])
    const [run] = await listed()
    assert.deepInclude(run, { floor: "low", level: "medium", batches: 2, reviews: 4, milliseconds: 10_000 })
  })

  it("Running: as many reviewers as live", async () => {
    b.write([[b.born()], [batchStarted(), ...both]])
    const batch = b.file("levels/level-low/batch-1")
    fs.mkdirSync(batch, { recursive: true })
    fs.writeFileSync(path.join(batch, "low-2.1.run"), `attempt id ${process.pid} - -\n`)
    const [run] = await listed()
    assert.deepEqual([run?.outcome, run?.outcomeText], ["Running", "running: 1 of 2 reviewers"])
  })

  it("FixedPoint", async () => {
    b.write(b.climb())
    const [run] = await listed()
    assert.deepEqual([run?.outcome, run?.outcomeText], ["FixedPoint", "fixed point at medium"])
  })

  it("Damaged: what stands before the damage is told", async () => {
    b.write(b.climb())
    const log = b.file("manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace("\"FixedPointReached\"", "\"FixedPointReachec\""))
    const [run] = await listed()
    assert.deepEqual([run?.outcome, run?.outcomeText], ["Damaged", "damaged at line 9: bad hash"])
    assert.deepInclude({ ...run }, { level: "medium", reviews: 4, batches: 2 })
  })

  it("Rewound", async () => {
    b.write(b.climb())
    const log = b.file("manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").split(/(?<=\n)/).slice(0, -1).join(""))
    assert.strictEqual((await listed())[0]?.outcomeText, "the log was rolled back")
  })

  it("Empty: a run that was never begun", async () => {
    fs.mkdirSync(b.dir(), { recursive: true })
    assert.deepEqual((await listed()).map(({ outcomeText }) => outcomeText), ["empty: no log"])
    b.write([], { anchored: false })
    assert.deepEqual((await listed()).map(({ outcomeText }) => outcomeText), ["empty: no line"])
  })

  it("Unreadable", async () => {
    fs.mkdirSync(b.file("manifest.jsonl"), { recursive: true })
    assert.strictEqual((await listed())[0]?.outcome, "Unreadable")
  })
})

describe("the list", () => {
  it("is newest first and tells of each run what it is", async () => {
    b.write(b.climb())
    b.write([[b.born({ runId: id(5), startLevel: "high" })], [opened("xhigh", 1, { from: "high" })]], { id: id(5) })
    const branch = BranchName.make("feature/x")
    b.write([[b.born({ runId: id(3), target: { _tag: "Base", branch } })]], { id: id(3), target: "base/feature/x" })
    const { code, out } = await b.ask(b.runs())
    assert.strictEqual(code, 0)
    assert.deepEqual(out.split("\n").map((row) => row.split(/ {2,}/)), [
      ["RUN", "TARGET", "LEVELS", "BATCHES", "REVIEWS", "DURATION", "OUTCOME"],
      [id(5), "uncommitted", "high..xhigh", "0", "0", "1s", "waiting for the next step"],
      [id(3), "base/feature/x", "low", "0", "0", "0s", "waiting for the next step"],
      [runId, "uncommitted", "low..medium", "2", "4", "8s", "fixed point at medium"],
      [""]
    ])
  })

  it("counts failures beside reviews", async () => {
    const again = [[started({ attempt: 2 })], [finished("Clean", { attempt: 2 })]]
    b.write([[b.born()], [batchStarted(), started()], [failed()], ...again])
    assert.include((await b.ask(b.runs())).out, "  1 (+1 failed)  ")
  })

  it("is of this repository, or with --all of every one", async () => {
    b.write(b.climb())
    b.write([[b.born({ runId: id(9), repoId: "other-noremote" })]], { id: id(9), repo: "other-noremote" })
    assert.deepEqual((await listed()).map(({ run }) => run), [runId])
    assert.deepEqual((await listed({ all: true })).map(({ run }) => run), [id(9), runId])
    assert.deepEqual((await listed({ all: true }, "/")).map(({ run }) => run), [id(9), runId])
    const { out } = await b.ask(b.runs({ all: true }))
    assert.match(out, /^RUN +REPOSITORY +TARGET .*\n\S+ +other-noremote +uncommitted /)
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
    assert.match(stderr, /^ooda-codex-review: git: .*\n$/)
  })

  it("cannot be broken by what a log says", async () => {
    b.write([[b.born()]], { target: "base/evil\nname" })
    assert.match((await b.ask(b.runs())).out, /base\/evil\\nname/)
  })
})

describe("a run is chosen", () => {
  const chosen = async (selector: Parameters<typeof b.replay>[0], cwd?: string) => {
    const { code, out, stderr } = await b.ask(b.replay(selector), cwd === undefined ? {} : { cwd })
    return code === 0 ? out.split("\n")[0]?.slice(8).split(" ")[0] : stderr
  }

  it("as the newest of this worktree", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    b.write([[b.born({ runId: id(3), worktree: "/elsewhere" })]], { id: id(3) })
    assert.strictEqual(await chosen({}), id(2))
  })

  it("as the newest of the repository, where this worktree has none", async () => {
    b.write([[b.born({ runId: id(1), worktree: "/elsewhere" })]], { id: id(1) })
    fs.mkdirSync(b.dir({ id: id(4) }), { recursive: true })
    assert.strictEqual(await chosen({}), id(1))
  })

  it("as the newest also where its first line is damaged", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    fs.writeFileSync(path.join(b.dir({ id: id(2) }), "manifest.jsonl"), "damage\n")
    const { code } = await b.ask(b.audit())
    assert.strictEqual(code, 1)
  })

  it("from anywhere in the worktree", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    const below = path.join(b.cwd(), "a/b")
    fs.mkdirSync(below, { recursive: true })
    assert.strictEqual(await chosen({}, below), id(1))
  })

  it("by its id or the beginning of it", async () => {
    b.write([[b.born({ runId: id(11) })]], { id: id(11) })
    b.write([[b.born({ runId: id(12) })]], { id: id(12) })
    assert.strictEqual(await chosen({ selector: { _tag: "Named", prefix: id(11) } }), id(11))
    assert.strictEqual(await chosen({ selector: { _tag: "Named", prefix: id(12).slice(0, 16) } }), id(12))
    const several = (await chosen({ selector: { _tag: "Named", prefix: "20300101" } })) ?? ""
    assert.include(several, "ooda-codex-review: 20300101 is the beginning of several runs: ")
    assert.include(several, `${id(12)} (repo-noremote/uncommitted), ${id(11)} (repo-noremote/uncommitted)\n`)
    assert.match((await chosen({ selector: { _tag: "Named", prefix: "2031" } })) ?? "", /no run begins with 2031/)
  })

  it("by its id in this repository first, then everywhere, also outside of any repository", async () => {
    b.write([[b.born({ runId: id(1), repoId: "other-noremote" })]], { id: id(1), repo: "other-noremote" })
    const selector = { _tag: "Named", prefix: "2030" } as const
    assert.strictEqual(await chosen({ selector }), id(1))
    assert.strictEqual(await chosen({ selector }, "/"), id(1))
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    assert.strictEqual(await chosen({ selector }), id(2))
  })

  it("as the latest of a target", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    const selector = { _tag: "Latest", target: { _tag: "Uncommitted" } } as const
    assert.match((await chosen({ selector })) ?? "", /no run of uncommitted under /)
    fs.writeFileSync(path.join(b.root(), "repo-noremote/uncommitted/latest"), id(1))
    assert.strictEqual(await chosen({ selector }), id(1))
    fs.writeFileSync(path.join(b.root(), "repo-noremote/uncommitted/latest"), id(9))
    assert.match((await chosen({ selector })) ?? "", /latest of uncommitted leads nowhere/)
  })

  it("never, where there is none", async () => {
    assert.match((await chosen({})) ?? "", /no run of this repository \(repo-noremote\) under /)
  })

  it("by a remote's name of the repository", async () => {
    execFileSync("git", ["remote", "add", "origin", "https://example.org/x.git"], { cwd: b.cwd() })
    b.write(b.climb())
    assert.match((await chosen({})) ?? "", /no run of this repository \(repo-[0-9a-f]{12}\)/)
  })
})

describe("the table", () => {
  const run: Summary = {
    run: runId,
    repo: "repo-noremote",
    target: "uncommitted",
    worktree: "/repo",
    directory: "/state/run",
    floor: "low",
    level: "low",
    batch: 1,
    batches: 1,
    reviews: 3,
    failures: 0,
    created: null,
    updated: null,
    milliseconds: 61_000,
    head: { seq: 0, hash: "" },
    standing: { kind: "NextStep", text: "waiting for the next step" }
  }
  const table = (...runs: ReadonlyArray<Summary>) =>
    runsTable(runs, { repository: false }).trimEnd().split("\n").map((line) => line.split(/ {2,}/))

  it("has a row a run, with what was climbed, how long it took and where it stands", () =>
    assert.deepStrictEqual(table(run, { ...run, level: "high", failures: 1, milliseconds: null, floor: null }), [
      ["RUN", "TARGET", "LEVELS", "BATCHES", "REVIEWS", "DURATION", "OUTCOME"],
      [runId, "uncommitted", "low", "1", "3", "1m 01s", "waiting for the next step"],
      [runId, "uncommitted", "-", "1", "3 (+1 failed)", "-", "waiting for the next step"]
    ]))

  it("says from which level to which a run has climbed", () =>
    assert.strictEqual(table({ ...run, level: "high" })[1]?.[2], "low..high"))

  it("names the repository only where it is asked for", () => {
    assert.include(runsTable([run], { repository: true }), "REPOSITORY")
    assert.include(runsTable([run], { repository: true }), "repo-noremote")
    assert.notInclude(runsTable([run], { repository: false }), "repo-noremote")
  })

  it("of no runs says so, and its document is an empty list", () => {
    assert.strictEqual(runsTable([], { repository: true }), "no runs\n")
    assert.deepStrictEqual(JSON.parse(runsJson([])), { schema: 1, runs: [] })
  })

  it("is a document on one line, with the outcome as a token and as text", () => {
    const text = runsJson([run])
    assert.match(text, /^[^\n]+\n$/)
    assert.deepInclude(JSON.parse(text).runs[0], { run: runId, outcome: "NextStep", outcomeText: "waiting for the next step" })
    assert.notProperty(JSON.parse(text).runs[0], "standing")
  })
})
