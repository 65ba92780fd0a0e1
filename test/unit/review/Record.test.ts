// Record: the event for a reviewer's state and files, the number of lines for it, and when a batch is complete.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type Limits, maxTranscript, networkTimeout } from "../../../src/review/Limits.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { foresee, isOver, record, reviewEvent } from "../../../src/review/Record.ts"
import type { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Memory, Scripted } from "../../../src/testing.ts"
import { observe } from "../../../src/review/Observe.ts"
import type { Event } from "../../../src/run/Event.ts"
import { differs } from "../../../src/run/Identity.ts"
import { EventLog, LogConflict } from "../../../src/log/EventLog.ts"
import { refused } from "../../../src/code/CodeFailed.ts"
import { Git } from "../../../src/code/Git.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { batchFailed, batchStarted, failed, finished, started, tree } from "../run/events.ts"
import { byAnother, lines, onMachine, opened, tags } from "../run/opened.ts"
import { alive, exited, leaving, looking, recording, unreadable } from "../../support/reviewers.ts"

describe("the event of a reviewer", () => {
  const limits: Limits = { retries: 2, idleTimeout: 60_000 }
  const silent: ReviewerState = { _tag: "Alive", silentFor: 60_000, waitingForNetwork: 0, bytes: 9 }
  const place = { level: "low", batch: 1, slot: 1, attempt: 1 } as const

  interface Options {
    readonly strict?: boolean
    readonly acting?: boolean
    /** The result of a second look, after the reviewer was ended. */
    readonly then?: ReviewerState
    readonly left?: Scripted.Scripted
    readonly files?: Layer.Layer<ReviewFiles>
  }

  /** The event for a reviewer in this state, and the calls to it and its files. */
  const eventOf = async (state: ReviewerState, options: Options = {}) => {
    const { acting = true, files, left = Scripted.clean(), strict, then } = options
    const calls: Array<string> = []
    const note = (what: string) => void calls.push(what)
    let looks = 0
    const event = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened([batchStarted({ size: 1 }), started()])
        const [seen] = yield* observe(run)
        return seen === undefined ? assert.fail("nothing seen") : yield* reviewEvent(seen, limits, acting, strict)
      }),
      {
        reviewers: looking(() => looks++ === 0 ? state : then ?? state, note),
        reviewFiles: files ?? leaving(left, note)
      }
    )
    return { event, calls: calls.slice(1) }
  }

  const kindOf = async (state: ReviewerState, options?: Options) => {
    const { event } = await eventOf(state, options)
    return event?._tag === "ReviewFailed" ? event.kind : event?._tag ?? null
  }

  describe("a living reviewer", () => {
    it("has no event", async () => assert.deepStrictEqual(await eventOf(alive), { event: null, calls: [] }))

    it("past a limit is ended and fails with the limit and its last activity", async () => {
      const left = { ...Scripted.silence, log: "user\ncurrent changes\nexec\n/bin/bash -lc 'npm test' in /repo\n" }
      const { event, calls } = await eventOf(silent, { left, then: exited(143) })
      assert.deepInclude(event, { _tag: "ReviewFailed", ...place, kind: "Idle", exit: null, transient: false })
      assert.match(event?._tag === "ReviewFailed" ? event.message : "", /^Idle: no progress for .*npm test/)
      assert.deepStrictEqual(calls, ["stop 1", "look at 1", "read"])
    })

    it("past a limit is only reported if nothing may be ended", async () => {
      const { event, calls } = await eventOf(silent, { acting: false })
      assert.deepInclude(event, { _tag: "ReviewFailed", kind: "Idle" })
      assert.deepStrictEqual(calls, [])
    })

    it("that answered is ended, and judged like any other; a look does not end it", async () => {
      const answered: ReviewerState = { ...alive, answered: true }
      assert.strictEqual(await kindOf(answered, { then: exited(0) }), "ReviewFinished")
      assert.strictEqual(await kindOf(answered, { then: exited(0), left: Scripted.noReview() }), "NoReview")
      assert.strictEqual(await kindOf(answered, { then: { _tag: "Lost" } }), "Lost")
      assert.deepStrictEqual(await eventOf(answered, { acting: false }), { event: null, calls: [] })
    })

    it("that finishes by itself while it is being ended is judged", async () =>
      assert.strictEqual(await kindOf(silent, { then: exited(0) }), "ReviewFinished"))

    it("that is killed while it is being ended fails with the limit", async () =>
      assert.strictEqual(await kindOf(silent, { then: exited(137) }), "Idle"))

    it("can fail because of its transcript, or of the network", async () => {
      assert.strictEqual(
        await kindOf({ ...alive, bytes: maxTranscript + 1 }, { then: exited(143) }),
        "TranscriptTooLarge"
      )
      assert.strictEqual(
        await kindOf({ ...alive, waitingForNetwork: networkTimeout }, { then: exited(143) }),
        "NetworkWait"
      )
    })
  })

  describe("a reviewer that has ended", () => {
    it("is judged by its files", async () => {
      const { event, calls } = await eventOf(exited(), { left: Scripted.issues(0, "Close the file") })
      assert.deepInclude(event, {
        _tag: "ReviewFinished",
        ...place,
        verdict: "HasIssues",
        findings: 1,
        source: "stdout"
      })
      assert.notProperty(event, "review")
      assert.deepStrictEqual(calls, ["read"])
    })

    it("of a codex version that reviews at another effort does not count in a strict run", async () => {
      const of = async (version: string, strict: boolean) => {
        const { log, ...rest } = Scripted.clean()
        const left = { ...rest, log: log.replace("v0.169.0", version) }
        return kindOf(exited(), { left, strict })
      }
      assert.strictEqual(await of("v0.80.0", true), "OutdatedProgram")
      assert.strictEqual(await of("v0.116.9", true), "OutdatedProgram")
      assert.strictEqual(await of("v0.80.0", false), "ReviewFinished")
      for (const version of ["v0.117.0", "v0.171.0", "v1.0.0"]) {
        assert.strictEqual(await of(version, true), "ReviewFinished", version)
      }
    })

    it("is only read if nothing may be written", async () =>
      assert.deepStrictEqual((await eventOf(exited(), { acting: false })).calls, ["read only"]))

    it("without a review failed", async () =>
      assert.strictEqual(await kindOf(exited(), { left: Scripted.noReview() }), "NoReview"))

    it("past its deadline, or the limit of its transcript, failed, whatever it wrote", async () => {
      assert.strictEqual(await kindOf({ _tag: "Exited", status: 143, deadline: true }), "Deadline")
      assert.strictEqual(await kindOf({ ...exited(143), oversize: true }), "TranscriptTooLarge")
    })

    it("past its deadline failed, although it exited with 0, if only its cut transcript has a review", async () => {
      const left = { after: 0, exit: 0, out: "", log: "codex\nThe change is correct, and I found no issues in it.\n" }
      assert.deepInclude((await eventOf(exited(), { left })).event, { _tag: "ReviewFinished", source: "marker" })
      assert.strictEqual(await kindOf({ _tag: "Exited", status: 0, deadline: true }, { left }), "Deadline")
    })

    it("past its deadline failed even if its transcript cannot be read", async () => {
      const options = { files: unreadable }
      assert.strictEqual(await kindOf({ _tag: "Exited", status: 143, deadline: true }, options), "Deadline")
    })

    it("without a trace is lost, or never started", async () => {
      assert.strictEqual(await kindOf({ _tag: "Lost" }), "Lost")
      assert.strictEqual(await kindOf({ _tag: "Unstarted" }), "Unstarted")
    })

    it("without an exit status counts if codex recorded its review, whoever killed it", async () => {
      const files = recording(Scripted.silence)
      assert.strictEqual(await kindOf({ _tag: "Lost" }, { files }), "ReviewFinished")
      assert.strictEqual(
        await kindOf({ ...alive, answered: true }, { then: { _tag: "Lost" }, files }),
        "ReviewFinished"
      )
      assert.strictEqual(await kindOf(silent, { then: { _tag: "Lost" }, files }), "ReviewFinished")
      assert.strictEqual(await kindOf(silent, { then: { _tag: "Lost" } }), "Idle")
      assert.strictEqual(await kindOf({ _tag: "Lost" }, { files: unreadable }), "Lost")
    })

    it("that answered counts with any exit status once it is ended", async () => {
      const files = recording(Scripted.silence)
      for (const status of [0, 1, 128, 143]) {
        assert.strictEqual(
          await kindOf({ ...alive, answered: true }, { then: exited(status), files }),
          "ReviewFinished"
        )
      }
      assert.strictEqual(await kindOf(exited(1), { files }), "ExitStatus")
    })
  })

  describe("the tokens of a reviewer", () => {
    const usage = { input: 1200, cached: 800, output: 80, reasoning: 20 }
    const usageOf = async (state: ReviewerState, options: Options) => {
      const { event } = await eventOf(state, options)
      return event !== null && "usage" in event ? event.usage : null
    }

    it("are in the event of its end, however it ended", async () => {
      assert.deepStrictEqual(await usageOf(exited(), { left: { ...Scripted.clean(), usage } }), usage)
      assert.deepStrictEqual(await usageOf(exited(), { left: { ...Scripted.noReview(), usage } }), usage)
      const left = { ...Scripted.silence, usage }
      assert.deepStrictEqual(await usageOf({ _tag: "Exited", status: 143, deadline: true }, { left }), usage)
      assert.deepStrictEqual(await usageOf(silent, { left, then: exited(143) }), usage)
    })

    it("are left out if they are unknown", async () => {
      assert.isNull(await usageOf(exited(), { left: Scripted.clean() }))
      assert.isNull(await usageOf({ _tag: "Exited", status: 143, deadline: true }, { files: unreadable }))
      assert.isNull(await usageOf({ _tag: "Lost" }, { files: unreadable }))
    })
  })

  describe("a finished reviewer", () => {
    it("has ended, or is past a limit", async () => {
      const seen = await onMachine(
        Effect.flatMap(opened([batchStarted({ size: 1 }), started()]), (run) => observe(run)),
        { reviewers: looking(() => alive) }
      )
      const states: ReadonlyArray<ReviewerState> = [alive, silent, exited(1), { _tag: "Lost" }, { _tag: "Unstarted" }]
      const over = states.map((state) => seen.map((one) => isOver({ ...one, state }, limits)))
      assert.deepStrictEqual(over.flat(), [false, true, true, true, true])
    })
  })
})

