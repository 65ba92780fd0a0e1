// The events of a log: all of a short one, both ends of a long one; and when work began and ended.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import type { WalkedEvent } from "../../../../src/log/Walk.ts"
import type { TaggedEvent } from "../../../../src/log/StreamKind.ts"
import { reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { readEvents, timesSeen } from "../../../../src/read/report/Events.ts"
import { onMachine, openedStrict } from "../../run/opened.ts"

const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }
const read = (more: number) =>
  onMachine(Effect.flatMap(
    openedStrict(...Array.from({ length: more }, () => [aborted])),
    ({ ref }) => readEvents(reviewRunReader, ref)
  ))

describe("the events of a log", () => {
  it("are told as replay tells them", async () => {
    const { count, first, last, left } = await read(1)
    assert.deepStrictEqual([count, left, last], [2, 0, []])
    assert.match(first[0] ?? "", /^ +1 {2}\S+ {2}RunCreated/)
    assert.match(first[1] ?? "", /StepAborted +SIGTERM$/)
  })

  it("of a long one are its first and its last", async () => {
    const { count, first, last, left } = await read(3000)
    assert.deepStrictEqual([count, first.length, left, last.length], [3001, 200, 2001, 800])
    assert.match(first.at(-1) ?? "", /^ +200 /)
    assert.match(last[0] ?? "", /^ +2202 /)
    assert.match(last.at(-1) ?? "", /^ +3001 /)
  })

  it("hold no half of a secret that a line is cut through", async () => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    const details = { text: `${"x ".repeat(142)}${secret}` }
    const failed: Event = { _tag: "AddressFailed", level: "low", batch: 1, details }
    const { first } = await onMachine(Effect.flatMap(
      openedStrict([failed]),
      ({ ref }) => readEvents(reviewRunReader, ref)
    ))
    assert.match(first[1] ?? "", /AddressFailed/)
    assert.notInclude(first[1] ?? "", "ghp_")
  })

  it("are shown to whoever looks on", async () => {
    const seen: Array<string> = []
    await onMachine(Effect.flatMap(
      openedStrict([aborted]),
      ({ ref }) => readEvents(reviewRunReader, ref, ({ event }) => void seen.push(event?._tag ?? ""))
    ))
    assert.deepStrictEqual(seen, ["RunCreated", "StepAborted"])
  })
})

describe("the times of work", () => {
  const at = (event: TaggedEvent | null, seconds: number): WalkedEvent<TaggedEvent, unknown> => ({
    line: {
      seq: 1,
      at: new Date(seconds * 1000).toISOString(),
      by: { version: "", pid: 1, host: "" },
      hash: "",
      prev: "",
      events: []
    },
    index: 0,
    raw: event,
    event,
    before: { state: null, unknown: null },
    after: { state: null, unknown: null }
  })

  it("are from the first attempt of an agent to its end, and from a test's beginning to its end", () => {
    const { agents, seen, tests } = timesSeen()
    const agent = (tag: string, seconds: number) => seen(at(Object.assign({ _tag: tag }, { agent: 1 }), seconds))
    agent("AgentStarted", 1)
    agent("AgentAttemptFailed", 2)
    agent("AgentStarted", 3)
    assert.deepStrictEqual(agents.get(1), { from: 1000, to: null })
    agent("AgentFinished", 4)
    agent("ResultJudged", 9)
    seen(at(Object.assign({ _tag: "TestStarted" }, { test: 7 }), 5))
    seen(at(Object.assign({ _tag: "TestFinished" }, { test: 7 }), 6))
    seen(at(null, 8))
    assert.deepStrictEqual(agents.get(1), { from: 1000, to: 4000 })
    assert.deepStrictEqual(tests.get(7), { from: 5000, to: 6000 })
  })
})
