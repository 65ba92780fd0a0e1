// Every event that somebody looks at has its answer; what fails and what is late says nothing.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { answerHook } from "../../../src/hook/Handlers.ts"
import { reviewEdit } from "../../../src/hook/Reviews.ts"
import { silence } from "../../../src/hook/Call.ts"
import { hooking, onStage, said } from "./stage.ts"

const edit = hooking({
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { file_path: "/w/a", content: "x" }
})
const noLadder = () => Effect.succeed(silence)

describe("an event", () => {
  it("is answered by its action", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], files: { transcript: "{}", plan: "a plan" } })
    const thought = hooking({ hook_event_name: "PostToolUse", tool_input: { thought: "so" } })
    const found = []
    for (
      const [event, action] of [
        [edit, "code_change"],
        [hooking({ hook_event_name: "PostToolUse" }), "plan_review"],
        [thought, "thinking"],
        [hooking({ hook_event_name: "PostToolUseFailure" }), "bash_failure"],
        [hooking({ hook_event_name: "Stop" }), "stop"],
        [hooking({ hook_event_name: "PreCompact" }), "compact"]
      ] as const
    ) {
      const { block, stdout } = await run(answerHook(event, action, noLadder))
      found.push([action, block !== null, stdout === "" ? "nothing" : stdout.startsWith("{") ? "an object" : "text"])
    }
    assert.deepStrictEqual(found, [
      ["code_change", false, "an object"],
      ["plan_review", false, "an object"],
      ["thinking", false, "an object"],
      ["bash_failure", false, "an object"],
      ["stop", true, "nothing"],
      ["compact", false, "text"]
    ])
  })

  it("of a session's end forgets the session", async () => {
    const { run, states } = onStage({ replies: [said("FAIL\n- wrong")] })
    await run(reviewEdit(edit))
    assert.strictEqual(states.size, 1)
    assert.deepStrictEqual(await run(answerHook(hooking({ hook_event_name: "SessionEnd" }), "end", noLadder)), silence)
    assert.strictEqual(states.size, 0)
  })

  it("that fails says nothing: state that cannot be kept, a defect, and a model that never answers", async () => {
    const end = hooking({ hook_event_name: "SessionEnd" })
    assert.deepStrictEqual(await onStage({ replies: [], broken: true }).run(answerHook(end, "end", noLadder)), silence)
    for (const reply of [Effect.die("broken"), Effect.never]) {
      assert.deepStrictEqual(
        await onStage({ replies: [reply] }).run(answerHook(edit, "code_change", noLadder)),
        silence
      )
    }
  })
})
