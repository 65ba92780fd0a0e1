// OpenPlan: the run of a plan's file is found or begun, unless something prevents the call.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { record } from "../../../../src/drive/Drive.ts"
import { comparable, locatePlan, obstacleOf, openPlan, presentPlan } from "../../../../src/drive/plan/OpenPlan.ts"
import { Memory, type ScriptedAgent } from "../../../../src/testing.ts"
import { call, content, file, inWorld, settings } from "./plans.ts"
import { inspectPlan } from "../../../../src/drive/plan/Implement.ts"
import { gitLayer, identityOf } from "../../../../src/testing/memory/Code.ts"
import { closed, cycleStarted } from "./histories.ts"
import { workingRun } from "./workings.ts"

const ended = (outcome: string) => [
  { _tag: "DriverStarted", driver: "d1", pid: 7 } as const,
  { _tag: "DriverEnded", driver: "d1", outcome } as const
]
const work = {
  run: { manifest: { target: { _tag: "Uncommitted" }, worktree: "/repo" } },
  settings: { testTimeout: 1 }
} as const

describe("the run of a plan", () => {
  it("has its own place for each file", async () => {
    const [one, again, other] = await inWorld(
      {},
      Effect.forEach([file, file, "/repo/other plan.md"], (path) => locatePlan(path, null, "/repo"))
    )
    assert.match(one?.target.targetKey ?? "", /^plan\/plan-md-[0-9a-f]{16}$/)
    assert.deepStrictEqual(one, again)
    assert.match(other?.target.targetKey ?? "", /^plan\/other-plan-md-[0-9a-f]{16}$/)
  })

  it("continues until its work is done, or a new one is asked for", async () => {
    const same = await inWorld(
      {},
      Effect.gen(function*() {
        const place = yield* locatePlan(file, null, "/repo")
        const opened = (outcome: string) =>
          Effect.gen(function*() {
            const driver = yield* openPlan(place, false)
            const run = { ...work.run, ref: driver.ref }
            yield* record({ ...work, run, driver } as const, ended(outcome))
            return (yield* openPlan(place, false)).ref.runId === driver.ref.runId
          })
        const stopped = yield* opened("DoneAborted")
        const failed = yield* opened("HandoffHuman: TaskBlocked")
        const accepted = yield* opened("DoneAccepted")
        const before = yield* openPlan(place, false)
        const fresh = yield* openPlan(place, true)
        return { stopped, failed, accepted, fresh: before.ref.runId === fresh.ref.runId }
      })
    )
    assert.deepStrictEqual(same, { stopped: true, failed: true, accepted: false, fresh: false })
  })

  it("belongs to one worktree, even if several work on the same file", async () => {
    const shared = "/plans/plan.md"
    let root = "/repo"
    const git = Memory.git({ repository: () => Effect.sync(() => ({ root, id: "repo-noremote" })) })
    const opened = Effect.gen(function*() {
      const place = yield* locatePlan(shared, null, root)
      return (yield* openPlan(place, false)).ref.runId
    })
    const [one, other, again] = await inWorld(
      {},
      Effect.gen(function*() {
        const one = yield* opened
        root = "/other"
        const other = yield* opened
        root = "/repo"
        return [one, other, yield* opened]
      }),
      { git }
    )
    assert.notStrictEqual(one, other)
    assert.strictEqual(one, again)
  })

  it("is not looked at before an undo of it that was interrupted is finished, even if its work is done", async () => {
    const finished = await inWorld(
      {},
      Effect.gen(function*() {
        const place = yield* locatePlan(file, null, "/repo")
        const driver = yield* openPlan(place, false)
        yield* record({ ...work, run: { ...work.run, ref: driver.ref }, driver } as const, ended("DoneAccepted"))
        const snapshots = yield* Snapshots
        const names: Array<string> = []
        yield* openPlan(place, false).pipe(Effect.provideService(Snapshots, {
          ...snapshots,
          unfinished: ({ runId }) => Effect.succeed(runId === driver.ref.runId),
          finish: ({ runId }, worktree) => Effect.sync(() => (names.push(`${runId} ${worktree}`), null))
        }))
        return names.map((name) => name.replace(driver.ref.runId, "it"))
      })
    )
    assert.deepStrictEqual(finished, ["it /repo"])
  })

  it("needs a branch to compare its code with, if it is compared with one", async () => {
    const based = settings({}, { step: { target: { _tag: "Base", branch: "gone" }, strict: true } })
    const found = (isThere: boolean) => {
      const git = Memory.git({
        baseProblem: (_, branch) => Effect.succeed(isThere ? null : { _tag: "BaseUnresolved", branch, remote: true })
      })
      const refused = Effect.gen(function*() {
        const failed = Effect.map(Effect.flip(call(based)), ({ message }) => message)
        const place = yield* locatePlan(file, null, "/repo")
        yield* comparable(place, settings())
        const none = yield* Effect.exit(comparable(place, based))
        return none._tag === "Success" ? null : [yield* failed, yield* presentPlan(place)]
      })
      return inWorld({}, refused, { git })
    }
    assert.deepStrictEqual(await found(false), [
      "the plan's baseBranch: base branch gone cannot be resolved in this repository [git fetch origin gone:gone]",
      null
    ])
    assert.isNull(await found(true))
  })

  it("does not work in its base branch, if its commits are reviewed", async () => {
    const step = { target: { _tag: "Base", branch: "work" }, strict: true }
    const asked = (then: "converge" | null) =>
      inWorld(
        {},
        Effect.gen(function*() {
          const place = yield* locatePlan(file, null, "/repo")
          return yield* Effect.match(comparable(place, settings({ then }, { step })), {
            onFailure: ({ message }) => message,
            onSuccess: () => null
          })
        })
      )
    assert.strictEqual(
      await asked("converge"),
      "the plan's baseBranch: work is checked out, so what is committed would not differ from it [git switch -c NAME first]"
    )
    assert.isNull(await asked(null))
  })
})

