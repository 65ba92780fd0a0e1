// Loop.time: when a failed review is retried, a living one is ended and a sleeping step wakes, under virtual time.
// All times are the log's own, on a clock that only the test moves.
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { assert, describe, it, vi } from "vitest"
import { Invocation, Ooda } from "../../../src/index.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { backoff } from "../../../src/review/Start.ts"
import type { EventOf } from "../../../src/run/Event.ts"
import type { FailureKind } from "../../../src/run/FailureKind.ts"
import type { AttemptRef } from "../../../src/run/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { Memory, Scripted, System } from "../../../src/testing.ts"
import { World } from "../../../src/testing/World.ts"

const minute = 60_000

// Virtual time takes real time too, on a busy machine.
vi.setConfig({ testTimeout: minute })

// Virtual time moves by at least 100 ms, and as much again may pass until a look.
const grain = 200

type Logged = { readonly at: number } & EventOf<"ReviewStarted" | "ReviewFailed" | "ReviewFinished">

/**
 * One step over scripted reviewers, after others with the step timeouts `before` in milliseconds: its
 * outcome, and what the log says of each slot.
 */
const stepped = async (
  script: (attempt: AttemptRef) => Scripted.Scripted,
  options: Parameters<typeof Invocation.make>[0],
  reviewers?: Layer.Layer<Reviewers, never, World>,
  before: ReadonlyArray<number> = []
) => {
  const machine = System.start(Memory.layer({ script, ...(reviewers === undefined ? {} : { reviewers }) }))
  try {
    const exit = await machine.run(Effect.gen(function*() {
      for (const stepTimeout of before) {
        const { outcome } = yield* Ooda.step(Invocation.make({ ...options, stepTimeout }), "/repo", {})
        assert.strictEqual(outcome._tag, "Idle")
      }
      const { outcome, run } = yield* Ooda.step(Invocation.make(options), "/repo", {})
      const { commits } = yield* EventLog.use((log) => log.read(reviewRun, run?.ref ?? assert.fail("no run")))
      const events = commits.flatMap(({ at, events }) =>
        events.flatMap((event): ReadonlyArray<Logged> =>
          event._tag === "ReviewStarted" || event._tag === "ReviewFailed" || event._tag === "ReviewFinished"
            ? [{ ...event, at: Date.parse(at) }]
            : []
        )
      )
      return { outcome, events, of: (slot: number) => events.filter((event) => event.slot === slot) }
    }))
    return Exit.getSuccess(exit).pipe(Option.getOrThrow)
  } finally {
    await machine.dispose()
  }
}

/** The pauses between each failure of a slot and its next start, in milliseconds. */
const pauses = (events: ReadonlyArray<Logged>): ReadonlyArray<number> =>
  events.flatMap((event, i) => {
    const before = events[i - 1]
    return event._tag === "ReviewStarted" && before !== undefined ? [event.at - before.at] : []
  })

const one = { target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 1 } as const

