// Selection: which run is meant: this worktree's newest, its latest of a target, or one by the start of its id.
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { Git, GitFailed } from "../../../src/code/Git.ts"
import type { PlanEvent } from "../../../src/drive/plan/Event.ts"
import { planRun } from "../../../src/drive/plan/State.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { NoSuchRun } from "../../../src/run/Owner.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import type { Target } from "../../../src/run/Target.ts"
import { select, selectAll, type Selector, selectOwn } from "../../../src/step/Selection.ts"
import { cycleStarted, planStarted } from "../drive/plan/histories.ts"
import { bench } from "../../support/writtenRuns.ts"
import { batchStarted, created } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const uncommitted: Target = { _tag: "Uncommitted" }
const where = { stateRoot: "/state", cwd: "/repo" }

const run = (n: number, fields: Partial<RunRef> = {}): RunRef => ({
  root: "/state",
  repoId: "repo-noremote",
  targetKey: "uncommitted",
  runId: `2030010${n}T000000Z-000000001-p1`,
  ...fields
})

/** Stores a run, with the log of a worktree if one is named. */
const store = Effect.fnUntraced(function*(ref: RunRef, worktree: string | null = "/repo") {
  yield* (yield* RunStore).create(ref)
  if (worktree !== null) yield* (yield* EventLog).create(reviewRun, ref, [created({ worktree })])
})

const selected = (
  selector: Selector,
  stored: ReadonlyArray<readonly [RunRef, (string | null)?]>,
  git?: Layer.Layer<Git>
) =>
  onMachine(
    Effect.gen(function*() {
      for (const [ref, worktree] of stored) yield* store(ref, worktree)
      return yield* select(selector, where)
    }),
    git === undefined ? {} : { git }
  )

const refused = async (...args: Parameters<typeof selected>) => {
  const error = await selected(...args).then(() => assert.fail("a run was selected"), (error: unknown) => error)
  return error instanceof NoSuchRun ? error.reason : assert.fail(String(error))
}

describe("the newest run", () => {
  const newest: Selector = { _tag: "Newest" }
  const begun = Effect.fnUntraced(function*(ref: RunRef) {
    yield* (yield* RunStore).create(ref)
    yield* (yield* EventLog).create(reviewRun, ref, [created({ worktree: "/repo" }), batchStarted()])
  })

  it("can be of any kind, or one of reviews on request", async () => {
    const plan = run(2, { targetKey: "plan/p" })
    const started: PlanEvent = { ...planStarted, runId: plan.runId, worktree: "/repo" }
    const found = await onMachine(Effect.gen(function*() {
      yield* begun(run(1))
      yield* (yield* RunStore).create(plan)
      yield* (yield* EventLog).create(planRun, plan, [started, cycleStarted()])
      return [yield* select(newest, where), yield* select(newest, where, false)]
    }))
    assert.deepStrictEqual(found, [plan, run(1)])
  })

  it("is not one that a refused call left, unless there is no other", async () => {
    const found = await onMachine(Effect.gen(function*() {
      yield* store(run(3))
      const only = yield* select(newest, where)
      yield* begun(run(1))
      return [only, yield* select(newest, where)]
    }))
    assert.deepStrictEqual(found, [run(3), run(1)])
  })

  it("is this worktree's newest, whatever its target", async () => {
    const mine = run(2, { targetKey: "base/main" })
    assert.deepStrictEqual(await selected(newest, [[run(1)], [mine], [run(3), "/elsewhere"]]), mine)
  })

  it("is never another checkout's, which is named instead", async () =>
    assert.deepStrictEqual(await refused(newest, [[run(1), "/one"], [run(2), "/two"]]), {
      _tag: "OnlyElsewhere",
      worktree: "/repo",
      newest: run(2).runId
    }))

  it("is not one that never started, nor one of another repository", async () => {
    const other = run(3, { repoId: "other-noremote" })
    assert.deepStrictEqual(await selected(newest, [[run(1)], [run(2), null], [other]]), run(1))
    assert.deepStrictEqual(await refused(newest, [[run(2), null], [other]]), {
      _tag: "NoneHere",
      repoId: "repo-noremote",
      root: "/state"
    })
  })
})

describe("a run by the start of its id", () => {
  const named = (prefix: string): Selector => ({ _tag: "Named", prefix })

  it("is the only one that matches", async () =>
    assert.deepStrictEqual(await selected(named("20300102"), [[run(1)], [run(2)]]), run(2)))

  it("is this repository's if another has one that matches too", async () => {
    const other = run(1, { repoId: "other-noremote" })
    assert.deepStrictEqual(await selected(named("20300101"), [[other], [run(1)]]), run(1))
    assert.deepStrictEqual(await selected(named("20300102"), [[run(1)], [{ ...other, runId: run(2).runId }]]), {
      ...other,
      runId: run(2).runId
    })
  })

  it("is refused with commands that name the state root of the call", async () => {
    const error = await selected(named("2031"), [[run(1)]]).then(() => null, (error: unknown) => error)
    assert.include(String(error), "`ooda-codex-review runs --all --state-root /state`")
  })

  it("needs no repository", async () => {
    const git = Layer.mock(Git)({
      repository: () =>
        Effect.fail(new GitFailed({ what: "finding it", reason: { _tag: "ProgramMissing", program: "git" } }))
    })
    assert.deepStrictEqual(await selected(named("20300101"), [[run(1)]], git), run(1))
  })

  it("is an error if several or none match", async () => {
    assert.deepStrictEqual(await refused(named("2030"), [[run(1)], [run(2)]]), {
      _tag: "Several",
      prefix: "2030",
      runs: [run(2), run(1)].map(({ repoId, runId, targetKey }) => ({ repoId, targetKey, runId }))
    })
    assert.deepStrictEqual(await refused(named("2031"), [[run(1)]]), {
      _tag: "NoneBegins",
      prefix: "2031",
      root: "/state"
    })
  })
})

