// Start: which slots start for which cause, what is recorded before anything runs, and what is refused.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { refused as codeRefused, refused } from "../../../src/code/CodeFailed.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { RunCause } from "../../../src/run/Decide.ts"
import { assess } from "../../../src/run/Batch.ts"
import { noneWaived } from "../../../src/run/Cover.ts"
import type { Event } from "../../../src/run/Event.ts"
import { BranchName, PrNumber } from "../../../src/run/Target.ts"
import { backoff, inputOf, startAlone, startDue, startReviews, TargetRefused } from "../../../src/review/Start.ts"
import { CodexMissing, Reviewers } from "../../../src/review/Reviewers.ts"
import { Memory, World } from "../../../src/testing.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { Git } from "../../../src/code/Git.ts"
import { batchCompleted, batchFailed, batchStarted, failed, finished, started, stopped } from "../run/events.ts"
import { byAnother, lines, onMachine, opened, openedFor, openedStrict } from "../run/opened.ts"

const starting = (given: object = {}) => ({
  settings: Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 3, ...given }).settings,
  cwd: "/repo"
})

const launched = World.use(({ reviewers }) =>
  Effect.map(Ref.get(reviewers), (all) => all.map(({ attempt }) => [attempt.slot, attempt.attempt]))
)

/** The reviewers started for a cause in a run with this line: slots with their attempts, and the recorded tags. */
const startedFor = (cause: RunCause, before: ReadonlyArray<Event>, given: object = {}, options: Memory.Options = {}) =>
  onMachine(
    Effect.gen(function*() {
      const run = yield* before.length === 0 ? opened() : opened(before)
      const after = yield* startReviews(run, { cause }, starting(given))
      const [line = []] = (yield* lines).slice(before.length === 0 ? 0 : 1)
      return { after, launched: yield* launched, line, tags: line.map(({ _tag }) => _tag) }
    }),
    options
  )

const three = [
  batchStarted({ size: 3 }),
  started(),
  started({ slot: 2, id: "id-2" }),
  started({ slot: 3, id: "id-3" })
]

describe("reviews start", () => {
  it("for all slots of a new batch, once the log has recorded it", async () => {
    const { after, launched, line, tags } = await startedFor("not-started", [])
    assert.deepStrictEqual(tags, ["BatchStarted", "ReviewStarted", "ReviewStarted", "ReviewStarted"])
    assert.deepInclude(line[0], { _tag: "BatchStarted", level: "low", batch: 1, size: 3, base: null })
    assert.deepStrictEqual(launched, [[1, 1], [2, 1], [3, 1]])
    assert.strictEqual(after.head.seq, 2)
  })

  it("for failed slots only, as a new attempt each", async () => {
    const before = [...three, failed(), finished("Clean", { slot: 2 }), failed({ slot: 3 }), batchFailed([1, 3])]
    const { launched, tags } = await startedFor("failed-slots", before)
    assert.deepStrictEqual([launched, tags], [[[1, 2], [3, 2]], ["ReviewStarted", "ReviewStarted"]])
  })

  it("for stopped slots only", async () => {
    const before = [...three, finished("Clean"), stopped({ slot: 2 }), stopped({ slot: 3 })]
    const { launched } = await startedFor("stopped-slots", before)
    assert.deepStrictEqual(launched, [[2, 2], [3, 2]])
  })

  it("in the next batch of the level if the code changed", async () => {
    const { line, tags } = await startedFor("target-changed", [...three, finished("Clean")], { batchSize: 1 })
    assert.deepStrictEqual(tags, ["BatchOpened", "BatchStarted", "ReviewStarted"])
    assert.deepInclude(line[0], { _tag: "BatchOpened", level: "low", batch: 2, from: "low", cause: "TargetChanged" })
    assert.deepInclude(line[1], { _tag: "BatchStarted", batch: 2, size: 1 })
  })

  it("in a strict run at the uncovered level, unless the code changed since that was decided", async () => {
    const begun = (code: string) =>
      onMachine(Effect.gen(function*() {
        const identity = identityOf(code, null)
        const low = [batchStarted({ size: 1, identity }), started(), finished("Clean"), batchCompleted(identity)]
        const run = yield* openedStrict(low)
        const after = yield* startReviews(run, { cause: "stale", level: "medium", waived: noneWaived }, starting())
        return after === run ? [] : (yield* lines).at(-1)?.map(({ _tag }) => _tag).slice(0, 2)
      }))
    assert.deepStrictEqual(await begun("code-1"), ["BatchOpened", "BatchStarted"])
    assert.deepStrictEqual(await begun("code-0"), [])
  })

  it("read-only, with the level as effort", async () => {
    const { line: [first] } = await startedFor("not-started", [])
    assert.deepInclude(first, {
      argv: ["review", "--uncommitted", "-c", `model_reasoning_effort="low"`, "-c", `sandbox_mode="read-only"`]
    })
  })

  it("up to the number of jobs", async () => {
    const { after, launched } = await startedFor("not-started", [], { jobs: 2 })
    assert.deepStrictEqual(launched, [[1, 1], [2, 1]])
    const { batch } = after.manifest
    assert.strictEqual(batch._tag === "Started" ? batch.slots[2]?._tag : "", "Queued")
  })

  it("for a pull request against GitHub's base, which is kept with the batch", async () => {
    const target = { _tag: "PullRequest", number: PrNumber.make(7) } as const
    const [first] = await onMachine(
      Effect.gen(function*() {
        yield* startReviews(yield* openedFor(target), { cause: "not-started" }, starting({ target }))
        return (yield* lines).flat()
      }),
      { gitHub: Memory.gitHub({ 7: BranchName.make("trunk") }) }
    )
    assert.deepInclude(first, { _tag: "BatchStarted", base: BranchName.make("trunk") })
    const { argv = [] } = first?._tag === "BatchStarted" ? first : {}
    assert.deepStrictEqual(argv.slice(0, 3), ["review", "--base", "trunk"])
  })
})

