// Call: what calls of the hook share: codex's time, its model, and that its answers contain no secrets.
import { assert, describe, it } from "vitest"
import { askModel, fitText, sessionOf } from "../../../src/hook/Call.ts"
import { could, hooking, onStage, said } from "../../support/hooks.ts"

const event = { hook_event_name: "Stop" }

describe("asking", () => {
  it("gives codex the rest of the deadline, minus the time for writing", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    await run(askModel(hooking(event, { deadline: 60_000 }), { _tag: "Stop" }, () => "prompt"))
    assert.strictEqual(questions[0]?.within, 58_000)
  })

  it("does not ask if there is no time left", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    const reply = await run(askModel(hooking(event, { deadline: 3000 }), { _tag: "Stop" }, () => "prompt"))
    assert.deepStrictEqual([reply._tag, questions.length], ["Unavailable", 0])
  })

  it("asks the model of the environment, whatever the flags say; an empty name counts as unset", async () => {
    const of = async (name: string) => {
      const { questions, run } = onStage({ replies: [said("PASS")], env: { CODEX_REFLECTOR_MODEL: name } })
      await run(askModel(hooking(event, { model: "flag" }), { _tag: "Stop" }, () => "prompt"))
      return questions[0]?.model
    }
    assert.deepStrictEqual([await of("env"), await of("")], ["env", "flag"])
  })

  it("removes secrets from answers", async () => {
    const { run } = onStage({ replies: [said("the key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 leaks")] })
    const reply = await run(askModel(hooking(event), { _tag: "Stop" }, () => "prompt"))
    assert.notInclude(JSON.stringify(reply), "abcdefghijklmnop")
  })
})

describe("a shortened text", () => {
  const long = "line\n".repeat(1000)

  it("is unchanged if it is short", async () => {
    const { run } = onStage({ replies: [] })
    assert.strictEqual(await run(fitText(hooking(event), "short", 1000)), "short")
  })

  it("has a marker between head and tail if there is no summary", async () => {
    for (const replies of [[could("no")], []]) {
      const { run } = onStage({ replies })
      assert.match(await run(fitText(hooking(event), long, 1000)), /characters are left out here/)
    }
    const { questions, run } = onStage({ replies: [said("a summary")] })
    assert.match(await run(fitText(hooking(event, { deadline: 40_000 }), long, 1000)), /characters are left out here/)
    assert.strictEqual(questions.length, 0)
  })
})

it("the session of a call belongs to the directory of the call", () =>
  assert.deepStrictEqual(sessionOf(hooking(event, { stateRoot: "/s" })), { session: "s", stateRoot: "/s", cwd: "/w" }))
