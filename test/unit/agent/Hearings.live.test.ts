import { assert, describe, it } from "vitest"
import { hearings } from "../../../src/agent/Agent.live.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const lastTag = (kind: keyof typeof hearings, text: string) => {
  const hearing = hearings[kind].hear()
  return [...hearing.push(bytes(text)), ...hearing.end()].map(({ _tag }) => _tag)
}

describe("the hearing of each kind", () => {
  it("knows whether it tells of its work while it works", () => {
    assert.deepStrictEqual([hearings.codex.talks, hearings.claude.talks, hearings.command.talks], [true, true, false])
  })

  it("decodes what that kind prints", () => {
    assert.deepStrictEqual(lastTag("codex", '{"type":"turn.started"}\n\n'), ["TurnStarted"])
    assert.include(lastTag("claude", '{"type":"system","subtype":"init","session_id":"s"}\n'), "ThreadStarted")
    assert.deepStrictEqual(lastTag("command", '{"type":"turn.started"}\n'), ["ItemCompleted"])
  })

  it("is made anew for each follower", () => {
    assert.notStrictEqual(hearings.command.hear(), hearings.command.hear())
  })
})
