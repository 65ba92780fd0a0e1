// LoopStep: a step from its opening to its outcome: the replaced run, the signals that end it, its failures.
import { Effect, Fiber, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { CodexMissing, Reviewers } from "../../../src/review/Reviewers.ts"
import { Progress, silent } from "../../../src/review/Progress.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { startReviews } from "../../../src/review/Start.ts"
import { read } from "../../../src/run/Run.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { Memory, Scripted, World } from "../../../src/testing.ts"
import { living, onMachine, tagsOf } from "../run/opened.ts"

const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2, ceiling: "low", ...given }).settings
const step = (given: object = {}, fresh = false) => loopStep(settings(given), fresh, "/repo")

describe("a step", () => {
  it("ends reviewers that another step started meanwhile in the replaced run", async () => {
    let meanwhile: Effect.Effect<unknown> = Effect.void
    const runStore = Layer.effect(
      RunStore,
      Effect.map(RunStore, (store) =>
        RunStore.of({
          ...store,
          create: (ref) => Effect.andThen(Effect.suspend(() => meanwhile), store.create(ref))
        }))
    ).pipe(Layer.provide(Memory.runStore))
    const { left, tags } = await onMachine(
      Effect.gen(function*() {
        yield* World.use(({ script }) => Ref.set(script, () => Scripted.silence))
        const { run } = yield* step({ stepTimeout: 100 })
        yield* World.use(({ script }) =>
          Ref.set(script, (attempt) => attempt.run.runId === run.ref.runId ? Scripted.silence : Scripted.clean())
        )
        const again = Effect.flatMap(
          read(run.ref),
          (now) => startReviews(now, { cause: "stopped-slots" }, { settings: settings(), cwd: "/repo" })
        )
        meanwhile = Effect.orDie(Effect.provide(again, yield* Effect.context<Effect.Services<typeof again>>()))
        yield* step({}, true)
        return { left: yield* living, tags: yield* tagsOf(run) }
      }),
      { runStore }
    )
    assert.deepStrictEqual(left, [])
    assert.deepStrictEqual(tags.slice(-2), [["ReviewStarted", "ReviewStarted"], ["ReviewStopped", "ReviewStopped"]])
  })

  it("that finds no codex replaces no run, and leaves its reviewers alone", async () => {
    let found = true
    const reviewers = Layer.effect(
      Reviewers,
      Effect.map(Reviewers, (all) =>
        Reviewers.of({
          ...all,
          locate: (binary) =>
            Effect.suspend(() =>
              found ? Effect.succeed(binary) : Effect.fail(new CodexMissing({ binary, reason: { _tag: "NameEmpty" } }))
            )
        }))
    ).pipe(Layer.provide(Memory.reviewers))
    const { error, left, tags } = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* step({ stepTimeout: 100 })
        found = false
        return { error: yield* Effect.flip(step({}, true)), left: yield* living, tags: yield* tagsOf(run) }
      }),
      { reviewers, script: () => Scripted.silence }
    )
    assert.instanceOf(error, CodexMissing)
    assert.deepStrictEqual([left, tags.length], [[1, 2], 2])
  })
})

describe("a step beside another process", () => {
  it("reads the code again if the other was first with a line, although its batch just ended", async () => {
    let changed = false
    const eventLog = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) =>
        EventLog.of({
          ...log,
          append: (kind, ref, head, events) =>
            Effect.gen(function*() {
              const isLast = events.some(({ _tag }) => _tag === "FixedPointReached")
              if (!isLast || changed) return yield* log.append(kind, ref, head, events)
              changed = true
              yield* log.append(reviewRun, ref, head, [{ _tag: "StepAborted", signal: "SIGTERM" }])
              return yield* log.append(kind, ref, head, events)
            })
        }))
    ).pipe(Layer.provide(Memory.eventLog))
    const git = Memory.git({ identity: () => Effect.sync(() => identityOf(changed ? "code-2" : "code-1", null)) })
    const { outcome } = await onMachine(step({ maxBatches: 1 }), { eventLog, git, script: () => Scripted.clean(1000) })
    assert.isTrue(changed)
    assert.deepStrictEqual(outcome, {
      _tag: "StuckCapReached",
      action: "RunReviews",
      key: "low/target-changed/max-batches"
    })
  })
})

describe("a signal", () => {
  it("of a user first records what ended just now", async () => {
    const tags = await onMachine(Effect.gen(function*() {
      const { fire, witness } = yield* World
      // The signal comes with the launch, before the step looked at its reviewers.
      const signal = Effect.andThen(fire("SIGINT"), Effect.repeat(Effect.yieldNow, { times: 10 }))
      yield* Ref.set(
        witness,
        (call, when) => call === "Reviewers.launch" && when === "after" ? Effect.asVoid(signal) : Effect.void
      )
      return yield* tagsOf((yield* step()).run)
    }))
    assert.deepStrictEqual(tags.slice(2), [["ReviewFinished", "ReviewFinished", "BatchCompleted"], ["StepAborted"]])
  })

  it("ends two steps at once, each with its own record", async () => {
    const { outcomes, tags } = await onMachine(
      Effect.gen(function*() {
        const { fire } = yield* World
        const { run } = yield* step({ stepTimeout: 100 })
        const fibers = yield* Effect.all([Effect.forkChild(step()), Effect.forkChild(step())])
        yield* Effect.sleep(500)
        yield* fire("SIGINT")
        const results = yield* Effect.all(fibers.map((fiber) => Fiber.join(fiber)))
        return { outcomes: results.map(({ outcome }) => outcome._tag), tags: (yield* tagsOf(run)).flat() }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual(outcomes, ["DoneAborted", "DoneAborted"])
    assert.lengthOf(tags.filter((tag) => tag === "StepAborted"), 2)
    assert.lengthOf(tags.filter((tag) => tag === "ReviewStopped"), 2)
  })
})

describe("a user who watches", () => {
  it("has the view removed at the end, however the step ends", async () => {
    let cleared = 0
    const watcher = { ...silent, clear: Effect.sync(() => void cleared++) }
    await onMachine(Effect.provideService(step(), Progress, watcher))
    assert.strictEqual(cleared, 1)
  })
})