describe("a transient failure", () => {
  it("is retried after 2 s, doubled each time, plus up to half", async () => {
    const { events, outcome } = await stepped(() => Scripted.transientFailure(), { ...one, retries: 5 })
    assert.strictEqual(outcome._tag, "BinaryError")
    const waited = pauses(events)
    assert.lengthOf(waited, 5)
    waited.forEach((pause, i) => {
      assert.isAtLeast(pause, 2000 * 2 ** i)
      assert.isAtMost(pause, 3000 * 2 ** i + grain)
    })
  })

  it("of many slots at once is retried at different times", async () => {
    const { of, outcome } = await stepped(
      ({ attempt }) => attempt === 1 ? Scripted.transientFailure() : Scripted.clean(),
      { ...one, batchSize: 16 }
    )
    assert.strictEqual(outcome._tag, "DoneFixedPoint")
    const waited = Array.from({ length: 16 }, (_, i) => pauses(of(i + 1))).flat()
    assert.lengthOf(waited, 16)
    assert.isAtLeast(new Set(waited).size, 4)
    for (const pause of waited) assert.isTrue(pause >= 2000 && pause <= 3000 + grain, `${pause}`)
  })

  it("is retried at most --retries times, and never with 0", async () => {
    for (const retries of [0, 1, 2]) {
      const { events } = await stepped(() => Scripted.transientFailure(), { ...one, retries })
      assert.lengthOf(events.filter(({ _tag }) => _tag === "ReviewStarted"), retries + 1)
    }
  })

  it("waits its full time even if steps come and go", async () => {
    const { events, outcome } = await stepped(
      ({ attempt }) => attempt === 1 ? Scripted.transientFailure() : Scripted.clean(),
      one,
      undefined,
      [500, 500]
    )
    assert.strictEqual(outcome._tag, "DoneFixedPoint")
    const [pause = 0] = pauses(events)
    assert.isTrue(pause >= 2000 && pause <= 3000 + grain, `${pause}`)
  })

  it("ends with the review of the successful attempt, and restarts no other slot", async () => {
    const { of, outcome } = await stepped(
      ({ attempt, slot }) => slot === 2 && attempt < 3 ? Scripted.transientFailure(500) : Scripted.clean(90_000),
      { ...one, batchSize: 3 }
    )
    assert.strictEqual(outcome._tag, "DoneFixedPoint")
    const starts = [1, 2, 3].map((slot) => of(slot).filter(({ _tag }) => _tag === "ReviewStarted").length)
    assert.deepEqual(starts, [1, 3, 1])
  })
})

describe("a permanent failure", () => {
  const said: ReadonlyArray<readonly [FailureKind, string]> = [
    ["NotLoggedIn", "ERROR: unexpected status 401 Unauthorized: Missing bearer, url: http://127.0.0.1/v1/responses"]
  ]
  for (const [kind, message] of said) {
    it(`(${kind}) is never retried, whatever the retries`, async () => {
      const failure = { ...Scripted.failure(), log: `${message}\n` }
      const { events } = await stepped(() => failure, { ...one, retries: 9 })
      assert.deepEqual(events.map(({ _tag }) => _tag), ["ReviewStarted", "ReviewFailed"])
      assert.deepInclude(events[1], { kind, transient: false })
    })
  }

  it("of a program that cannot be run is never retried", async () => {
    const { events } = await stepped(() => ({ ...Scripted.failure(), exit: 127, log: "sh: not found\n" }), one)
    assert.deepEqual(events.map(({ _tag }) => _tag), ["ReviewStarted", "ReviewFailed"])
    assert.deepInclude(events[1], { kind: "MissingBinary", transient: false })
  })
})

describe("the pause before an attempt", () => {
  it("stops growing, so that many retries do not wait for days", () =>
    assert.isAtMost(Math.max(...[7, 8, 20, 1000].map((tries) => backoff(tries, "9:2030"))), 200_000))
})

/** Scripted reviewers, but as if codex waited for its network from `from` ms after their start. */
const offline = (from: number): Layer.Layer<Reviewers, never, World> =>
  Layer.effect(
    Reviewers,
    Effect.map(Reviewers, (codex) =>
      Reviewers.of({
        ...codex,
        look: (attempts, options) =>
          Effect.map(codex.look(attempts, options), (all) =>
            all.map((sighting): ReviewerState =>
              sighting._tag === "Alive"
                ? { ...sighting, waitingForNetwork: Math.max(0, sighting.silentFor - from) }
                : sighting
            ))
      }))
  ).pipe(Layer.provide(Memory.reviewers))