const limits = { retries: 1, idleTimeout: 60_000 }

/** A batch of this size with a reviewer started in each slot. */
const running = (size: number): ReadonlyArray<Event> => [
  batchStarted({ size }),
  ...Array.from({ length: size }, (_, i) => started({ slot: i + 1, id: `id-${i + 1}` }))
]

interface Options {
  readonly left?: Scripted.Scripted
  readonly retries?: number
}

const machine = (states: (slot: number) => ReviewerState, left: Scripted.Scripted, calls: Array<string>) => ({
  reviewers: looking(({ slot }) => states(slot)),
  reviewFiles: leaving(left),
  git: Layer.mock(Git)({ identity: () => Effect.sync(() => (calls.push("identity"), tree("now"))) })
})

/** What is recorded for a run with these lines, and how often an identity was computed. */
const recorded = async (
  before: ReadonlyArray<Event>,
  states: (slot: number) => ReviewerState,
  { left = Scripted.clean(), retries = limits.retries }: Options = {}
) => {
  const identities: Array<string> = []
  const result = await onMachine(
    Effect.gen(function*() {
      const run = yield* opened(before)
      const { completed, run: after } = yield* record(run, yield* observe(run), { ...limits, retries })
      return { completed, same: after === run, head: after.head.seq, lines: (yield* lines).slice(1) }
    }),
    machine(states, left, identities)
  )
  return { ...result, identities: identities.length, tags: result.lines.map((line) => line.map(({ _tag }) => _tag)) }
}

