// The streams of real agents, as they were recorded: each line is understood, and the whole ends as it did.
// The one rule: every recorded stream of codex stands in the table; its ending is the one that was seen then.
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"
import { foldAgentStream } from "../../../../src/agent/stream/AgentStream.ts"

const directory = new URL("../../../../fixtures/agents/", import.meta.url)
const prefix = "codex-0.169.0-"
const names = readdirSync(directory).filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length).replace(/\.jsonl$/, ""))
const bytesOf = (name: string) => readFileSync(new URL(`${prefix}${name}.jsonl`, directory))

/** The exit status, how it ended, and how the last turn stood. */
const ends: Readonly<Record<string, readonly [exit: number, ending: string, turn: string]>> = {
  success: [0, "Done", "completed"],
  edit: [0, "Done", "completed"],
  refused: [0, "Done", "completed"],
  schema: [0, "Done", "completed"],
  resumed: [0, "Done", "completed"],
  reconnected: [0, "Done", "completed"],
  empty: [0, "Empty", "completed"],
  unauthorized: [1, "Login", "failed"],
  "rate-limit": [1, "RateLimited", "failed"],
  "slow-down": [1, "RateLimited", "failed"],
  "server-error": [1, "Overloaded", "failed"],
  overloaded: [1, "Overloaded", "failed"],
  quota: [1, "Quota", "failed"],
  "no-credit": [1, "Quota", "failed"],
  context: [1, "ContextWindow", "failed"],
  cut: [1, "Stream", "failed"],
  "bad-request": [1, "BadArguments", "failed"],
  // Ended from outside: the stream alone tells of a turn that is still open.
  idle: [143, "Crashed", "open"],
  deadline: [143, "Crashed", "open"]
}

describe("a stream of the real codex", () => {
  it("stands in the table, each", () => assert.deepStrictEqual([...names].sort(), Object.keys(ends).sort()))

  it.each(names)("%s has no line that is not understood", (name) => {
    const lines = bytesOf(name).toString("utf8").split("\n").slice(0, -1)
    assert.isAbove(lines.length, 1)
    for (const line of lines) assert.notInclude(["Unknown", "Unparsed"], decodeAgentLine(line)?._tag)
  })

  it.each(Object.entries(ends))("%s ends as it did, however its bytes are cut", (name, [exit, ending, turn]) => {
    const bytes = bytesOf(name)
    const whole = foldAgentStream([bytes], exit)
    assert.deepStrictEqual([whole.ending._tag, whole.turn], [ending, turn])
    assert.match(whole.threadId ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(foldAgentStream(Array.from(bytes, (byte) => Uint8Array.of(byte)), exit), whole)
  })
})
