// OpenRun: which run is continued, which is created and why, which calls fit which runs, and what is refused.
import { Deferred, Effect, Fiber, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../../src/code/Git.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { CallWords } from "../../../src/step/CallLine.ts"
import type { Event } from "../../../src/run/Event.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { Run } from "../../../src/run/Run.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import {
  checkFits,
  currentRun,
  isFixedPointStale,
  locate,
  type OpenMode,
  openRun,
  trustedCommit
} from "../../../src/step/OpenRun.ts"
import { Memory } from "../../../src/testing.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { batchCompleted, batchStarted, created, finished, given, opened, runRef, started } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

type Settings = ReturnType<typeof Invocation.make>["settings"]

const settings = (others: Partial<Settings> = {}): Settings =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 1, ...others }).settings

const open = (
  mode: OpenMode,
  others: Partial<Settings> = {},
  ready = (_: Run | null): Effect.Effect<void> => Effect.void
) => Effect.flatMap(locate(settings(others), "/repo"), (located) => openRun(settings(others), located, mode, ready))

/** Stores the current run of the target, with these lines after its creation. */
const existing = Effect.fnUntraced(function*(...lines: ReadonlyArray<ReadonlyArray<Event>>) {
  const [store, log] = [yield* RunStore, yield* EventLog]
  yield* store.create(runRef())
  let head = yield* log.create(reviewRun, runRef(), [created()])
  for (const events of lines) head = yield* log.append(reviewRun, runRef(), head, events)
  yield* store.point(runRef())
  return head
})

const code = identityOf("code-1", null)

const fixedPoint: ReadonlyArray<Event> = [
  batchStarted({ size: 1, identity: code }),
  started(),
  finished("Clean"),
  batchCompleted(code),
  { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }
]

/** Why the run was created, and which run it replaced. */
const because = ({ previous, run }: { readonly run: Run; readonly previous: Run | null }) =>
  EventLog.use((log) => log.read(reviewRun, run.ref)).pipe(
    Effect.map(({ commits }) => {
      const [first] = commits[0]?.events ?? []
      return {
        because: first?._tag === "RunCreated" ? first.because : null,
        previous: previous === null ? null : previous.ref.runId
      }
    })
  )

describe("a strict call", () => {
  it("by a step replaces a run that is not strict", () =>
    onMachine(Effect.gen(function*() {
      yield* existing()
      const opened = yield* open("loop", { strict: true })
      assert.deepStrictEqual(yield* because(opened), { because: "StrictnessMismatch", previous: created().runId })
      assert.isDefined(opened.run.manifest.strict)
      assert.strictEqual((yield* open("loop", { strict: true })).run.ref.runId, opened.run.ref.runId)
    })))

  it("by a mark opens no run", () =>
    onMachine(Effect.gen(function*() {
      const error = yield* Effect.flip(open("mark", { strict: true }))
      assert.strictEqual(error._tag, "StrictnessRefused")
    })))
})

