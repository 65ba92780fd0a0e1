// A plan is found by its file, in the event, or among the newest, and reviewed once.
import { assert, describe, it } from "vitest"
import { reviewPlan } from "../../../src/hook/Reviews.ts"
import { could, hooking, onStage, said, told } from "./stage.ts"

const plan = (fields: object) => hooking({ hook_event_name: "PostToolUse", tool_name: "ExitPlanMode", ...fields })
const home = { HOME: "/home/u" }

describe("a plan", () => {
  it.each<readonly [string, object, string]>([
    [
      "of the file that the tool names",
      { tool_response: { filePath: "/home/u/.claude/plans/a.md" } },
      "the plan at /home"
    ],
    ["of the event", { tool_input: { plan: "Do this." } }, "Do this."],
    ["of the newest file", {}, "the newest"]
  ])("is that %s", async (_, fields, words) => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home, files: { plan: "the newest" } })
    assert.strictEqual(told(await run(reviewPlan(plan(fields)))).user, "Codex on the plan: passed")
    assert.include(questions[0]?.prompt ?? "", words)
    assert.strictEqual(questions[0]?.effort, "high")
  })

  it("that nobody finds is not reviewed", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home })
    assert.strictEqual((await run(reviewPlan(plan({})))).stdout, "")
    assert.strictEqual(questions.length, 0)
  })

  it("that fails is told to both, and before a person approves it under the event's own name", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- no tests")] })
    const event = plan({ hook_event_name: "PreToolUse", tool_input: { plan: "Do this." } })
    const { stdout } = await run(reviewPlan(event))
    assert.strictEqual(JSON.parse(stdout).hookSpecificOutput.hookEventName, "PreToolUse")
    assert.match(told({ stdout, block: null }).claude, /- no tests/)
  })

  it("is the text of the response, before that of the input, before any file", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home, files: { plan: "the newest" } })
    const both = {
      tool_response: { plan: "As approved.", filePath: "/home/u/.claude/plans/a.md" },
      tool_input: { plan: "As asked." }
    }
    await run(reviewPlan(plan(both)))
    assert.include(questions[0]?.prompt ?? "", "As approved.")
    assert.notInclude(questions[0]?.prompt ?? "", "As asked.")
  })

  it("that fails stays open under its path until one of that path passes, and is no edit of the turn", async () => {
    const { run, state } = onStage({ replies: [said("FAIL\n- no tests"), said("PASS")], env: home })
    const of = (text: string) => plan({ tool_response: { plan: text, filePath: "/home/u/.claude/plans/a.md" } })
    await run(reviewPlan(of("one")))
    assert.deepStrictEqual(state().fails.map(({ path, reason }) => [path, reason]), [
      ["/home/u/.claude/plans/a.md", "- no tests"]
    ])
    assert.deepStrictEqual(state().turn.paths, [])
    assert.match(told(await run(reviewPlan(of("one")))).user, /no tests/)
    await run(reviewPlan(of("two")))
    assert.deepStrictEqual(state().fails, [])
  })

  it("that cannot be reviewed is told once", async () => {
    const { run } = onStage({ replies: [could("codex exited 1")] })
    assert.match(told(await run(reviewPlan(plan({ tool_input: { plan: "x" } })))).user, /codex exited 1/)
  })
})
