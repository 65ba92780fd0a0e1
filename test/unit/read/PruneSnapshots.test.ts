// Snapshots of an earlier version go with their run, and those of runs that are gone once they are old enough.
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import type { RunRef } from "../../../src/log/Refs.ts"
import { Git, GitFailed } from "../../../src/code/Git.ts"
import { SnapshotFailed, Snapshots } from "../../../src/code/Snapshots.ts"
import { pruneGone, removeRun } from "../../../src/read/Prune.ts"
import { storeWith } from "./stores.ts"

const now = Date.parse("2030-02-01T00:00:00Z")
const ref = (runId: string, root = "/s"): RunRef => ({ root, repoId: "repo", targetKey: "uncommitted", runId })
const fault = new SnapshotFailed({ reason: { _tag: "CodeFailed", why: "no" } })

/** What is removed where two of the runs with snapshots still exist: one in this state root, one in another. */
const pruning = (
  options: { readonly dryRun?: boolean; readonly transcripts?: boolean; readonly outside?: boolean } = {}
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const removed: Array<string> = []
    const { dryRun = false, outside = false, transcripts } = options
    const missing = new GitFailed({ what: "x", reason: { _tag: "ProgramMissing", program: "git" } })
    const layers = Layer.mergeAll(
      storeWith({
        list: (root) => Effect.succeed(root === "/s" ? [ref("there")] : [ref("there too", "/t")]),
        remove: (run) => Effect.sync(() => void removed.push(run.runId))
      }),
      Layer.mock(Git)({
        repository: () => outside ? Effect.fail(missing) : Effect.succeed({ root: "/repo", id: "repo" }),
        exists: (path) => Effect.succeed(path !== "/gone")
      }),
      Layer.mock(Snapshots)({
        snapshotted: () =>
          Effect.succeed([
            { run: ref("there"), at: 0 },
            { run: ref("there too", "/t"), at: 0 },
            { run: ref("gone"), at: now - 2000 },
            { run: ref("of a root that is away", "/gone"), at: 0 },
            { run: ref("young"), at: now - 999 }
          ]),
        forget: (run, worktree) =>
          worktree === "/broken"
            ? Effect.fail(fault)
            : Effect.sync(() => void removed.push(`snapshots of ${run.runId} in ${worktree}`))
      })
    )
    const asked = { all: false, age: 1000, dryRun, ...(transcripts === undefined ? {} : { transcripts }) }
    const gone = yield* Effect.provide(pruneGone(asked, { stateRoot: null, cwd: "/repo" }), layers)
    const told = gone.map(({ age, gone, run }) => [run.runId, age, gone])
    return { told, removed, layers }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("snapshots of runs that are gone", () => {
  it("are removed and told once they are old, and those of runs that exist never", async () => {
    const { removed, told } = await pruning()
    assert.deepStrictEqual([told, removed], [[["gone", 2000, true]], ["snapshots of gone in /repo"]])
  })

  it("are only told in a dry run", async () => {
    const { removed, told } = await pruning({ dryRun: true })
    assert.deepStrictEqual([told, removed], [[["gone", 2000, true]], []])
  })

  it("are no matter where transcripts are cut, nor outside of a repository", async () => {
    assert.deepStrictEqual((await pruning({ transcripts: true })).told, [])
    assert.deepStrictEqual((await pruning({ outside: true })).told, [])
  })
})

it("a run goes with its snapshots, as far as there is a worktree to remove them in", async () => {
  const { layers, removed } = await pruning({ outside: true })
  const all = Effect.forEach(["/repo", "/gone", "/broken", null], (worktree) => removeRun(ref("r"), worktree, false))
  await Effect.runPromise(Effect.provide(all, layers))
  assert.deepStrictEqual(removed, ["r", "snapshots of r in /repo", "r", "r", "r"])
})