describe("a strict call at another level than the start of its target's run", () => {
  const strictRun = (...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
    Effect.gen(function*() {
      const [store, log] = [yield* RunStore, yield* EventLog]
      yield* store.create(runRef())
      let head = yield* log.create(reviewRun, runRef(), [created({ strict: true })])
      for (const events of lines) head = yield* log.append(reviewRun, runRef(), head, events)
      yield* store.point(runRef())
    })
  const began = [batchStarted({ size: 1, identity: code }), started()]
  const opening = (lines: ReadonlyArray<ReadonlyArray<Event>>, words: ReadonlyArray<string> | null) =>
    onMachine(
      Effect.andThen(
        strictRun(...lines),
        Effect.match(open("loop", { strict: true, floor: "medium" }), {
          onFailure: (error) => error.message,
          onSuccess: ({ previous }) => previous?.ref.runId ?? null
        })
      ).pipe(Effect.provideService(CallWords, words))
    )
  const refused = `run ${created().runId} of this target began at low and is not finished: `

  it("is refused while that run is unfinished, with the commands that continue and start again", async () => {
    const words = ["--uncommitted", "--strict", "--level", "medium", "--state-root", "a b"]
    assert.strictEqual(
      await opening([began], words),
      `${refused}continue it [ooda-codex-review --uncommitted --strict --state-root 'a b' --level low], or begin a ` +
        "new run [ooda-codex-review --uncommitted --strict --level medium --state-root 'a b' --fresh]"
    )
    const advice = "add --level low to continue it, or --fresh to begin a new run"
    for (const unknown of [null, ["x".repeat(2001)]]) {
      assert.strictEqual(await opening([began], unknown), refused + advice)
    }
  })

  it("replaces a run without a batch, about other code, or at its fixed point", async () => {
    const other = [batchStarted({ size: 1, identity: identityOf("code-0", null) }), started(), finished("Clean")]
    for (const lines of [[], [other], [fixedPoint]]) {
      assert.strictEqual(await opening(lines, null), created().runId)
    }
  })
})

describe("an existing run", () => {
  it.each(["loop", "mark", "fresh"] as const)(
    "without a pointer is ended by %s, and is the current run for a stop",
    async (mode) => {
      const { current, previousRuns, why } = await onMachine(Effect.gen(function*() {
        const store = yield* RunStore
        yield* existing([batchStarted({ size: 1 }), started()])
        yield* store.point({ ...runRef(), runId: "20290101T000000Z-000000001-p1" })
        const current = yield* Effect.flatMap(locate(settings(), "/repo"), currentRun)
        const previousRuns: Array<string | null> = []
        const opened = yield* open(
          mode,
          {},
          (previous) => Effect.sync(() => void previousRuns.push(previous?.ref.runId ?? null))
        )
        return { current, previousRuns, why: yield* because(opened) }
      }))
      assert.deepStrictEqual([current?.ref, previousRuns], [runRef(), [runRef().runId]])
      assert.deepStrictEqual(why, { because: mode === "fresh" ? "Forced" : "LatestDangling", previous: runRef().runId })
    }
  )
})

describe("work before a run is replaced", () => {
  it("prevents the replacement if it fails", async () => {
    const runs = await onMachine(Effect.gen(function*() {
      yield* existing()
      yield* Effect.flip(
        Effect.flatMap(
          locate(settings(), "/repo"),
          (located) => openRun(settings(), located, "fresh", () => Effect.fail("not ready"))
        )
      )
      return yield* (yield* RunStore).list("/state", null)
    }))
    assert.deepStrictEqual(runs, [runRef()])
  })
})

describe("calls that open a target at once", () => {
  it("share the run that the first of them creates", async () => {
    const { ids, runs } = await onMachine(Effect.gen(function*() {
      const ready = yield* Deferred.make<void>()
      const fibers = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.forkChild(open("loop", {}, () => Deferred.await(ready)))
      )
      yield* Effect.sleep(100)
      yield* Deferred.succeed(ready, undefined)
      const opened = yield* Effect.forEach(fibers, Fiber.join)
      return { ids: opened.map(({ run }) => run.ref.runId), runs: yield* (yield* RunStore).list("/state", null) }
    }))
    assert.deepStrictEqual([new Set(ids).size, runs.length], [1, 1])
  })

  it.each([[true, []], [false, [runRef().runId]]])(
    "do not touch a run that another process is creating, and end one that lost its pointer: %s",
    async (pointed, left) => {
      const replaced = await onMachine(Effect.gen(function*() {
        const [store, log] = [yield* RunStore, yield* EventLog]
        const creating = Effect.gen(function*() {
          yield* store.create(runRef())
          yield* log.create(reviewRun, runRef(), [created()])
          yield* Effect.sleep(100)
          if (pointed) yield* store.point(runRef())
        })
        const creator = yield* Effect.forkChild(store.locked(runRef(), creating))
        yield* Effect.sleep(50)
        const replaced: Array<string> = []
        const opened = yield* open("loop", {}, (run) =>
          Effect.sync(() => {
            if (run !== null) replaced.push(run.ref.runId)
          }))
        yield* Fiber.join(creator)
        assert.strictEqual(opened.run.ref.runId === runRef().runId, pointed)
        return replaced
      }))
      assert.deepStrictEqual(replaced, left)
    }
  )
})

it("the latest run stays another process's that set it meanwhile, after this one's lock was lost", async () => {
  const other = { ...runRef(), runId: "20990101T000000Z-000000001-p1" }
  const runStore = Layer.effect(
    RunStore,
    Effect.map(RunStore, (store) =>
      RunStore.of({
        ...store,
        create: (ref) => Effect.andThen(store.create(ref), Effect.andThen(store.create(other), store.point(other)))
      }))
  ).pipe(Layer.provide(Memory.runStore))
  const [opened, latest] = await onMachine(
    Effect.gen(function*() {
      const { run } = yield* open("loop")
      return [run, yield* (yield* RunStore).latest(run.ref)] as const
    }),
    { runStore }
  )
  assert.notStrictEqual(opened.ref.runId, other.runId)
  assert.isTrue(latest._tag === "Run" && latest.run.runId === other.runId, latest._tag)
})

describe("a head that the caller expects", () => {
  it("belongs to the run that is continued, or that `--fresh` leaves", async () => {
    const opening = (mode: OpenMode, seq: number, others: Partial<Settings> = {}) =>
      onMachine(Effect.gen(function*() {
        const head = yield* existing()
        const expectHead = { ...head, seq }
        return yield* Effect.match(open(mode, { ...others, expectHead }), {
          onFailure: (error) => error._tag,
          onSuccess: ({ previous }) => previous === null ? "resumed" : "replaced"
        })
      }))
    assert.strictEqual(await opening("loop", 1), "resumed")
    assert.strictEqual(await opening("loop", 2), "HeadMoved")
    assert.strictEqual(await opening("fresh", 1), "replaced")
    assert.strictEqual(await opening("fresh", 2), "HeadMoved")
    assert.strictEqual(await opening("mark", 1, { floor: "medium" }), "HeadMoved")
  })
})

