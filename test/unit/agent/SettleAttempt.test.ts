// SettleAttempt: the end of an attempt is recorded once, whole, and with the reason of what follows.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { settleAttempt, startAttempt } from "../../../src/agent/Attempt.ts"
import type { AgentEnded } from "../../../src/agent/Agent.ts"
import { failures } from "./failures.ts"
import { digest, runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { events, order } from "./orders.ts"

const ended = (change: Partial<AgentEnded> = {}): AgentEnded => ({
  ending: { _tag: "Done", message: "Done." },
  message: "Done.",
  threadId: "t",
  usage: null,
  turn: "completed",
  contextWindow: null,
  transcript: digest,
  ...change
})

/** What the log holds after the attempt was settled with each of these ends. */
const settled = (...all: ReadonlyArray<AgentEnded>) =>
  onMachine(Effect.gen(function*() {
    const begun = yield* startAttempt(yield* openDriver(runRef()), order(), {
      attempt: 1,
      cause: "First",
      thread: "before"
    })
    for (const one of all) yield* settleAttempt(begun.driver, order(), begun.id, one)
    return (yield* events).slice(1)
  }))

describe("an attempt that ended", () => {
  it("is settled once, whoever comes second", async () => {
    const log = await settled(ended(), ended({ ending: failures.Crashed }))
    assert.deepStrictEqual(log.map(({ _tag }) => _tag), ["AgentFinished"])
  })

  it("is recorded with the words that told us, the context window, and why another one follows", async () => {
    const [failed] = await settled(ended({ ending: failures.Overloaded, contextWindow: 1000, threadId: null }))
    assert.deepInclude(failed, {
      _tag: "AgentAttemptFailed",
      failure: "Overloaded",
      message: { text: "as it was said" },
      contextWindow: 1000,
      threadId: "before",
      next: "Continued",
      because: "the model's service is overloaded (1 of 3 attempts)"
    })
  })

  it("for good is recorded with its status and its remedy", async () => {
    const [login] = await settled(ended({ ending: failures.Login }))
    assert.deepInclude(login, { _tag: "AgentFailed", failure: "Login", exit: null })
    assert.include(login?._tag === "AgentFailed" ? login.remedy : "", "codex login")
    const [crashed] = await settled(ended({ ending: failures.Crashed }))
    assert.deepInclude(crashed, { failure: "Crashed", exit: 1 })
  })
})
