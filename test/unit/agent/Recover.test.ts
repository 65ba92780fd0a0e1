// Recover: the table of failures, row by row, and how often each row may happen.
import { assert, describe, it } from "vitest"
import type { AgentFailure } from "../../../src/agent/AgentEnding.ts"
import {
  firmerWords,
  type RecoveryOptions,
  isAskedFirmer,
  type PastAttempt,
  recover,
  type Recovery
} from "../../../src/agent/Recovery.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { failures } from "./failures.ts"

const noon = Date.UTC(2030, 0, 5, 12)
const given: RecoveryOptions = { waitQuota: 0, canCompact: true, now: noon, zone: 0 }
const past = (...all: ReadonlyArray<PastAttempt>) => all
const crashed: PastAttempt = { failure: "Crashed", next: "Again" }
const after = (
  failure: AgentFailure,
  earlier: ReadonlyArray<PastAttempt> = [],
  change: Partial<RecoveryOptions & { readonly thread: string }> = {}
): Recovery => {
  const { thread = null, ...rest } = change
  return recover(earlier, { kind: "codex", id: "id-1", failure, thread }, { ...given, ...rest })
}
const next = (recovery: Recovery) => recovery._tag === "Again" ? recovery.next : recovery._tag
const wait = (recovery: Recovery) => recovery._tag === "Again" ? recovery.wait : Number.NaN

describe("a failure that passes", () => {
  const passing = [
    failures.RateLimited,
    failures.Overloaded,
    failures.Stream,
    failures.Crashed,
    failures.Idle,
    failures.Empty
  ]
  it.each(passing)("$_tag is tried again, in its thread where it has one", (failure) => {
    assert.strictEqual(next(after(failure)), "Again")
    assert.strictEqual(next(after(failure, [], { thread: "t" })), "Continued")
  })

  it.each(passing)("$_tag is tried at most three times in all", (failure) => {
    assert.strictEqual(next(after(failure, past(crashed, crashed))), "Stop")
  })

  it("waits 5 s, then twice as long, each spread by a tenth", () => {
    assert.approximately(wait(after(failures.Stream)), 5_000, 500)
    assert.approximately(wait(after(failures.Stream, past(crashed))), 10_000, 1_000)
  })

  it("waits as long as the service says, also beyond the longest wait of ours", () => {
    assert.strictEqual(wait(after({ ...failures.RateLimited, after: 1 })), 1)
    assert.strictEqual(wait(after({ ...failures.RateLimited, after: 3_600_000 })), 3_600_000)
    assert.strictEqual(wait(after({ ...failures.RateLimited, after: Infinity })), 2_147_483_647)
  })

  it("says why it waits", () => {
    const named = after({ ...failures.RateLimited, after: 1 })
    assert.include(named, {
      because: "the service limits the rate of requests (1 of 3 attempts); the service named the wait"
    })
  })

  it("that is silence is tried again once", () => {
    assert.strictEqual(next(after(failures.Empty, past({ failure: "Empty", next: "Again" }))), "Stop")
    assert.strictEqual(next(after(failures.Empty, past(crashed))), "Again")
  })
})

describe("a prompt that is too long", () => {
  it("is shortened once, in a new thread", () => {
    const recovery = after(failures.ContextWindow, [], { thread: "t" })
    assert.deepInclude(recovery, { next: "Compacted", wait: 0 })
    const compacted: PastAttempt = { failure: "ContextWindow", next: "Compacted" }
    assert.strictEqual(next(after(failures.ContextWindow, past(compacted))), "Stop")
  })

  it("ends the agent where it cannot be shortened", () => {
    assert.strictEqual(next(after(failures.ContextWindow, [], { canCompact: false })), "Stop")
  })
})

describe("a quota", () => {
  const until = (text: string | null, waitQuota: number) =>
    after({ ...failures.Quota, until: text }, [], { waitQuota, thread: "t" })

  it("is waited for to the end of the minute that is named, if that begins within what the caller allows", () => {
    assert.deepInclude(until("1:00 PM", 3_600_000), { next: "Continued", wait: 3_660_000 })
    assert.strictEqual(next(until("1:00 PM", 3_599_999)), "Stop")
    assert.strictEqual(next(until("1:00 PM", 0)), "Stop")
  })

  it("ends the agent, and says until when", () => {
    assert.include(until("1:00 PM", 0), {
      remedy: "the account's usage limit is reached until 1:00 PM; " +
        "call again then, or allow the wait with --wait-quota"
    })
    assert.strictEqual(next(until(null, Infinity)), "Stop")
    assert.strictEqual(next(until("some day", Infinity)), "Stop")
  })
})

describe("a failure that stays", () => {
  it.each([
    failures.Login,
    failures.BadArguments,
    failures.Missing,
    failures.SandboxDenied,
    failures.Interrupted,
    failures.Deadline
  ])("$_tag ends the agent with a remedy", (failure) => {
    const recovery = after(failure, [], { thread: "t", waitQuota: Infinity })
    assert.strictEqual(recovery._tag === "Stop" && recovery.remedy !== "", true)
  })
})

describe("a plan instead of work", () => {
  const known = (tree: string): Identity => ({ _tag: "Known", head: "h", tree, base: null })
  const unknown: Identity = { _tag: "Unknown", why: "no git" }
  const plan = "Plan:\n1. Edit the file."
  const firmer: PastAttempt = { failure: "PlanOnly", next: "Firmer" }

  it("is asked for again where the worktree is known to be the same", () => {
    assert.isTrue(isAskedFirmer([], plan, known("t"), known("t")))
    assert.isFalse(isAskedFirmer([], plan, known("t"), known("u")))
    assert.isFalse(isAskedFirmer([], plan, unknown, unknown))
    assert.isFalse(isAskedFirmer([], plan, null, known("t")))
    assert.isFalse(isAskedFirmer([], "Done.", known("t"), known("t")))
  })

  it("is asked for three times, each time more firmly, and uses up no attempt", () => {
    assert.isTrue(isAskedFirmer(past(crashed, firmer, firmer), plan, known("t"), known("t")))
    assert.isFalse(isAskedFirmer(past(firmer, firmer, firmer), plan, known("t"), known("t")))
    assert.strictEqual(new Set([0, 1, 2].map(firmerWords)).size, 3)
    assert.strictEqual(firmerWords(7), firmerWords(2))
    assert.strictEqual(next(after(failures.Stream, past(firmer, firmer, firmer, crashed))), "Again")
  })
})
