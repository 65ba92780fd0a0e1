// ReviewEvent: what a reviewer's state and files amount to, case by case, with and without acting.
import { Effect, type Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type Limits, maxTranscript, networkTimeout } from "../../../src/review/Limits.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { isOver, reviewEvent } from "../../../src/review/Record.ts"
import type { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Scripted } from "../../../src/testing.ts"
import { batchStarted, started } from "../run/events.ts"
import { observe } from "../../../src/review/Observe.ts"
import { onMachine, opened } from "../run/opened.ts"
import { alive, exited, leaving, looking, recording, unreadable } from "./reviewers.ts"

const limits: Limits = { retries: 2, idleTimeout: 60_000 }
const silent: ReviewerState = { _tag: "Alive", silentFor: 60_000, waitingForNetwork: 0, bytes: 9 }
const place = { level: "low", batch: 1, slot: 1, attempt: 1 } as const

interface Asked {
  readonly strict?: boolean
  readonly acting?: boolean
  /** What a second look shows, after the reviewer was ended. */
  readonly then?: ReviewerState
  readonly left?: Scripted.Scripted
  readonly files?: Layer.Layer<ReviewFiles>
}

/** The event of a reviewer in a state, and what was done to it and its files on the way. */
const eventOf = async (state: ReviewerState, asked: Asked = {}) => {
  const { acting = true, files, left = Scripted.clean(), strict, then } = asked
  const told: Array<string> = []
  const note = (what: string) => void told.push(what)
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
  return { event, told: told.slice(1) }
}

const kindOf = async (state: ReviewerState, asked?: Asked) => {
  const { event } = await eventOf(state, asked)
  return event?._tag === "ReviewFailed" ? event.kind : event?._tag ?? null
}