describe("the latest run of a target", () => {
  const latest: Selector = { _tag: "Latest", target: uncommitted }
  /** The selected run if `latest` names this run, or the reason of the failure. */
  const pointed = (at: RunRef, ...stored: ReadonlyArray<readonly [RunRef, (string | null)?]>) =>
    onMachine(Effect.gen(function*() {
      for (const [ref, worktree] of stored) yield* store(ref, worktree)
      yield* (yield* RunStore).point(at)
      return yield* Effect.match(select(latest, where), {
        onFailure: (error) => error._tag === "NoSuchRun" ? error.reason : assert.fail(error.message),
        onSuccess: (found) => found
      })
    }))

  it("is the one that `latest` names, if it is this worktree's", async () =>
    assert.deepStrictEqual(await pointed(run(1), [run(1)], [run(2)]), run(1)))

  it("is this worktree's newest of the target, if `latest` names another checkout's run, or nothing", async () => {
    const neighbours = [[run(1)], [run(2)], [run(3), "/elsewhere"]] as const
    assert.deepStrictEqual(await pointed(run(3), ...neighbours), run(2))
    assert.deepStrictEqual(await pointed(run(4), ...neighbours), run(2))
    assert.deepStrictEqual(await selected(latest, neighbours), run(2))
  })

  it("is an error if there is none, if `latest` names a missing run, or if all are another checkout's", async () => {
    assert.strictEqual((await refused(latest, [[run(1, { targetKey: "pr/7" })]]))._tag, "NoneOfTarget")
    assert.deepInclude(await pointed(run(2)), { _tag: "LatestDangling", targetKey: "uncommitted" })
    assert.deepInclude(await pointed(run(2), [run(2), "/elsewhere"]), { _tag: "OnlyElsewhere", newest: run(2).runId })
  })
})

describe("all runs", () => {
  it("are the repository's, or the store's", async () => {
    const other = run(3, { repoId: "other-noremote" })
    const found = await onMachine(Effect.gen(function*() {
      for (const ref of [run(1), run(2), other]) yield* store(ref)
      return [yield* selectAll(where, false), yield* selectAll(where, true)]
    }))
    assert.deepStrictEqual(found, [[run(2), run(1)], [other, run(2), run(1)]])
  })

  it("for a list are the repository's or, without a remote, this worktree's and a count of the others", async () => {
    const listed = (id: string) => {
      const git = Layer.mock(Git)({ repository: () => Effect.succeed({ root: "/repo", id }) })
      const stored = Effect.gen(function*() {
        yield* store(run(1, { repoId: id }))
        yield* store(run(2, { repoId: id }), "/elsewhere/repo")
        const { elsewhere, runs } = yield* selectOwn(where)
        return [runs.map(({ runId }) => runId), elsewhere]
      })
      return onMachine(stored, { git })
    }
    assert.deepStrictEqual(await listed("repo-noremote"), [[run(1).runId], 1])
    assert.deepStrictEqual(await listed("repo-0123456789ab"), [[run(2).runId, run(1).runId], 0])
  })
})

describe("on a disk", () => {
  const b = bench()
  const id = (n: number): string => `20300101T0000${String(n).padStart(2, "0")}Z-000000001-p1`

  describe("a run is chosen", () => {
    const chosen = async (selector: Parameters<typeof b.replay>[0], cwd?: string) => {
      const { code, out, stderr } = await b.ask(b.replay(selector), cwd === undefined ? {} : { cwd })
      return code === 0 ? out.split("\n")[0]?.slice(8).split(" ")[0] : stderr
    }

    it("as the newest even if its first line is damaged", async () => {
      b.write([[b.born({ runId: id(1) })]], { id: id(1) })
      b.write([[b.born({ runId: id(2) })]], { id: id(2) })
      fs.writeFileSync(path.join(b.dir({ id: id(2) }), "manifest.jsonl"), "damage\n")
      const { code } = await b.ask(b.audit())
      assert.strictEqual(code, 1)
    })

    it("by the name of the repository's remote", async () => {
      execFileSync("git", ["remote", "add", "origin", "https://example.org/x.git"], { cwd: b.cwd() })
      b.write(b.climb())
      assert.match((await chosen({})) ?? "", /no run of this repository \(repo-[0-9a-f]{12}\)/)
    })
  })
})
