// StopStep: which run of a worktree is active, and that its reviewers are ended.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { HeadMoved } from "../../../src/step/OpenRun.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { runUnderWay, type StopOptions, stopStep } from "../../../src/drive/StopStep.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { living, onMachine, tagsOf } from "../run/opened.ts"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { EventLog, LogDamaged } from "../../../src/log/EventLog.ts"
import { tested } from "../drive/plan/histories.ts"
import { batchStarted, created, finished, started, stopped } from "../run/events.ts"

const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2, ceiling: "low", ...given }).settings
const step = (given: object = {}) => loopStep(settings(given), false, "/repo")
const stop = (given: Partial<StopOptions> = {}) =>
  stopStep({ target: { _tag: "Uncommitted" }, floor: null, stateRoot: null, ...given }, "/repo", {})

describe("stop", () => {
  it("ends running reviewers, keeps finished ones, and ends the waiting step", async () => {
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
    assert.deepStrictEqual([line, outcome], ["stopped 1 reviewer of low batch 1", { _tag: "DoneAborted" }])
    assert.deepStrictEqual([left, waiting], [[], { _tag: "DoneAborted" }])
    assert.deepStrictEqual(tags.slice(2), [["ReviewFinished"], ["ReviewStopped"]])
  })

  it("says that a run is not active, and records nothing", async () => {
    const { line, outcome, same } = await onMachine(Effect.gen(function*() {
      const { run } = yield* step()
      const stopped = yield* stop()
      return { ...stopped, same: stopped.run?.head.seq === run.head.seq }
    }))
    assert.deepStrictEqual([line, outcome], ["nothing to stop: low batch 1 does not run", { _tag: "DoneAborted" }])
    assert.isTrue(same)
  })

  it("finishes a stop that was killed", async () => {
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

  it("creates nothing without a run", async () => {
    const { line, run, runs } = await onMachine(Effect.gen(function*() {
      return { ...(yield* stop()), runs: yield* RunStore.use((store) => store.list("/state", null)) }
    }))
    assert.deepStrictEqual([line, run, runs], ["nothing to stop: no run of uncommitted", null, []])
  })

  it("without a target ends the active run of this worktree", async () => {
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
    assert.deepStrictEqual([first, left], ["stopped 2 reviewers of low batch 1", []])
    assert.strictEqual(second, "nothing to stop: no run of this worktree is under way")
  })

  it("without a target says so if a run cannot be read", async () => {
    const damaged = new LogDamaged({ path: "/log", kind: "bad hash", line: 2, offset: 9 })
    const [line, inNamed] = await onMachine(Effect.gen(function*() {
      yield* step({ stepTimeout: 100 })
      const unread = () => Effect.fail(damaged)
      const stopped = (more: { readonly stateRoot?: string } = {}) =>
        Effect.updateService(stop({ target: null, ...more }), EventLog, (log) => ({ ...log, read: unread }))
      return [(yield* stopped()).line, (yield* stopped({ stateRoot: "/state" })).line]
    }))
    const nothing = "nothing to stop: no run of this worktree is under way"
    assert.strictEqual(line, `${nothing}, but 1 run cannot be read [ooda-codex-review runs]`)
    assert.strictEqual(inNamed, `${nothing}, but 1 run cannot be read [ooda-codex-review runs --state-root /state]`)
  })

  it("without a target refuses to choose between several runs, and accepts the id of one", async () => {
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
    assert.deepStrictEqual([line, slots], ["stopped 2 reviewers of low batch 1", [1, 2]])
  })

  it("leaves a run with another floor alone", async () => {
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

  it("checks the expected head", async () => {
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

const run = (n: number, targetKey = "uncommitted"): RunRef => ({
  root: "/state",
  repoId: "repo-noremote",
  targetKey,
  runId: `2030010${n}T000000Z-000000001-p1`
})
const open: ReadonlyArray<Event> = [batchStarted({ size: 1 }), started()]
const done: ReadonlyArray<Event> = [...open, finished("Clean")]

/** A stored run: its events after its creation, its worktree, and whether one of its reviewers lives. */
interface Stored {
  readonly ref: RunRef
  readonly events: ReadonlyArray<Event>
  readonly worktree?: string
  readonly lives?: boolean
  /** The events of its driver's stream after the first. */
  readonly driven?: ReadonlyArray<ConvergeEvent>
  /** Whether another process drives its target. */
  readonly drives?: boolean
}

const underWay = (...stored: ReadonlyArray<Stored>) =>
  onMachine(Effect.gen(function*() {
    const [store, log, world] = [yield* RunStore, yield* EventLog, yield* World]
    for (const { driven, events, lives, ref, worktree = "/repo" } of stored) {
      yield* store.create(ref)
      if (driven !== undefined) {
        const begun: ConvergeEvent = { _tag: "ConvergeStarted", runId: ref.runId, nonce: "n" }
        yield* log.create(convergeRun, ref, [begun, ...driven])
      }
      yield* log.create(reviewRun, ref, [created({ worktree, runId: ref.runId }), ...events])
      if (lives !== true) continue
      const attempt = { run: ref, level: "low", batch: 1, slot: 1, attempt: 1, id: "a" } as const
      const line = { seq: 1, hash: "" }
      const reviewer = {
        attempt,
        line,
        scripted: Scripted.silence,
        startedAt: 0,
        endsAt: Infinity,
        deadline: false,
        stoppedAt: null
      }
      yield* Ref.update(world.reviewers, (all) => [...all, reviewer])
    }
    const found = Effect.match(runUnderWay(["/state"], { id: "repo-noremote", root: "/repo" }), {
      onFailure: (error) => error._tag === "NoSuchRun" ? error.reason : assert.fail(error.message),
      onSuccess: (found) => found?.ref ?? null
    })
    const target = stored.find(({ drives }) => drives === true)?.ref
    return yield* target === undefined ? found : (yield* Drivers).driving(target, "/repo", () => found)
  }))

const digest = { algorithm: "sha256", hex: "0".repeat(64), bytes: 1 } as const
const agentStarted: ConvergeEvent = {
  _tag: "AgentStarted",
  agent: 1,
  attempt: 1,
  id: "a",
  cause: "First",
  kind: "codex",
  role: "worker",
  taskId: "task",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  thread: null,
  prompt: digest
}
const agentStopped: ConvergeEvent = { _tag: "AgentStopped", agent: 1, attempt: 1, cause: "Stop" }

describe("the active run", () => {
  it("is one with a running agent, whether or not a batch was started", async () => {
    for (const events of [[], done]) {
      const agents = { ref: run(1), events, driven: [agentStarted] }
      assert.deepStrictEqual(await underWay(agents, { ref: run(2), events: done }), run(1))
      assert.isNull(await underWay({ ...agents, driven: [agentStarted, agentStopped] }))
    }
  })

  it("is one with running tests", async () => {
    const [begun, ended] = tested(1, 1, 0)
    const driven = { ref: run(1), events: done, driven: [begun] }
    assert.deepStrictEqual(await underWay(driven), run(1))
    assert.isNull(await underWay({ ...driven, driven: [begun, ended] }))
  })

  it("has a running driver, even between its reviews", async () => {
    const driverStarted = { _tag: "DriverStarted", driver: "d", pid: 1 } as const
    const driven = { ref: run(1), events: done, driven: [driverStarted] }
    assert.deepStrictEqual(await underWay({ ...driven, drives: true }), run(1))
    assert.isNull(await underWay(driven))
  })

  it("is the one with an open batch, whatever its target", async () =>
    assert.deepStrictEqual(
      await underWay({ ref: run(1, "base/main"), events: open }, { ref: run(2), events: done }, {
        ref: run(3),
        events: []
      }),
      run(1, "base/main")
    ))

  it("is null if nothing is open, or only in another checkout", async () => {
    assert.isNull(await underWay({ ref: run(1), events: done }))
    assert.isNull(await underWay({ ref: run(1), events: open, lives: true, worktree: "/elsewhere" }))
  })

  it("is the one with living reviewers, if another was left without any", async () => {
    const left: Stored = { ref: run(3), events: open }
    assert.deepStrictEqual(await underWay({ ref: run(1, "pr/7"), events: open, lives: true }, left), run(1, "pr/7"))
  })

  it("can also be one whose reviewers survived the record of their stop", async () => {
    const halfStopped: Stored = { ref: run(1), events: [...open, stopped()] }
    assert.isNull(await underWay(halfStopped))
    assert.deepStrictEqual(await underWay({ ...halfStopped, lives: true }), run(1))
  })

  it("is an error if there are several", async () => {
    const both = [{ ref: run(1, "pr/7"), events: open, lives: true }, { ref: run(2), events: open, lives: true }]
    assert.deepInclude(await underWay(...both), {
      _tag: "SeveralUnderWay",
      runs: [run(2), run(1, "pr/7")].map(({ repoId, runId, targetKey }) => ({ repoId, runId, targetKey }))
    })
  })
})