describe("a due slot", () => {
  const dueAfter = (before: ReadonlyArray<Event>, millis: number, given: object = {}) =>
    onMachine(Effect.gen(function*() {
      const run = yield* opened(before)
      yield* Effect.sleep(millis)
      const after = yield* startDue(run, starting(given))
      return { launched: yield* launched, same: after === run }
    }))
  const waiting = [...three, failed({ transient: true }), finished("Clean", { slot: 2 })]

  it("is queued, if a job is free", async () => {
    const held = [batchStarted({ size: 2 }), started()]
    assert.deepInclude(await dueAfter(held, 0, { jobs: 1 }), { launched: [], same: true })
    assert.deepInclude(await dueAfter(held, 0, { jobs: 2 }), { launched: [[2, 1]], same: false })
  })

  it("had a transient failure whose pause is over", async () => {
    assert.deepInclude(await dueAfter(waiting, 1500), { launched: [], same: true })
    assert.deepInclude(await dueAfter(waiting, 3100), { launched: [[1, 2]], same: false })
  })

  it("has an attempt that never began, without a pause", async () => {
    const unstarted = [...three, failed({ kind: "Unstarted", transient: true })]
    assert.deepInclude(await dueAfter(unstarted, 0), { launched: [[1, 2]] })
  })

  it("does not exist if the private repository is gone: the batch is stopped", async () => {
    const isolated = [batchStarted({ size: 2, isolated: "/private" }), started()]
    const gone = Memory.git({ isIsolated: () => Effect.succeed(false) })
    const { left, ran, written } = await onMachine(
      Effect.gen(function*() {
        const { manifest } = yield* startDue(yield* opened(isolated), starting({ jobs: 2 }))
        return { left: assess(manifest.batch, 2)._tag, ran: yield* launched, written: (yield* lines).at(-1) }
      }),
      { git: gone }
    )
    assert.deepStrictEqual([left, ran], ["Interrupted", []])
    assert.deepInclude(written?.[0], { _tag: "ReviewStopped", slot: 1, cause: "TargetChanged" })
  })

  it("did not use up its retries, and did not fail permanently", async () => {
    assert.deepInclude(await dueAfter(waiting, 60_000, { retries: 0 }), { launched: [], same: true })
    assert.deepInclude(await dueAfter([...three, failed()], 60_000), { launched: [], same: true })
  })

  it("does not exist before the batch is started", async () =>
    assert.isTrue(
      await onMachine(Effect.gen(function*() {
        const run = yield* opened()
        return (yield* startDue(run, starting())) === run
      }))
    ))
})

describe("the pause before another attempt", () => {
  it("doubles, and has up to half of it added", () => {
    for (const tries of [1, 2, 3, 7]) {
      const pause = backoff(tries, "1:2030")
      assert.isTrue(pause >= 2000 * 2 ** (tries - 1) && pause <= 3000 * 2 ** (tries - 1), `${pause}`)
    }
    assert.strictEqual(backoff(8, "1:2030"), backoff(7, "1:2030"))
  })
})