describe("a living reviewer", () => {
  const testing = { ...Scripted.silence, log: "user\ncurrent changes\nexec\n/bin/bash -lc 'npm test' in /repo\n" }
  const ended = async (options: Partial<Parameters<typeof Invocation.make>[0]>, codex?: ReturnType<typeof offline>) => {
    const { events, outcome } = await stepped(() => testing, { ...one, ...options }, codex)
    assert.strictEqual(outcome._tag, "BinaryError")
    const [start, failure] = events
    assert.lengthOf(events, 2)
    return { after: (failure?.at ?? 0) - (start?.at ?? 0), failure }
  }
  const said = (event: Logged | undefined) => event?._tag === "ReviewFailed" ? event.message : ""
  const about = (actual: number, expected: number) => {
    assert.isAtLeast(actual, expected)
    // Virtual time moves in steps of a hundredth.
    assert.isAtMost(actual, expected * 1.02 + grain)
  }

  it("without progress is ended after --idle-timeout and not retried", async () => {
    const { after, failure } = await ended({ idleTimeout: 20 * minute })
    about(after, 20 * minute)
    assert.deepInclude(failure, { kind: "Idle", transient: false })
    assert.match(said(failure), /^Idle: no progress for 20m0\ds; last seen: \$ npm test \(/)
  })

  it("that waits for the network is ended after five minutes", async () => {
    const { after, failure } = await ended({}, offline(2 * minute))
    about(after, 7 * minute)
    assert.deepInclude(failure, { kind: "NetworkWait", transient: false })
    assert.match(said(failure), /^NetworkWait: waited 5m0\ds for the network \(.*check the connection/)
  })

  it("that reaches the idle limit while it waits for the network failed because of the network", async () => {
    const { after, failure } = await ended({ idleTimeout: minute }, offline(1000))
    about(after, minute)
    assert.deepInclude(failure, { kind: "NetworkWait", transient: false })
  })

  it("that never ends reaches its deadline", async () => {
    const { after, failure } = await ended({ reviewTimeout: 3 * minute })
    about(after, 3 * minute)
    assert.deepInclude(failure, { kind: "Deadline", transient: false })
    assert.match(said(failure), /^Deadline: the reviewer ran into its deadline; last seen: \$ npm test \(/)
  })
})

describe("a step that sleeps", () => {
  // Virtual time takes real time too, on a busy machine.
  vi.setConfig({ testTimeout: 60_000 })

  const settings = { target: { _tag: "Uncommitted" }, ceiling: "low" } as const

  // Virtual time moves by 100 ms at first, and by 150 ms after fifteen seconds of waiting.
  const soon = 300

  /** Steps one after the other, over three reviewers that end after 5, 10 and 15 s; the outcome and time of each. */
  const steps = async (...options: ReadonlyArray<Partial<Parameters<typeof Invocation.make>[0]>>) => {
    const machine = System.start(Memory.layer({ script: ({ slot }) => Scripted.clean(slot * 5000) }))
    try {
      const exit = await machine.run(Effect.gen(function*() {
        const begun = yield* Clock.currentTimeMillis
        return yield* Effect.forEach(options, (more) =>
          Effect.gen(function*() {
            const invocation = Invocation.make({ ...settings, ...more })
            const { outcome } = yield* Ooda.step(invocation, "/repo", { OODA_AWAIT_SECS: "30" })
            return { outcome: outcome._tag, at: (yield* Clock.currentTimeMillis) - begun }
          }))
      }))
      return Exit.getSuccess(exit).pipe(Option.getOrThrow)
    } finally {
      await machine.dispose()
    }
  }

  describe("with a poll interval of 30 s", () => {
    it("a step ends as soon as the last of its reviewers ended", async () => {
      const [only] = await steps({})
      assert.strictEqual(only?.outcome, "DoneFixedPoint")
      assert.isAtLeast(only?.at ?? 0, 15_000)
      assert.isAtMost(only?.at ?? 0, 15_000 + soon)
    })

    it("so does a step that waits for the reviewers of an earlier one", async () => {
      const [first, second] = await steps({ stepTimeout: 7000 }, {})
      assert.strictEqual(first?.outcome, "Idle")
      assert.isAtMost(first?.at ?? 0, 7000 + soon)
      assert.strictEqual(second?.outcome, "DoneFixedPoint")
      assert.isAtMost(second?.at ?? 0, 15_000 + soon)
    })

    it("reviewers that end one by one do not use up iterations", async () => {
      // To start, to wait, to decide.
      const [only] = await steps({ maxIter: 3 })
      assert.strictEqual(only?.outcome, "DoneFixedPoint")
    })
  })
})
