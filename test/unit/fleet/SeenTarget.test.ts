// SeenTarget: which pull request of a store is meant from where, and that nothing is pinned where that is not certain.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { batchPlaces, runPlaces } from "../../../src/run/Layout.live.ts"
import { targetDirectory } from "../../../src/log/LogFile.live.ts"
import type { RunScope } from "../../../src/fleet/RunScope.ts"
import { type Pin, Submissions, targetOf } from "../../../src/fleet/Submission.ts"
import type { RunRef, TargetRef } from "../../../src/log/Refs.ts"
import { CommitSha, PrNumber } from "../../../src/run/Target.ts"
import { seenTarget } from "../../../src/fleet/SeenTarget.ts"
import { GitFailed } from "../../../src/code/Git.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { pinnedOf } from "./pins.ts"

const root = "pg:1"
const [one, two] = [pinnedOf("a"), pinnedOf("b", { pr: 8 })]
const foreign = pinnedOf("c", { repo: "https://github.com/b/y" })
const runOf = ({ submission }: Pin, runId: string): RunRef => ({ ...targetOf(root, submission), runId })
const runs = [runOf(two, "20300103"), runOf(foreign, "20300102"), runOf(one, "20300101")]
const { repoId } = targetOf(root, one.submission)
const latest = (number: number): RunScope => ({
  _tag: "Latest",
  target: { _tag: "PullRequest", number: PrNumber.make(number) }
})
const named = (prefix: string): RunScope => ({ _tag: "Named", prefix })

const isOf = ({ submission }: Pin, { repoId, targetKey }: TargetRef): boolean => {
  const other = targetOf(root, submission)
  return other.repoId === repoId && other.targetKey === targetKey
}

const outside = new GitFailed({
  what: "",
  reason: { _tag: "ProgramFailed", program: "git", status: 1, said: "outside" }
})

/** What is seen from a clone with these ids, or outside of any; pull request 8 may not have been taken up. */
const seen = (
  meant: RunScope,
  ids: ReadonlyArray<string> | null = ["none-000000000000", repoId],
  pins = [one, two, foreign]
) =>
  Effect.gen(function*() {
    const here = ids === null ? Effect.fail(outside) : Effect.succeed({ root: "/clone", ids })
    const found = yield* seenTarget(meant, here)
    return { heads: found.pins.map(({ submission }) => submission.head[0]), at: yield* Effect.result(found.repository) }
  }).pipe(
    Effect.match({
      onFailure: (error) => error._tag === "StoreFailed" ? error.reason._tag : error.message,
      onSuccess: (
        { at, heads }
      ) => [...heads, at._tag === "Success" ? `${at.success.root} ${at.success.id}` : "outside"]
    }),
    Effect.provide(Layer.merge(
      Layer.mock(RunStore)({
        batchPlaces,
        runPlaces,
        targetPlace: targetDirectory,

        open: () => Effect.succeed(root),
        roots: () => Effect.succeed([root]),
        list: (_root, id) => Effect.succeed(runs.filter(({ repoId }) => id === null || repoId === id))
      }),
      Layer.mock(Submissions)({
        of: (target) =>
          Effect.succeed(
            [one, two, foreign].filter((pinned) => isOf(pinned, target))
              .map(({ submission }) => ({ number: 1, at: 0, submission }))
          ),
        pins: (target) => Effect.succeed(pins.filter((pinned) => isOf(pinned, target)))
      })
    )),
    Effect.runPromise
  )

describe("what is seen of a store", () => {
  it("is the code of the pull request that is named, at its place on every machine", async () => {
    assert.deepStrictEqual(await seen(latest(7)), ["a", `${one.worktree} ${repoId}`])
    assert.deepStrictEqual(await seen(latest(8)), ["b", `${two.worktree} ${repoId}`])
  })

  it("is the newest run of the clone's repository", async () => {
    assert.deepStrictEqual(await seen({ _tag: "Newest" }), ["b", `${two.worktree} ${repoId}`])
    assert.deepStrictEqual(await seen({ _tag: "Newest" }, ["none-000000000000"]), ["/clone none-000000000000"])
  })

  it("is a run by its id, from anywhere, preferring the clone's repository", async () => {
    assert.deepStrictEqual(await seen(named("20300102")), ["c", `/clone ${repoId}`])
    assert.deepStrictEqual(await seen(named("20300102"), null), ["c", "outside"])
    assert.deepStrictEqual(await seen(named("2030010"), null), ["outside"])
    assert.deepStrictEqual(await seen(named("2030010"), [targetOf(root, foreign.submission).repoId]), [
      "c",
      `/clone ${targetOf(root, foreign.submission).repoId}`
    ])
    assert.deepStrictEqual(await seen(named("9"), null), ["outside"])
  })

  it("is no code where all runs are meant", async () => {
    assert.deepStrictEqual(await seen({ _tag: "All" }), [`/clone ${repoId}`])
    assert.deepStrictEqual(await seen({ _tag: "All" }, null), ["outside"])
  })

  it("is null where no worker knows the pull request", async () => {
    assert.strictEqual(await seen(latest(9)), "NotSubmitted")
    assert.strictEqual(await seen(latest(8), [repoId], [one]), "NotTakenUp")
    assert.strictEqual(await seen({ _tag: "Unsaid" }), "PullRequestOnly")
    const other = { _tag: "Commit", sha: CommitSha.make("a".repeat(40)) } as const
    assert.strictEqual(await seen({ _tag: "Latest", target: other }), "PullRequestOnly")
    assert.match(`${await seen(latest(7), null)}`, /outside/)
  })
})
