import { assert, describe, it } from "vitest"
import { loggedEnding } from "../../../src/agent/Recovery.ts"
import { defaultLimits } from "../../../src/agent/Task.ts"
import { digest } from "../run/events.ts"
import { failures } from "./failures.ts"

const told = { agent: 1, attempt: 1, message: { text: "" }, threadId: null, usage: null, transcript: digest }

describe("an ending told from the log", () => {
  it.each(Object.values(failures))("is the $_tag that was recorded", (failure) => {
    const exit = failure._tag === "Crashed" ? failure.exit : null
    const event = { _tag: "AgentFailed", ...told, failure: failure._tag, exit, remedy: "" } as const
    assert.deepStrictEqual(loggedEnding(event, failure.message, defaultLimits), failure)
  })

  it("tells again until when a quota is used up", () => {
    const message = "You\u2019ve hit your usage limit. Upgrade to Pro or try again at 9:36 AM."
    const event = { _tag: "AgentFailed", ...told, failure: "Quota", exit: 1, remedy: "" } as const
    assert.deepInclude(loggedEnding(event, message, defaultLimits), { until: "9:36 AM" })
  })

  it("is the answer, or the agent's own report", () => {
    const message = "FAILED: no compiler"
    const event = (ending: "Done" | "Reported") => ({ _tag: "AgentFinished", ...told, ending }) as const
    assert.deepStrictEqual(loggedEnding(event("Done"), "Done.", defaultLimits), { _tag: "Done", message: "Done." })
    const reported = loggedEnding(event("Reported"), message, defaultLimits)
    assert.deepStrictEqual(reported._tag === "Reported" ? reported.report.summary : "", "no compiler")
  })
})
