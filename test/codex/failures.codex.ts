// Every way the real Codex CLI can fail, driven through the built CLI: what is named, what is retried, what is kept.
// codex's own retries are off, so that each attempt of a slot is exactly one request to the model.
import { assert, describe, it } from "vitest"
import { message } from "../../fixtures/stand-in-model/reply.mjs"
import { reviewText } from "../../fixtures/stand-in-model/review.mjs"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import type { FailureKind } from "../../src/run/FailureKind.ts"
import { headerOf, only, recorded } from "./recorded.ts"
import { type Bench, withBench } from "./support.ts"

const ONE_SLOT = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

const changed = (policy: Policy, use: (bench: Bench) => Promise<void>) =>
  withBench(() => policy, async (bench) => {
    bench.write("one.mjs", "export const one = 1.0\n")
    await use(bench)
  })

/** A step whose one slot fails for good at its first attempt. */
const assertFails = (policy: Policy, kind: FailureKind, transient: boolean, extra: ReadonlyArray<string> = []) =>
  changed(policy, async ({ requests, running, stateRoot, step }) => {
    const { exit, stderr, stdout } = await step(...ONE_SLOT, ...extra)
    assert.deepStrictEqual([exit, stdout], [6, ""], stderr)
    assert.match(stderr, /^BinaryError: [^\n]+\n$/)
    const events = recorded(stateRoot, "uncommitted")
    assert.deepInclude(only(events, "ReviewFailed")[0], { batch: 1, slot: 1, attempt: 1, kind, transient })
    assert.deepEqual(only(events, "BatchFailed")[0]?.slots, [1])
    assert.lengthOf(only(events, "ReviewFinished"), 0)
    assert.lengthOf(requests, 1)
    assert.lengthOf(running(), 0)
  })

describe("a failure of the model's service", () => {
  it("401 is a missing login and is not retried", () => assertFails(scenarios.unauthorized, "NotLoggedIn", false))

  it("a usage limit is a quota and is not retried", () =>
    assertFails(scenarios.usageLimit(4_102_444_800), "Quota", false))

  it("500 is a server error", () => assertFails(scenarios.serverError, "ServerError", true, ["--retries", "0"]))

  it("429 is a rate limit", () => assertFails(scenarios.tooManyRequests, "RateLimited", true, ["--retries", "0"]))

  it("a cut stream is a lost stream", () => assertFails(scenarios.cutStream, "StreamLost", true, ["--retries", "0"]))

  it("a model at capacity is overloaded", () =>
    assertFails(scenarios.overloaded, "Overloaded", true, ["--retries", "0"]))

  it("500 once is retried inside the step", () =>
    changed(
      (request) => request.index === 0 ? scenarios.serverError(request) : scenarios.clean(request),
      async ({ requests, stateRoot, step }) => {
        const { exit, stderr } = await step(...ONE_SLOT)
        assert.deepStrictEqual([exit, stderr], [0, "DoneFixedPoint\n"])
        const events = recorded(stateRoot, "uncommitted")
        assert.deepInclude(only(events, "ReviewFailed")[0], { attempt: 1, kind: "ServerError" })
        assert.deepInclude(only(events, "ReviewFinished")[0], { slot: 1, attempt: 2, verdict: "Clean" })
        assert.lengthOf(only(events, "BatchStarted"), 1)
        // The one that failed, and the two of a reviewer that reads the change before it answers.
        assert.lengthOf(requests, 3)
      }
    ))

  it("of one slot keeps the finished reviews, and the next step runs that slot alone", () =>
    changed(
      (request) => request.index === 0 ? scenarios.unauthorized(request) : scenarios.clean(request),
      async ({ reviews, stateRoot, step }) => {
        const three = [...ONE_SLOT.slice(0, -1), "3"]
        const first = await step(...three)
        assert.deepStrictEqual([first.exit, headerOf(first.stderr).startsWith("BinaryError: ")], [6, true])
        const second = await step(...three)
        assert.deepStrictEqual([second.exit, second.stderr], [0, "DoneFixedPoint\n"])
        assert.lengthOf(reviews(), 4)
        const events = recorded(stateRoot, "uncommitted")
        assert.lengthOf(only(events, "BatchStarted"), 1)
        assert.lengthOf(only(events, "ReviewFinished"), 3)
      }
    ))

  it("that never ends meets the deadline", () =>
    assertFails(scenarios.stalledSilently, "Deadline", false, ["--review-timeout", "3s"]))
})

describe("a base branch that does not exist", () => {
  const WRONG = ["--base", "no-such-branch", "--level", "low", "--ceiling", "low", "-n", "1"]

  it("reaches codex, whose reviewer sees nothing: no review, never clean", () =>
    changed(reviewer, async ({ stateRoot, step }) => {
      const { exit, stderr } = await step(...WRONG)
      assert.strictEqual(exit, 6, stderr)
      assert.deepInclude(only(recorded(stateRoot, "base/no-such-branch"), "ReviewFailed")[0], { kind: "NoReview" })
    }))

  it("is refused with --strict-target before anything is spawned", () =>
    changed(() => message(reviewText({ explanation: "Fine." })), async ({ requests, step }) => {
      const { exit, stderr, stdout } = await step(...WRONG, "--strict-target")
      assert.deepStrictEqual([exit, stdout], [6, ""])
      assert.match(stderr, /^BinaryError: [^\n]*no-such-branch[^\n]*\n$/)
      assert.lengthOf(requests, 0)
    }))
})
