// Memory: the machine in memory under virtual time: its laws, signals, and a host's own layers.
// Nothing here waits for the clock on the wall.
import { Clock, Effect, Exit, Fiber, Layer, Ref, Stream } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import {
  audit,
  Git,
  GitFailed,
  Invocation,
  Manifest,
  Ooda,
  type Outcome,
  replay,
  RunStore,
  Target
} from "../../../src/index.ts"
import type { ProgramFault } from "../../../src/platform/SystemFault.ts"
import { Scripted, System, World } from "../../../src/testing.ts"
import { layer as logLayer } from "../../../src/testing/memory/EventLog.ts"
import { layer as storeLayer } from "../../../src/testing/memory/RunStore.ts"
import * as Memory from "../../../src/testing/Memory.ts"
import { layer as worldLayer } from "../../../src/testing/World.ts"
import { eventLogLaws } from "../fleet/eventLogLaws.ts"
import { runStoreLaws } from "../fleet/runStoreLaws.ts"
import { runRef } from "../run/events.ts"

let system: System.System
beforeEach(() => {
  system = System.start(Memory.layer())
})
afterEach(() => system.dispose())

const settings = { target: { _tag: "Uncommitted" }, batchSize: 1 } as const
const step = (others: object = {}) => Ooda.step(Invocation.make({ ...settings, ...others }), "/repo", {})
const scripted = (script: Scripted.Scripted) => World.use((world) => Ref.set(world.script, () => script))

const outcome = async <E, R extends Memory.Services | World>(
  effect: Effect.Effect<Ooda.StepResult, E, R>
): Promise<Outcome.Outcome> => {
  const exit = await system.run(Effect.map(effect, (result) => result.outcome))
  return Exit.isSuccess(exit) ? exit.value : assert.fail(String(exit.cause))
}

describe("the log in memory", () => eventLogLaws(logLayer, () => runRef()))

describe("the store in memory", () => {
  const { runId: _runId, ...target } = runRef()
  runStoreLaws(Layer.merge(Layer.provide(storeLayer, worldLayer()), logLayer), () => target)
})

describe("virtual time", () => {
  it("moves by what is waited for", async () => {
    const exit = await system.run(Effect.andThen(Effect.sleep("23 hours"), Clock.currentTimeMillis))
    assert.isAtLeast(Exit.isSuccess(exit) ? exit.value : 0, 23 * 3_600_000)
  })

  it("does not move where nothing waits", async () => {
    const exit = await system.run(Clock.currentTimeMillis)
    assert.deepStrictEqual(exit, Exit.succeed(0))
  })

  it("ends a program that waits forever", async () => {
    const exit = await system.run(Effect.sleep("60 days"))
    assert.match(Exit.isFailure(exit) ? String(exit.cause) : "", /still waits after a month of virtual time/)
  })
})

describe("a signal that the test fires", () => {
  it("ends the step, and a later step runs", async () => {
    const aborted = await outcome(Effect.gen(function*() {
      yield* scripted(Scripted.clean(5000))
      const fiber = yield* Effect.forkChild(step())
      yield* Effect.sleep(1000)
      yield* (yield* World).fire("SIGTERM")
      return yield* Fiber.join(fiber)
    }))
    assert.deepStrictEqual(aborted, { _tag: "DoneAborted" })
    assert.deepInclude(await outcome(step()), { _tag: "HandoffAgent", action: "Retrospective" })
  })
})

describe("a host's own layer", () => {
  it("is used in place of the memory layer, and its errors are the step's", async () => {
    const notHere: ProgramFault = { _tag: "ProgramFailed", program: "git", status: 128, said: "not here" }
    const git = Layer.mock(Git)({
      repository: () => Effect.fail(new GitFailed({ what: "x", reason: notHere }))
    })
    const real = System.start(Memory.layer({ git }))
    const exit = await real.run(Effect.flip(step()))
    await real.dispose()
    assert.deepStrictEqual(Exit.isSuccess(exit) ? Ooda.outcomeOf(exit.value) : null, {
      _tag: "BinaryError",
      message: "git: x: not here"
    })
  })

  it("of GitHub answers for pull requests", async () => {
    const target = Target.Target.make({ _tag: "PullRequest", number: Target.PrNumber.make(7) })
    const failed = await system.run(Effect.flip(step({ target })))
    assert.strictEqual(Exit.isSuccess(failed) ? failed.value._tag : null, "GitHubFailed")
    const real = System.start(Memory.layer({ gitHub: Memory.gitHub({ 7: Target.BranchName.make("main") }) }))
    const { value } = Exit.match(await real.run(step({ target })), {
      onFailure: (cause) => assert.fail(String(cause)),
      onSuccess: (value) => ({ value })
    })
    await real.dispose()
    assert.strictEqual(value.outcome._tag, "HandoffAgent")
  })
})

describe("the past of a run", () => {
  it("is a stream of events that folds to the manifest, and is sound", async () => {
    const exit = await system.run(Effect.gen(function*() {
      const { run } = yield* step()
      const happenings = yield* Stream.runCollect(replay(run?.ref ?? assert.fail("no run")))
      const last = happenings.at(-1)?.after.state?.run
      const [stored] = yield* (yield* RunStore).list("/state", null)
      if (stored === undefined) return assert.fail("no run")
      return { manifest: run?.manifest, last, report: yield* audit(stored), stored }
    }))
    if (!Exit.isSuccess(exit)) return assert.fail(String(exit.cause))
    const { last, manifest, report, stored } = exit.value
    const { level_history: history, ...state } = manifest ?? assert.fail("no manifest")
    assert.deepEqual({ ...last }, state)
    assert.deepEqual(history, [])
    assert.deepInclude(report, { findings: 0, words: [], reviews: 1 })
    assert.strictEqual(stored.targetKey, "uncommitted")
    assert.strictEqual(Manifest.nextBatch(state, "low"), 2)
  })

  it("continues with what is committed later, when it is followed", async () => {
    const exit = await system.run(Effect.gen(function*() {
      const { run } = yield* step()
      const seen: Array<string> = []
      const follow = replay(run?.ref ?? assert.fail("no run"), { follow: true }).pipe(
        Stream.runForEach(({ event }) => Effect.sync(() => void seen.push(event?._tag ?? "")))
      )
      yield* Effect.forkChild(follow)
      yield* Effect.sleep("1 second")
      const before = seen.length
      yield* Ooda.step(Invocation.make(settings, { _tag: "SideEffect", mark: { _tag: "RetroClean" } }), "/repo", {})
      yield* Effect.sleep("1 second")
      return seen.slice(before)
    }))
    assert.deepStrictEqual(exit, Exit.succeed(["LevelOutcomeRecorded", "BatchOpened"]))
  })
})
