// Prune: which runs, transcripts and snapshots are removed, and why the others stay.
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { Git, GitFailed } from "../../../src/code/Git.ts"
import { SnapshotFailed, Snapshots } from "../../../src/code/Snapshots.ts"
import { EventLog, LogTooNew } from "../../../src/log/EventLog.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { Output } from "../../../src/platform/Process.ts"
import {
  cuttable,
  type Judged,
  type Kept,
  prune,
  pruned,
  prunedJson,
  pruneGone,
  removeRun
} from "../../../src/read/Prune.ts"
import { ReviewFiles, ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"
import { notShown } from "../../../src/review/verdict/Reading.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { storeWith } from "../../support/stores.ts"
import { factsOf } from "../../support/views.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  digest,
  failed,
  finished,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "../run/events.ts"

const day = 24 * 3_600_000
const now = Date.parse("2030-02-01T00:00:00Z")
const gone = { _tag: "SystemRefused", code: "EIO", call: "read", said: "input/output error" } as const
const ref = (runId: string): RunRef => ({ root: "/s", repoId: "repo-noremote", targetKey: "uncommitted", runId })

/** A stored run: the events of each log line (no lines: no log), its age, and its other properties. */
interface Stored {
  readonly id: string
  readonly lines: ReadonlyArray<ReadonlyArray<Event>>
  readonly days?: number
  readonly alive?: boolean
  readonly tooNew?: boolean
  readonly stuck?: boolean
  readonly cut?: boolean
  /** What undo has moved aside in it. */
  readonly aside?: ReadonlyArray<string>
}

const run = (id: string, more: Partial<Stored> = {}, worktree = "/repo"): Stored => ({
  id,
  lines: [[created({ runId: id, worktree })]],
  ...more
})
const atFixedPoint = (id: string): Stored =>
  run(id, {
    lines: [
      [created({ runId: id }), ...reviewed("Clean")],
      [{ _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }]
    ]
  })

const pruning = (
  runs: ReadonlyArray<Stored>,
  options: {
    readonly latest?: string
    readonly worktrees?: ReadonlyArray<string>
    readonly dryRun?: boolean
    readonly all?: boolean
    readonly transcripts?: boolean
    readonly force?: boolean
    /** The slots for which codex recorded a review. */
    readonly recorded?: ReadonlyArray<number>
    /** The slots whose files cannot be read. */
    readonly unreadable?: ReadonlyArray<number>
  } = {}
) =>
  Effect.gen(function*() {
    const { all = true, dryRun = false, latest = runs[0]?.id, recorded = [], worktrees = ["/repo"] } = options
    const { force = false, transcripts = false, unreadable = [] } = options
    const cut: Array<string> = []
    const removed: Array<string> = []
    let said = ""
    let locked = 0
    const of = ({ runId }: RunRef) => runs.find(({ id }) => id === runId) ?? assert.fail(`no run ${runId}`)
    const store = storeWith({
      roots: () => Effect.succeed(["/s"]),
      list: () => Effect.succeed(runs.map(({ id }) => ref(id))),
      latest: () => Effect.succeed(latest === undefined ? { _tag: "None" } : { _tag: "Run", run: ref(latest) }),
      locked: (_, use) => Effect.suspend(() => (locked++, use)),
      look: (one) =>
        Effect.succeed({ changedAt: now - (of(one).days ?? 9) * day, reviewersAlive: of(one).alive ?? false }),
      cutTranscripts: (all) =>
        Effect.sync(() => (cut.push(...all.map(({ review, state }) => `${review.slot} ${state}`)), 1000)),
      remove: (one, { isLatest }) =>
        of(one).stuck === true
          ? Effect.fail(new StoreFailed({ path: "/s", reason: { _tag: "NotARun" } }))
          : Effect.sync(() => void removed.push(`${one.runId}${isLatest ? " latest" : ""}`))
    })
    const log = Layer.effect(
      EventLog,
      Effect.gen(function*() {
        const inner = yield* EventLog
        yield* TestClock.setTime(now - 9 * day)
        for (const { id, lines } of runs) {
          let head = null
          for (const events of lines) {
            head = head === null
              ? yield* inner.create(reviewRun, ref(id), events)
              : yield* inner.append(reviewRun, ref(id), head, events)
          }
        }
        yield* TestClock.setTime(now)
        return EventLog.of({
          ...inner,
          stream: (kind, one, after) =>
            of(one).tooNew === true
              ? Stream.fail(new LogTooNew({ path: "/log", reason: { _tag: "FormatVersion", version: 9 } }))
              : inner.stream(kind, one, after)
        })
      })
    ).pipe(Layer.provide(memoryEventLog), Layer.orDie)
    const layers = Layer.mergeAll(
      store,
      log,
      Layer.mock(Git)({
        exists: (path) => Effect.succeed(worktrees.includes(path)),
        repository: () => Effect.succeed({ root: "/repo", id: "repo-noremote" })
      }),
      Layer.mock(Snapshots)({
        unfinished: (one) => Effect.succeed(of(one).cut === true),
        aside: (one) => {
          const { aside: files } = of(one)
          return Effect.succeed(files === undefined ? null : { directory: "/aside", bytes: 12_000, files })
        },
        snapshotted: () => Effect.succeed([]),
        forget: (one) => Effect.sync(() => void removed.push(`snapshots of ${one.runId}`))
      }),
      Layer.mock(ReviewFiles)({
        evidence: ({ slot }) =>
          unreadable.includes(slot) ?
            Effect.fail(new ReviewFilesFailed({ path: "/s", reason: gone })) :
            Effect.succeed({
              session: { _tag: "Found", output: recorded.includes(slot) ? {} : null },
              out: "",
              logHead: "",
              logTail: "",
              reading: notShown,
              digests: { log: digest, out: digest, review: null }
            })
      }),
      Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
    )
    const clean = yield* Effect.provide(
      prune({ all, age: day, dryRun, force, json: true, transcripts }, { stateRoot: null, cwd: "/repo" }),
      layers
    )
    const kept: Readonly<Record<string, string | null>> = Object.fromEntries(
      JSON.parse(said).runs.map((one: { readonly run: { readonly run: string }; readonly text: string | null }) => [
        one.run.run,
        one.text
      ])
    )
    return { clean, removed, kept, locked, cut }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("a run in which undo moved something aside", () => {
  it("stays, unless that may go too", async () => {
    const runs = [{ ...atFixedPoint("2"), aside: ["lib/.git"] }]
    const { clean, kept, removed } = await pruning(runs)
    const why = "1 path moved aside by undo, 12 kB in /aside; --force removes that too"
    assert.deepStrictEqual([clean, removed, kept], [true, [], { 2: why }])
    assert.deepStrictEqual((await pruning(runs, { force: true })).removed, ["2 latest", "snapshots of 2"])
  })

  it("is named with it when it goes", () => {
    const aside = { directory: "/aside", bytes: 1, files: ["lib/.git"] }
    const judged = [{ run: ref("2"), age: day, kept: null, aside }]
    const text = pruned(judged, { age: day, dryRun: false, directoryOf: () => "/" })
    assert.match(text, /^removed 2 \(repo-noremote\/uncommitted, .+ old\)\n {2}with lib\/\.git\n/)
  })
})

describe("a run is removed", () => {
  it("at its fixed point, and `latest` with it", async () => {
    const { clean, kept, locked, removed } = await pruning([atFixedPoint("2")])
    assert.deepStrictEqual([clean, removed, kept, locked], [true, ["2 latest", "snapshots of 2"], { 2: null }, 1])
  })

  it("when a newer run of its worktree replaced it", async () => {
    const { kept, removed } = await pruning([run("3"), run("2")])
    assert.deepStrictEqual([removed, kept], [["2", "snapshots of 2"], {
      3: "unfinished: the next call continues it",
      2: null
    }])
  })

  it("when its worktree is gone", async () =>
    assert.deepStrictEqual((await pruning([run("2")], { worktrees: [] })).removed, ["2 latest"]))

  it("when it never started", async () =>
    assert.deepStrictEqual((await pruning([run("2", { lines: [] })])).removed, ["2 latest"]))
})

describe("a run stays", () => {
  it("if the next step would continue it: the newest run of this worktree, and `latest`", async () => {
    const { kept, removed } = await pruning([run("3", {}, "/other"), run("2"), run("1")], {
      latest: "1",
      worktrees: ["/repo", "/other"]
    })
    const unfinished = "unfinished: the next call continues it"
    assert.deepStrictEqual([removed, kept], [[], { 1: unfinished, 2: unfinished, 3: unfinished }])
  })

  it("while its reviewers run, whatever its log says", async () => {
    assert.deepStrictEqual((await pruning([{ ...atFixedPoint("2"), alive: true }])).kept, {
      2: "reviewers, agents or tests of it run"
    })
    assert.deepStrictEqual((await pruning([run("2", { lines: [], alive: true })])).kept, {
      2: "reviewers, agents or tests of it run"
    })
  })

  it("if an undo was interrupted, as long as the worktree exists", async () => {
    const cut = { ...atFixedPoint("2"), cut: true }
    const words = "an undo of it was cut off: the next call or undo of the run finishes it"
    assert.deepStrictEqual((await pruning([cut])).kept, { 2: words })
    assert.deepStrictEqual((await pruning([cut], { worktrees: [] })).removed, ["2 latest"])
  })

  it("when its log is about another run", async () => {
    const { kept } = await pruning([{ ...atFixedPoint("2"), lines: [[created({ runId: "1" })]] }])
    assert.deepStrictEqual(kept, { 2: "its log is about another run" })
  })

  it("when it cannot be read", async () => {
    const { clean, kept } = await pruning([run("2", { tooNew: true })])
    const words =
      "cannot be read: /log: format version 9: needs a newer version of ooda-codex-review [update it, then call again]"
    assert.deepStrictEqual([clean, kept], [true, { 2: words }])
  })

  it("and pruning fails, when it cannot be removed", async () => {
    const { clean, kept } = await pruning([{ ...atFixedPoint("2"), stuck: true }])
    assert.deepStrictEqual([clean, kept], [false, {
      2: "cannot be removed: /s: is not a run of this state root; `ooda-codex-review runs` lists those that are"
    }])
  })

  it("if it belongs to another repository of the same name, unless all repositories are pruned", async () => {
    const others = {
      ...atFixedPoint("2"),
      lines: [[created({ runId: "2", worktree: "/other/repo" }), ...reviewed("Clean")]]
    }
    const worktrees = ["/repo", "/other/repo"]
    const here = await pruning([run("3", {}, "/other/repo"), others, atFixedPoint("1")], { all: false, worktrees })
    assert.deepStrictEqual(here.kept, { 1: null })
    const all = await pruning([run("3", {}, "/other/repo"), others, atFixedPoint("1")], { worktrees })
    assert.deepStrictEqual(all.removed, ["2", "snapshots of 2", "1", "snapshots of 1"])
    const gone = await pruning([others], { all: false, worktrees: ["/repo"] })
    assert.deepStrictEqual(gone.removed, ["2 latest"])
  })

  it("and is not listed while it is young", async () =>
    assert.deepStrictEqual((await pruning([{ ...atFixedPoint("2"), days: 0.5 }])).kept, {}))
})

it("a dry run reports the same, takes no lock and removes nothing", async () => {
  const { clean, kept, locked, removed } = await pruning([run("3"), atFixedPoint("2")], { dryRun: true })
  assert.deepStrictEqual([clean, removed, locked], [true, [], 0])
  assert.deepStrictEqual(kept, { 3: "unfinished: the next call continues it", 2: null })
})

const refIn = (runId: string, root = "/s"): RunRef => ({ root, repoId: "repo", targetKey: "uncommitted", runId })
const fault = new SnapshotFailed({ reason: { _tag: "CodeFailed", why: "no", fault: null } })

/** What is removed when two runs with snapshots still exist, one in this state root and one in another. */
const pruningGone = (
  options: { readonly dryRun?: boolean; readonly transcripts?: boolean; readonly outside?: boolean } = {}
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const removed: Array<string> = []
    const { dryRun = false, outside = false, transcripts } = options
    const missing = new GitFailed({ what: "x", reason: { _tag: "ProgramMissing", program: "git" } })
    const layers = Layer.mergeAll(
      storeWith({
        list: (root) => Effect.succeed(root === "/s" ? [refIn("there")] : [refIn("there too", "/t")]),
        remove: (run) => Effect.sync(() => void removed.push(run.runId))
      }),
      Layer.mock(Git)({
        repository: () => outside ? Effect.fail(missing) : Effect.succeed({ root: "/repo", id: "repo" }),
        exists: (path) => Effect.succeed(path !== "/gone")
      }),
      Layer.mock(Snapshots)({
        snapshotted: () =>
          Effect.succeed([
            { run: refIn("there"), at: 0 },
            { run: refIn("there too", "/t"), at: 0 },
            { run: refIn("gone"), at: now - 2000 },
            { run: refIn("of a root that is away", "/gone"), at: 0 },
            { run: refIn("young"), at: now - 999 }
          ]),
        forget: (run, worktree) =>
          worktree === "/broken"
            ? Effect.fail(fault)
            : Effect.sync(() => void removed.push(`snapshots of ${run.runId} in ${worktree}`))
      })
    )
    const asked = { all: false, age: 1000, dryRun, ...(transcripts === undefined ? {} : { transcripts }) }
    const gone = yield* Effect.provide(pruneGone(asked, { stateRoot: null, cwd: "/repo" }), layers)
    const rows = gone.map(({ age, gone, run }) => [run.runId, age, gone])
    return { rows, removed, layers }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("snapshots of deleted runs", () => {
  it("are removed and listed once they are old; snapshots of existing runs stay", async () => {
    const { removed, rows } = await pruningGone()
    assert.deepStrictEqual([rows, removed], [[["gone", 2000, true]], ["snapshots of gone in /repo"]])
  })

  it("are only listed in a dry run", async () => {
    const { removed, rows } = await pruningGone({ dryRun: true })
    assert.deepStrictEqual([rows, removed], [[["gone", 2000, true]], []])
  })

  it("stay when only transcripts are cut, and outside a repository", async () => {
    assert.deepStrictEqual((await pruningGone({ transcripts: true })).rows, [])
    assert.deepStrictEqual((await pruningGone({ outside: true })).rows, [])
  })
})

it("a run is removed with its snapshots if its worktree exists", async () => {
  const { layers, removed } = await pruningGone({ outside: true })
  const all = Effect.forEach(["/repo", "/gone", "/broken", null], (worktree) => removeRun(refIn("r"), worktree, false))
  await Effect.runPromise(Effect.provide(all, layers))
  assert.deepStrictEqual(removed, ["r", "snapshots of r in /repo", "r", "r", "r"])
})

const cut = (over: boolean, ...events: ReadonlyArray<Event>) =>
  cuttable(factsOf({ review: [[created(), ...events]] }), over).map((
    { review: { attempt, batch, level, slot }, state }
  ) => `${level}/${batch} slot ${slot} attempt ${attempt} ${state}`)

const first = [...reviewed("HasIssues"), batchCompleted(tree("t1"))]
const inBatch = (batch: number) => <E extends Event>(event: E): E => "batch" in event ? { ...event, batch } : event
const second = [opened("low", 2), ...[...reviewed("Clean"), batchCompleted(tree("t2"))].map(inBatch(2))]

describe("transcripts", () => {
  it("of a finished run are all cut", () =>
    assert.deepStrictEqual(cut(true, ...first, ...second), [
      "low/1 slot 1 attempt 1 Reviewed",
      "low/2 slot 1 attempt 1 Reviewed"
    ]))

  it("of an unfinished run stay for its current batch and for the last complete batch of each level", () => {
    assert.deepStrictEqual(cut(false, ...first), [])
    assert.deepStrictEqual(cut(false, ...first, ...second), ["low/1 slot 1 attempt 1 Reviewed"])
    assert.deepStrictEqual(cut(false, ...first, opened("medium", 1)), [])
    const half = [batchStarted({ batch: 2, size: 2 }), started({ batch: 2 }), finished("Clean", { batch: 2 })]
    assert.deepStrictEqual(cut(false, ...first, opened("low", 2), ...half), [])
    assert.deepStrictEqual(cut(false, ...first, opened("low", 2), ...half, opened("low", 3)), [
      "low/2 slot 1 attempt 1 Reviewed"
    ])
  })

  it("of attempts without a review are always cut", () => {
    const two = batchStarted({ size: 2 })
    const fails = [two, started(), started({ slot: 2, id: "id-2" }), failed(), failed({ slot: 2 }), batchFailed([1, 2])]
    assert.deepStrictEqual(cut(false, ...fails), ["low/1 slot 1 attempt 1 Failed", "low/1 slot 2 attempt 1 Failed"])
    assert.deepStrictEqual(cut(false, ...fails, started({ attempt: 2, id: "id-3" })), [
      "low/1 slot 1 attempt 1 Archived",
      "low/1 slot 1 attempt 2 Open",
      "low/1 slot 2 attempt 1 Failed"
    ])
    assert.deepStrictEqual(cut(false, two, started(), stopped()), ["low/1 slot 1 attempt 1 Failed"])
  })

  it("of an open attempt are cut only if codex recorded no review", async () => {
    const open = run("2", {
      lines: [[created({ runId: "2" }), batchStarted({ size: 2 }), started(), started({ slot: 2, id: "id-2" })]]
    })
    assert.deepStrictEqual((await pruning([open], { transcripts: true })).cut, ["1 Open", "2 Open"])
    assert.deepStrictEqual((await pruning([open], { transcripts: true, recorded: [1] })).cut, ["2 Open"])
    assert.deepStrictEqual((await pruning([open], { transcripts: true, unreadable: [1] })).cut, ["2 Open"])
  })
})

const judged = (runId: string, kept: Kept | null): Judged => ({
  run: { root: "/s", repoId: "repo", targetKey: "pr/7", runId },
  age: 2 * day,
  kept
})

const asked = { age: day, dryRun: false, directoryOf: ({ root, runId }: Judged["run"]) => `${root}/${runId}` }

describe("the report of pruning", () => {
  it("lists removed runs for users, and in a dry run what would be removed", () => {
    assert.strictEqual(
      pruned([judged("r1", null)], asked),
      "removed r1 (repo/pr/7, 2d00h old)\nremoved 1 run, kept 0\n"
    )
    assert.strictEqual(
      pruned([judged("r1", null)], { ...asked, dryRun: true }),
      "would remove r1 (repo/pr/7, 2d00h old)\nwould remove 1 run, kept 0\n"
    )
  })

  it("lists cut transcripts of a run that stays, and removed snapshots of a deleted run", () => {
    const cut = prunedJson([{ ...judged("r1", null), freed: 38_140_000 }], asked)
    assert.deepInclude(JSON.parse(cut).runs[0], { removed: false, freed: 38_140_000 })
    assert.deepInclude(JSON.parse(prunedJson([{ ...judged("r1", null), gone: true }], asked)).runs[0], { gone: true })
  })
})
