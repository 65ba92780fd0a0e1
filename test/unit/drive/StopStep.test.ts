// StopStep: what `stop` ends and what it says, of a run that another step drives, of one at rest, and of none.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { HeadMoved } from "../../../src/step/OpenRun.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { type StopOptions, stopStep } from "../../../src/drive/StopStep.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { living, onMachine, tagsOf } from "../run/opened.ts"

const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2, ceiling: "low", ...given }).settings
const step = (given: object = {}) => loopStep(settings(given), false, "/repo")
const stop = (given: Partial<StopOptions> = {}) =>
  stopStep({ target: { _tag: "Uncommitted" }, floor: null, stateRoot: null, ...given }, "/repo", {})

describe("stop", () => {
  it("ends what runs, keeps what has ended, and the step that waits ends too", async () => {
    const { left, line, outcome, tags, waiting } = await onMachine(
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(step())
        yield* Effect.sleep(1000)
        const stopped = yield* stop()
        const waiting = yield* Fiber.join(fiber)
        return { ...stopped, left: yield* living, waiting: waiting.outcome, tags: yield* tagsOf(stopped.run) }
      }),
      { script: ({ slot }) => slot === 1 ? Scripted.clean(100) : Scripted.silence }
    )
    assert.deepStrictEqual([line, outcome], ["stopped 1 reviewer(s) of low batch 1", { _tag: "DoneAborted" }])
    assert.deepStrictEqual([left, waiting], [[], { _tag: "DoneAborted" }])
    assert.deepStrictEqual(tags.slice(2), [["ReviewFinished"], ["ReviewStopped"]])
  })

  it("of a run at rest says so, and records nothing", async () => {
    const { line, outcome, same } = await onMachine(Effect.gen(function*() {
      const { run } = yield* step()
      const stopped = yield* stop()
      return { ...stopped, same: stopped.run?.head.seq === run.head.seq }
    }))
    assert.deepStrictEqual([line, outcome], ["nothing to stop: low batch 1 does not run", { _tag: "DoneAborted" }])
    assert.isTrue(same)
  })

  it("ends what a killed stop has left behind", async () => {
    const { first, left, second } = await onMachine(
      Effect.gen(function*() {
        const { witness } = yield* World
        yield* step({ stepTimeout: 100 })
        yield* Ref.set(
          witness,
          (call, when) => call === "Reviewers.stop" && when === "before" ? Effect.die("killed") : Effect.void
        )
        yield* Effect.exit(stop())
        yield* Ref.set(witness, () => Effect.void)
        const first = yield* living
        const { line } = yield* stop()
        return { first, left: yield* living, second: line }
      }),
      { script: () => Scripted.silence }
    )
    const line = "nothing to stop: low batch 1 does not run; ended 2 processes that its reviewers had left"
    assert.deepStrictEqual([first, left, second], [[1, 2], [], line])
  })

  it("creates nothing where there is no run", async () => {
    const { line, run, runs } = await onMachine(Effect.gen(function*() {
      return { ...(yield* stop()), runs: yield* RunStore.use((store) => store.list("/state", null)) }
    }))
    assert.deepStrictEqual([line, run, runs], ["nothing to stop: no run of uncommitted", null, []])
  })

  it("without a target ends what this worktree has under way", async () => {
    const { first, left, second } = await onMachine(
      Effect.gen(function*() {
        yield* step({ target: { _tag: "Base", branch: "main" }, stepTimeout: 100 })
        yield* step({ floor: "medium", ceiling: "medium", stepTimeout: 100 })
        yield* stop()
        const { line } = yield* stop({ target: null })
        return { first: line, left: yield* living, second: (yield* stop({ target: null })).line }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([first, left], ["stopped 2 reviewer(s) of low batch 1", []])
    assert.strictEqual(second, "nothing to stop: no run of this worktree is under way")
  })

  it("without a target refuses to choose, and takes the name of one", async () => {
    const { error, line, slots } = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* step({ stepTimeout: 100 })
        yield* step({ target: { _tag: "Base", branch: "main" }, stepTimeout: 100 })
        const error = yield* Effect.flip(stop({ target: null }))
        return { error, line: (yield* stop({ target: null, run: run.ref.runId })).line, slots: yield* living }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepInclude({ ...error }, { _tag: "NoSuchRun" })
    assert.match(
      error.message,
      /^several runs of this worktree are under way: .* \(repo-noremote\/base\/main\), .*; name one$/
    )
    assert.deepStrictEqual([line, slots], ["stopped 2 reviewer(s) of low batch 1", [1, 2]])
  })

  it("leaves a run of another floor alone", async () => {
    const { left, line } = await onMachine(
      Effect.gen(function*() {
        yield* step({ stepTimeout: 100 })
        return { line: (yield* stop({ floor: "high" })).line, left: yield* living }
      }),
      { script: () => Scripted.silence }
    )
    assert.strictEqual(line, "nothing to stop: the current run of uncommitted begins at low, not at high")
    assert.deepStrictEqual(left, [1, 2])
  })

  it("is held to the head that it expects", async () => {
    const { error, left } = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* step({ stepTimeout: 100 })
        const error = yield* Effect.flip(stop({ expectHead: { ...run.head, seq: 1 } }))
        const left = yield* living
        yield* stop({ expectHead: run.head })
        assert.deepStrictEqual(yield* living, [])
        return { error, left }
      }),
      { script: () => Scripted.silence }
    )
    assert.instanceOf(error, HeadMoved)
    assert.deepStrictEqual(left, [1, 2])
  })
})