describe("recording", () => {
  it("writes nothing for living reviewers", async () =>
    assert.deepInclude(await recorded(running(2), () => alive), { same: true, lines: [], identities: 0 }))

  it("writes finished reviewers in one line, while others live", async () => {
    const one = (slot: number) => slot === 2 ? alive : exited()
    const { completed, identities, lines: [line], tags } = await recorded(running(3), one)
    assert.deepStrictEqual(tags, [["ReviewFinished", "ReviewFinished"]])
    assert.deepStrictEqual(line?.map((event) => "slot" in event ? event.slot : 0), [1, 3])
    assert.deepStrictEqual([completed, identities], [null, 0])
  })

  it("completes the batch in the line of its last review, with an identity that is computed once", async () => {
    const { completed, identities, lines: [line], tags } = await recorded(running(2), () => exited())
    assert.deepStrictEqual(tags, [["ReviewFinished", "ReviewFinished", "BatchCompleted"]])
    assert.deepInclude(line?.[2], { _tag: "BatchCompleted", level: "low", batch: 1, identity: tree("now") })
    assert.deepStrictEqual([completed, identities], [tree("now"), 1])
  })

  it("fails the batch in the line of its last failure, and lists its slots", async () => {
    const broken = await recorded(running(2), () => exited(1), { left: Scripted.failure() })
    assert.deepStrictEqual(broken.tags, [["ReviewFailed", "ReviewFailed", "BatchFailed"]])
    assert.deepInclude(broken.lines[0]?.[2], { _tag: "BatchFailed", level: "low", batch: 1, slots: [1, 2] })
    assert.deepStrictEqual([broken.completed, broken.identities], [null, 0])
  })

  it("leaves a batch open if it has a retry left", async () => {
    const options = { left: Scripted.transientFailure() }
    assert.deepStrictEqual((await recorded(running(1), () => exited(1), options)).tags, [["ReviewFailed"]])
    const none = await recorded(running(1), () => exited(1), { ...options, retries: 0 })
    assert.deepStrictEqual(none.tags, [["ReviewFailed", "BatchFailed"]])
  })

  it("fails a batch whose retries are used up for this call, without looking at any reviewer", async () => {
    const spent = [batchStarted({ size: 1 }), started(), failed({ transient: true })]
    const options = { retries: 0 }
    assert.deepStrictEqual((await recorded(spent, () => assert.fail("looked"), options)).tags, [["BatchFailed"]])
  })

  it("fails a batch once: a later look adds no line", async () => {
    const over = [batchStarted({ size: 1 }), started(), failed(), batchFailed([1])]
    assert.deepInclude(await recorded(over, () => assert.fail("looked")), { same: true, lines: [] })
  })

  it("completes a batch once", async () => {
    const complete = [
      batchStarted({ size: 1 }),
      started(),
      finished("Clean"),
      {
        _tag: "BatchCompleted",
        level: "low",
        batch: 1,
        identity: tree("then")
      } as const
    ]
    assert.deepInclude(await recorded(complete, () => alive), { same: true, lines: [], completed: null, identities: 0 })
  })

  it("completes an isolated batch with the identity of its copy, unless the copy changed", async () => {
    const known = { _tag: "Known", head: "h", tree: "t", base: null } as const
    const gone = /the copy of the code that reviewers read was changed while they ran: it is gone$/
    for (
      const [found, why] of [
        [Effect.succeed([]), null],
        [Effect.succeed(["a.txt", "b", "c", "d"]), /while they ran: a\.txt, b, c$/],
        [Effect.succeed(null), gone],
        [Effect.fail(refused("the disk is away")), /while they ran: the disk is away$/]
      ] as const
    ) {
      const git = Layer.mock(Git)({ changesIn: () => found })
      const before = [batchStarted({ size: 1, isolated: "/private", identity: known }), started()]
      const { completed, written } = await onMachine(
        Effect.gen(function*() {
          const run = yield* opened(before)
          return { ...(yield* record(run, yield* observe(run), limits)), written: (yield* lines).at(-1)?.[1] }
        }),
        { ...machine(() => exited(), Scripted.clean(), []), git }
      )
      assert.isNull(completed)
      const identity = written?._tag === "BatchCompleted" ? written.identity : assert.fail("not completed")
      assert.strictEqual(differs(known, identity), why !== null)
      if (why === null) assert.deepStrictEqual(identity, known)
      else assert.match(identity._tag === "Unknown" ? identity.why : "", why)
    }
  })

  it("writes more reviewers than fit in a line in several lines, and completes the batch in the last", async () => {
    const { completed, head, identities, tags } = await recorded(running(40), () => exited())
    assert.deepStrictEqual(tags.map((line) => line.length), [16, 16, 9])
    assert.strictEqual(tags[2]?.[8], "BatchCompleted")
    assert.deepStrictEqual([completed, head, identities], [tree("now"), 5, 1])
  })
})

