// Ends: what a person is asked to do where a driver cannot go on, in the words of the subcommand that drives.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Outcome } from "../../../src/run/Outcome.ts"
import { agentFailedEnd, consentEnd, gitChangedEnd } from "../../../src/drive/Ends.ts"
import { drivingRun } from "./converge/drivings.ts"
import { onMachine } from "../run/opened.ts"

const promptOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

describe("a driver", () => {
  it("asks for consent, and tells what an agent did to git or why it failed", async () => {
    assert.include(promptOf(consentEnd("x needs a person's consent [--allow x]", "converge")), "--allow x")
    const [git, failed] = await onMachine(Effect.map(drivingRun(), ({ driver, settings }) => [
      gitChangedEnd({ call: "implement", driver, settings }, ["HEAD"]),
      agentFailedEnd({ call: "implement", driver, settings }, {
        agent: 1,
        ending: { _tag: "Login", message: "401" },
        remedy: "codex login"
      })
    ]))
    assert.include(promptOf(git ?? { _tag: "Idle" }), "HEAD")
    assert.include(promptOf(failed ?? { _tag: "Idle" }), "codex login")
    assert.include(promptOf(failed ?? { _tag: "Idle" }), "implement ...")
  })
})