describe("a reviewer that lives", () => {
  it("amounts to nothing", async () => assert.deepStrictEqual(await eventOf(alive), { event: null, told: [] }))

  it("past a limit is ended and fails for it, told with what it did last", async () => {
    const left = { ...Scripted.silence, log: "user\ncurrent changes\nexec\n/bin/bash -lc 'npm test' in /repo\n" }
    const { event, told } = await eventOf(silent, { left, then: exited(143) })
    assert.deepInclude(event, { _tag: "ReviewFailed", ...place, kind: "Idle", exit: null, transient: false })
    assert.match(event?._tag === "ReviewFailed" ? event.message : "", /^Idle: no progress for .*npm test/)
    assert.deepStrictEqual(told, ["stop 1", "look at 1", "read"])
  })

  it("past a limit is only told of where nothing may be ended", async () => {
    const { event, told } = await eventOf(silent, { acting: false })
    assert.deepInclude(event, { _tag: "ReviewFailed", kind: "Idle" })
    assert.deepStrictEqual(told, [])
  })

  it("that has answered is ended, and judged like any other; nobody else ends it", async () => {
    const answered: ReviewerState = { ...alive, answered: true }
    assert.strictEqual(await kindOf(answered, { then: exited(0) }), "ReviewFinished")
    assert.strictEqual(await kindOf(answered, { then: exited(0), left: Scripted.noReview() }), "NoReview")
    assert.strictEqual(await kindOf(answered, { then: { _tag: "Lost" } }), "Lost")
    assert.deepStrictEqual(await eventOf(answered, { acting: false }), { event: null, told: [] })
  })

  it("that finishes by itself while it is being ended is judged", async () =>
    assert.strictEqual(await kindOf(silent, { then: exited(0) }), "ReviewFinished"))

  it("that is killed while it is being ended has failed for the limit", async () =>
    assert.strictEqual(await kindOf(silent, { then: exited(137) }), "Idle"))

  it("fails for its transcript, or for the network, by name", async () => {
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
    const { event, told } = await eventOf(exited(), { left: Scripted.issues(0, "Close the file") })
    assert.deepInclude(event, { _tag: "ReviewFinished", ...place, verdict: "HasIssues", findings: 1, source: "stdout" })
    assert.notProperty(event, "review")
    assert.deepStrictEqual(told, ["read"])
  })

  it("by a version of codex that reviews at another effort counts in no strict run", async () => {
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

  it("has its files only read where nothing may be written", async () =>
    assert.deepStrictEqual((await eventOf(exited(), { acting: false })).told, ["read only"]))

  it("without a review has failed", async () =>
    assert.strictEqual(await kindOf(exited(), { left: Scripted.noReview() }), "NoReview"))

  it("by its deadline, or by its transcript's size, has failed for that, whatever it wrote", async () => {
    assert.strictEqual(await kindOf({ _tag: "Exited", status: 143, deadline: true }), "Deadline")
    assert.strictEqual(await kindOf({ ...exited(143), oversize: true }), "TranscriptTooLarge")
  })

  it("by its deadline has failed, though it ended well, where only its cut transcript holds a review", async () => {
    const left = { after: 0, exit: 0, out: "", log: "codex\nThe change is correct, and I found no issues in it.\n" }
    assert.deepInclude((await eventOf(exited(), { left })).event, { _tag: "ReviewFinished", source: "marker" })
    assert.strictEqual(await kindOf({ _tag: "Exited", status: 0, deadline: true }, { left }), "Deadline")
  })

  it("by its deadline is told of also where its transcript cannot be read", async () => {
    const asked = { files: unreadable }
    assert.strictEqual(await kindOf({ _tag: "Exited", status: 143, deadline: true }, asked), "Deadline")
  })

  it("without a trace is lost, or was never started", async () => {
    assert.strictEqual(await kindOf({ _tag: "Lost" }), "Lost")
    assert.strictEqual(await kindOf({ _tag: "Unstarted" }), "Unstarted")
  })

  it("without an exit status counts where codex had recorded its review, whoever killed it", async () => {
    const files = recording(Scripted.silence)
    assert.strictEqual(await kindOf({ _tag: "Lost" }, { files }), "ReviewFinished")
    assert.strictEqual(await kindOf({ ...alive, answered: true }, { then: { _tag: "Lost" }, files }), "ReviewFinished")
    assert.strictEqual(await kindOf({ _tag: "Lost" }, { files: unreadable }), "Lost")
  })

  it("that has answered counts whatever it exits with once it is ended", async () => {
    const files = recording(Scripted.silence)
    for (const status of [0, 1, 128, 143]) {
      assert.strictEqual(await kindOf({ ...alive, answered: true }, { then: exited(status), files }), "ReviewFinished")
    }
    assert.strictEqual(await kindOf(exited(1), { files }), "ExitStatus")
  })
})

describe("the tokens that a reviewer used", () => {
  const usage = { input: 1200, cached: 800, output: 80, reasoning: 20 }
  const usageOf = async (state: ReviewerState, asked: Asked) => {
    const { event } = await eventOf(state, asked)
    return event !== null && "usage" in event ? event.usage : null
  }

  it("stand in the event of its end, however it ended", async () => {
    assert.deepStrictEqual(await usageOf(exited(), { left: { ...Scripted.clean(), usage } }), usage)
    assert.deepStrictEqual(await usageOf(exited(), { left: { ...Scripted.noReview(), usage } }), usage)
    const left = { ...Scripted.silence, usage }
    assert.deepStrictEqual(await usageOf({ _tag: "Exited", status: 143, deadline: true }, { left }), usage)
    assert.deepStrictEqual(await usageOf(silent, { left, then: exited(143) }), usage)
  })

  it("are left out where they are not known", async () => {
    assert.isNull(await usageOf(exited(), { left: Scripted.clean() }))
    assert.isNull(await usageOf({ _tag: "Exited", status: 143, deadline: true }, { files: unreadable }))
    assert.isNull(await usageOf({ _tag: "Lost" }, { files: unreadable }))
  })
})

describe("what is over", () => {
  it("is what has ended, and what is past a limit", async () => {
    const seen = await onMachine(
      Effect.flatMap(opened([batchStarted({ size: 1 }), started()]), (run) => observe(run)),
      { reviewers: looking(() => alive) }
    )
    const states: ReadonlyArray<ReviewerState> = [alive, silent, exited(1), { _tag: "Lost" }, { _tag: "Unstarted" }]
    const over = states.map((state) => seen.map((one) => isOver({ ...one, state }, limits)))
    assert.deepStrictEqual(over.flat(), [false, true, true, true, true])
  })
})