/** A run whose first cycle began at a commit. */
const since = (head: string | null) => [
  { ...cycleStarted(), content: { ...identityOf("code", null), head } },
  closed("Rejected")
]

const ladder = settings({ then: "converge" })
const branch = { step: { target: { _tag: "Base", branch: "main" }, strict: true, ceiling: "low" } }

it("a commit since the run began refuses the call, unless no ladder follows or the branch is reviewed", async () => {
  const { foretold, others, outcome } = await inWorld(
    {},
    Effect.gen(function*() {
      const [moved, same] = [yield* workingRun(since("older")), yield* workingRun(since("head"))]
      const { run: { manifest } } = moved
      const others = [
        yield* obstacleOf(settings(), manifest, moved.driver.state),
        yield* obstacleOf(
          settings({ then: "converge" }, { ...branch, commitFixes: "Do" }),
          manifest,
          moved.driver.state
        ),
        yield* obstacleOf(ladder, manifest, same.driver.state)
      ]
      const unborn = yield* workingRun(since(null))
      const first = yield* obstacleOf(ladder, manifest, unborn.driver.state)
      assert.match(first?._tag === "BinaryError" ? first.message : "", /^something was committed since/)
      yield* workingRun(since("older"))
      const { outcome: foretold } = yield* inspectPlan(ladder, file, "/repo")
      return { foretold, others, outcome: yield* call(ladder) }
    })
  )
  assert.deepStrictEqual(others, [null, null, null])
  assert.match(
    outcome.header,
    /^BinaryError: something was committed since .* --then converge .* \[add --commit-fixes;/
  )
  assert.deepStrictEqual(outcome.names.slice(-2), ["DriverStarted", "DriverEnded"])
  assert.strictEqual(foretold._tag, "BinaryError")
})

it("a commit while the call works refuses its ladder", async () => {
  let head = "head"
  const identity = () => Effect.sync(() => ({ ...identityOf("code", null), head, tree: head }))
  const implement: ScriptedAgent.AgentScript = (...all) => {
    head = "newer"
    return content.implement(...all)
  }
  const { header, names } = await inWorld({ agents: { ...content, implement } }, call(ladder), {
    git: gitLayer({ identity })
  })
  assert.match(header, /^BinaryError: something was committed since/)
  assert.deepStrictEqual(names.slice(-3), ["TasksMarked", "CycleClosed", "DriverEnded"])
})
