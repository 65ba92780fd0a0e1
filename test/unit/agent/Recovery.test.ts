// Recovery: the table of failures, row by row, how often each row may happen, and how long each wait is.
import { assert, describe, it } from "vitest"
import type { AgentFailure } from "../../../src/agent/AgentEnding.ts"
import {
  agentBackoff,
  backoffMillis,
  firmerWords,
  isAskedFirmer,
  loggedEnding,
  looksLikePlanOnly,
  type PastAttempt,
  recover,
  type Recovery,
  type RecoveryOptions
} from "../../../src/agent/Recovery.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { defaultLimits } from "../../../src/agent/Task.ts"
import { failures } from "../../support/agents.ts"
import { digest } from "../run/events.ts"

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

it.each([[1, 0, 180], [1, 0.5, 200], [2, 0.5, 400], [3, 0, 720], [10, 0.5, 102400], [0, 0.5, 200], [
  40,
  0,
  180 * 2 ** 39
]])(
  "attempt %i with %d waits %i ms",
  (attempt, random, millis) => assert.strictEqual(backoffMillis(attempt, random), millis)
)

it("stays below a tenth more than its middle, and below the cap", () => {
  assert.isBelow(backoffMillis(1, 0.9999), 220)
  assert.strictEqual(backoffMillis(30, 0.5, agentBackoff), 120_000)
  assert.strictEqual(backoffMillis(1, 0.5, agentBackoff), 5_000)
})

it("is finite for any attempt", () => {
  for (const attempt of [47, 1100, 1e9, Infinity]) {
    assert.strictEqual(backoffMillis(attempt, 0), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(backoffMillis(attempt, 0, agentBackoff), 120_000)
  }
  for (const attempt of [-1, -Infinity, Number.NaN]) assert.strictEqual(backoffMillis(attempt, 0.5), 200)
})

it.each([
  "Plan:\n1. read",
  "## Detailed plan\n...",
  "This is my plan",
  "Here's what I'll do: ...",
  "Here\u2019s what I\u2019ll do",
  "I will plan the change.",
  "I can plan this.",
  "First I will implement the parser.",
  "I will make the change.",
  "The implementation will use a map.",
  "1. Plan the work",
  "- Plan",
  "> **Plan**",
  "plan.md comes first",
  "Here is the plan:",
  "Done with reading.\r\nHere comes **my plan**\r\n",
  "I'll implement it",
  "I\u2019ll plan it",
  "I will  implement",
  "Here is what I will do"
])("%j reads like a plan", (text) => assert.isTrue(looksLikePlanOnly(text)))

it.each([
  "",
  "I implemented the parser and ran the tests.",
  "Planning took a while; done.",
  "The airplane module compiles.",
  "I followed the plan.",
  "I followed the plan and ran the tests.",
  "The biplan",
  "plans",
  "I implemented what I will describe below."
])(
  "%j does not",
  (text) => assert.isFalse(looksLikePlanOnly(text))
)

const fields = { agent: 1, attempt: 1, message: { text: "" }, threadId: null, usage: null, transcript: digest }

describe("an ending read from the log", () => {
  it.each(Object.values(failures))("is the $_tag that was recorded", (failure) => {
    const exit = failure._tag === "Crashed" ? failure.exit : null
    const event = { _tag: "AgentFailed", ...fields, failure: failure._tag, exit, remedy: "" } as const
    assert.deepStrictEqual(loggedEnding(event, failure.message, defaultLimits), failure)
  })

  it("says until when a quota is used up", () => {
    const message = "You\u2019ve hit your usage limit. Upgrade to Pro or try again at 9:36 AM."
    const event = { _tag: "AgentFailed", ...fields, failure: "Quota", exit: 1, remedy: "" } as const
    assert.deepInclude(loggedEnding(event, message, defaultLimits), { until: "9:36 AM" })
  })

  it("is the answer, or the agent's own report", () => {
    const message = "FAILED: no compiler"
    const event = (ending: "Done" | "Reported") => ({ _tag: "AgentFinished", ...fields, ending }) as const
    assert.deepStrictEqual(loggedEnding(event("Done"), "Done.", defaultLimits), { _tag: "Done", message: "Done." })
    const reported = loggedEnding(event("Reported"), message, defaultLimits)
    assert.deepStrictEqual(reported._tag === "Reported" ? reported.report.summary : "", "no compiler")
  })
})