describe("recording beside another process", () => {
  const review = (slot: number) => finished("Clean", { slot })

  it("loses to a process that was first, and records nothing", async () => {
    const [error, written] = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(2))
        const seen = yield* observe(run)
        yield* byAnother(run, [review(1)])
        return [yield* Effect.flip(record(run, seen, limits)), yield* tags] as const
      }),
      machine(() => exited(), Scripted.clean(), [])
    )
    assert.instanceOf(error, LogConflict)
    assert.deepStrictEqual(written.slice(1), [["ReviewFinished"]])
  })

  it("does not record a reviewer again that another process records between two of its lines", async () => {
    // After the first line, another process records half of the rest.
    const rival = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => {
        let appended = 0
        return EventLog.of({
          ...log,
          append: (kind, run, expected, events) =>
            Effect.tap(
              log.append(kind, run, expected, events),
              (head) => ++appended === 2 ? log.append(reviewRun, run, head, [17, 18].map(review)) : Effect.void
            )
        })
      })
    ).pipe(Layer.provide(Memory.eventLog))
    const written = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(20))
        yield* record(run, yield* observe(run), limits)
        return yield* lines
      }),
      { ...machine(() => exited(), Scripted.clean(), []), eventLog: rival }
    )
    const slots = written.flat().flatMap((event) => event._tag === "ReviewFinished" ? [event.slot] : [])
    assert.deepStrictEqual([...slots].sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i + 1))
    assert.strictEqual(written.at(-1)?.at(-1)?._tag, "BatchCompleted")
  })
})

describe("a preview", () => {
  it("gives what would be recorded, without writing, with an identity that is computed once", async () => {
    const identities: Array<string> = []
    const { completed, manifest, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(20))
        const { completed, run: next } = yield* foresee(run, yield* observe(run, false), limits)
        return { completed, manifest: next.manifest, written: yield* lines }
      }),
      machine(() => exited(), Scripted.issues(), identities)
    )
    const { batch } = manifest
    const slots = batch._tag === "Started" ? batch.slots.map(({ _tag }) => _tag) : []
    assert.deepStrictEqual(slots, Array.from({ length: 20 }, () => "Finished"))
    assert.deepStrictEqual([completed, identities.length, written.length], [tree("now"), 1, 1])
  })
})
