import { assert, describe, it } from "vitest"
import { transcript } from "../../../src/agent/Agent.live.ts"

const retry = '{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}\n'
const event = '{"type":"turn.started"}\n'
const { stalledTail } = transcript

describe("the end of a stream of events", () => {
  it("that tells of nothing but new connections is no progress", () => {
    assert.deepStrictEqual(stalledTail(event + retry + retry), { from: event.length, waits: 2, cut: false })
    const again = '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"error":"overloaded"}\n'
    assert.deepStrictEqual(stalledTail(event + again), { from: event.length, waits: 1, cut: false })
    assert.deepStrictEqual(stalledTail(retry), { from: 0, waits: 1, cut: true })
  })

  it.each([
    "",
    event,
    retry + event,
    '{"type":"error","message":"no credit"}\n',
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Reconnecting... 1/5"}}\n',
    'ne":"Reconnecting... 1/5"}\n'
  ])("that is %j is progress", (text) => assert.isNull(stalledTail(text)))

  it("is all that counts, whatever stands on standard error", () => {
    assert.deepStrictEqual([transcript.file, transcript.alone], ["out", true])
  })
})
