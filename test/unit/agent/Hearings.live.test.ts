import { assert, describe, it } from "vitest"
import { kindReaders } from "../../../src/agent/Agent.live.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const lastTag = (kind: keyof typeof kindReaders, text: string) => {
  const hearing = kindReaders[kind].hear()
  return [...hearing.push(bytes(text)), ...hearing.end()].map(({ _tag }) => _tag)
}

describe("the hearing of each kind", () => {
  it("knows whether it tells of its work while it works", () => {
    assert.deepStrictEqual([kindReaders.codex.talks, kindReaders.claude.talks, kindReaders.command.talks], [
      true,
      true,
      false
    ])
  })

  it("decodes what that kind prints", () => {
    assert.deepStrictEqual(lastTag("codex", '{"type":"turn.started"}\n\n'), ["TurnStarted"])
    assert.include(lastTag("claude", '{"type":"system","subtype":"init","session_id":"s"}\n'), "ThreadStarted")
    assert.deepStrictEqual(lastTag("command", '{"type":"turn.started"}\n'), ["ItemCompleted"])
  })

  it("is made anew for each follower", () => {
    assert.notStrictEqual(kindReaders.command.hear(), kindReaders.command.hear())
  })
})