describe("strictness", () => {
  const settings = (given: object) => Invocation.make({ target: { _tag: "Uncommitted" }, ...given }).settings

  const said = (strictRun: boolean, given1: object, isMark: boolean) =>
    Effect.runSync(
      Effect.match(checkFits(given([created(strictRun ? { strict: true } : {})]), settings(given1), isMark), {
        onFailure: ({ message }) => message,
        onSuccess: () => null
      })
    )

  describe("a call", () => {
    it("that is not strict does not work on a strict run", () => {
      for (const isMark of [true, false]) {
        assert.strictEqual(said(true, {}, isMark), "this run is strict: repeat --strict")
        assert.isNull(said(true, { strict: true }, isMark))
        assert.isNull(said(false, {}, isMark))
      }
    })

    it("does not continue a strict run whose reviews read the worktree itself", () => {
      const { frozen: _, ...older } = created({ strict: true })
      const refused = Effect.runSync(Effect.flip(checkFits(given([older]), settings({ strict: true }), false)))
      assert.match(refused.message, /was begun by an earlier version, .*: open another run with --fresh$/)
    })

    it("that is a strict mark needs a strict run with its floor", () => {
      const strict = { strict: true }
      assert.strictEqual(said(false, strict, true), "this run is not strict: a step with --strict opens one that is")
      assert.strictEqual(
        said(true, { strict: true, floor: "medium" }, true),
        "this run begins at low: repeat --level low"
      )
      assert.isNull(said(false, strict, false))
      assert.isNull(said(true, { strict: true, floor: "medium" }, false))
    })

    it("only trusts what the run trusted from its start", () => {
      const trusting = (recorded: string | null, trustFrom: string | null, isMark = false) => {
        const run = given([created({ strict: true, ...(recorded === null ? {} : { trustFrom: recorded }) })])
        return Effect.runSync(Effect.match(checkFits(run, settings({ strict: true, trustFrom }), isMark), {
          onFailure: ({ message }) => message,
          onSuccess: () => null
        }))
      }
      for (const isMark of [true, false]) {
        assert.isNull(trusting("main", "main", isMark))
        assert.isNull(trusting(null, null, isMark))
        for (const other of [null, "release"]) {
          assert.strictEqual(
            trusting("main", other, isMark),
            "this run trusts main: repeat --trust-from main, or open another run with --fresh"
          )
        }
        assert.strictEqual(
          trusting(null, "main", isMark),
          "this run was begun without --trust-from: --fresh opens one that trusts main"
        )
      }
    })
  })

  describe("the commit that a new run trusts", () => {
    const commits: Readonly<Record<string, string>> = {
      main: "1",
      HEAD: "2",
      change: "2",
      ["a".repeat(40)]: "3",
      old: "3"
    }
    const git = Layer.mock(Git)({ commit: (_, name) => Effect.succeed(commits[name] ?? null) })
    const trusting = (trustFrom: string | null, target: object) =>
      Effect.runSync(
        Effect.match(Effect.provide(trustedCommit(settings({ strict: true, trustFrom, target }), "/repo"), git), {
          onFailure: ({ reason }) => reason._tag,
          onSuccess: ({ trustCommit }) => trustCommit
        })
      )

    it("is fixed by its id, and is not the change itself", () => {
      const [base, commit] = [{ _tag: "Base", branch: "main" }, { _tag: "Commit", sha: "a".repeat(40) }]
      assert.isUndefined(trusting(null, base))
      assert.strictEqual(trusting("main", base), "1")
      assert.strictEqual(trusting("HEAD", { _tag: "Uncommitted" }), "2")
      assert.strictEqual(trusting("HEAD", commit), "2")
      for (const [call, target] of [["HEAD", base], ["change", base], ["old", commit]] as const) {
        assert.strictEqual(trusting(call, target), "TrustsTheChange")
      }
      assert.strictEqual(trusting("nowhere", base), "TrustsNoCommit")
    })
  })

  describe("a fixed point", () => {
    const fixedPoint = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" } as const
    const lines = (code: string): ReadonlyArray<ReadonlyArray<Event>> => [
      [batchStarted({ size: 1, identity: identityOf(code, null) }), started(), finished("Clean")],
      [{ _tag: "BatchCompleted", level: "low", batch: 1, identity: identityOf(code, null) }]
    ]
    const stale = (...after: ReadonlyArray<ReadonlyArray<Event>>) =>
      onMachine(isFixedPointStale(given([created({ strict: true })], ...after)))

    it("is stale if its own batch saw other code than the present one, wherever the run is", async () => {
      assert.isTrue(await stale(...lines("code-0"), [fixedPoint]))
      assert.isFalse(await stale(...lines("code-1"), [fixedPoint]))
      const elsewhere = batchStarted({ level: "medium", size: 1, identity: identityOf("code-0", null) })
      assert.isFalse(await stale(...lines("code-1"), [opened("medium", 1), elsewhere], [fixedPoint]))
    })

    it("that does not exist is not stale", async () => assert.isFalse(await stale(...lines("code-0"))))
  })
})