describe("nothing is recorded", () => {
  const refused = async (given: object, options: Memory.Options) => {
    const { error, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened()
        return {
          error: yield* Effect.flip(startReviews(run, { cause: "not-started" }, starting(given))),
          written: yield* lines
        }
      }),
      options
    )
    assert.deepStrictEqual(written, [])
    return error
  }

  it("if codex is missing", async () => {
    const reviewers = Layer.effect(
      Reviewers,
      Effect.map(Reviewers, (all) =>
        Reviewers.of({
          ...all,
          locate: (binary) => Effect.fail(new CodexMissing({ binary, reason: { _tag: "NameEmpty" } }))
        }))
    ).pipe(Layer.provide(Memory.reviewers))
    assert.instanceOf(await refused({}, { reviewers }), CodexMissing)
  })

  it("if the target is refused", async () => {
    const git = Memory.git({ targetProblem: () => Effect.succeed({ _tag: "NothingUncommitted" }) })
    assert.instanceOf(await refused({ strictTarget: true }, { git }), TargetRefused)
  })

  it("in a strict run if the target is refused, or the code is unknown", async () => {
    const strictly = (git: Parameters<typeof Memory.git>[0]) =>
      onMachine(
        Effect.gen(function*() {
          const error = yield* Effect.flip(startReviews(yield* openedStrict(), { cause: "not-started" }, starting()))
          return { error, spawned: yield* launched }
        }),
        { git: Memory.git(git) }
      )
    const nothing = await strictly({ targetProblem: () => Effect.succeed({ _tag: "NothingUncommitted" }) })
    assert.deepStrictEqual([nothing.error._tag, nothing.spawned], ["TargetRefused", []])
    const unknown = await strictly({ isolate: () => Effect.fail(codeRefused("git is gone")) })
    assert.deepStrictEqual([unknown.error._tag, unknown.spawned], ["CodeFailed", []])
    assert.include(unknown.error.message, "git is gone")
  })

  it("if another process was first, and nothing is spawned", async () => {
    const { error, spawned } = await onMachine(Effect.gen(function*() {
      const run = yield* opened()
      yield* byAnother(run, [batchStarted()])
      return {
        error: yield* Effect.flip(startReviews(run, { cause: "not-started" }, starting())),
        spawned: yield* launched
      }
    }))
    assert.deepStrictEqual([error._tag, spawned], ["LogConflict", []])
  })
})

describe("a step that isolates", () => {
  const settings = (isolate: boolean) =>
    Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 1, isolate }).settings

  describe("reviewers of a new batch read", () => {
    it("the worktree, or the private repository made from it", () =>
      onMachine(Effect.gen(function*() {
        const run = yield* opened()
        const identity = identityOf("code-1", null)
        assert.deepStrictEqual(yield* inputOf(run, null, settings(false), null), { identity })
        assert.deepStrictEqual(yield* inputOf(run, null, settings(true), null), {
          identity,
          isolated: "/copies/code-1"
        })
      })))

    it("nothing if the copy cannot be made, and no line is written", () =>
      onMachine(Effect.gen(function*() {
        const run = yield* opened()
        const failing = Layer.effect(
          Git,
          Effect.map(
            Git,
            (git) =>
              Git.of({
                ...git,
                isolate: () => Effect.fail(refused("no space"))
              })
          )
        )
        const start = startReviews(run, { cause: "not-started" }, { settings: settings(true), cwd: "/repo" })
        const error = yield* Effect.flip(Effect.provide(start, failing))
        assert.strictEqual(error.message, "no space")
        assert.deepStrictEqual(yield* lines, [])
      })))
  })

  describe("a step that isolates", () => {
    it("decides again if another process committed meanwhile", () =>
      onMachine(Effect.gen(function*() {
        const run = yield* opened()
        assert.strictEqual(yield* startAlone(run, settings(true), Effect.succeed("made")), "made")
        yield* byAnother(run, [batchStarted(), started()])
        const error = yield* Effect.flip(startAlone(run, settings(true), Effect.die("not made")))
        assert.strictEqual(error._tag, "LogConflict")
        assert.strictEqual(yield* startAlone(run, settings(false), Effect.succeed("not isolated")), "not isolated")
      })))
  })
})
