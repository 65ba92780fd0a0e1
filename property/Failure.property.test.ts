// Failure: no text that a project can print changes what a client failed for, whether it is retried, or the remedy.
// The project prints whatever it likes, a client's own last words among it; then the client ends as it does.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { AgentEnding } from "../src/agent/AgentEnding.ts"
import { loggedEnding, recover } from "../src/agent/Recovery.ts"
import { endingOf, evolveStream, emptyStream } from "../src/agent/stream/AgentStream.ts"
import { decodeClaudeLine } from "../src/agent/stream/ClaudeLines.ts"
import { decodeAgentLine } from "../src/agent/stream/CodexLines.ts"
import { failed } from "../src/hook/SecondModel.live.ts"
import { isTransient, remedy } from "../src/run/FailureKind.ts"
import { judge } from "../src/review/verdict/Judge.ts"
import { transcriptReader } from "../src/review/verdict/Reading.ts"
import { digest } from "../test/unit/run/events.ts"

const notice = "codex\nReview was interrupted. Please re-run /review and wait for it to complete."
const orderly = (words: string) => `ERROR: ${words}\n${notice}\nERROR: ${words}`
const words = [
  "unexpected status 401 Unauthorized: no, url: http://x",
  "You've hit your usage limit. Try again at 9:36 AM.",
  "rate limit exceeded",
  '{"error":{"code":"model_not_found","message":"no","param":"reasoning.effort"}}',
  "request timed out",
  "self-signed certificate",
  "error_max_turns",
  "response_format: the schema is not supported"
]

const printed = fc.array(
  fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom(...words).map((text) => `ERROR: ${text}`),
    fc.constantFrom(...words).map((text) => `Error: ${text}`),
    fc.constantFrom(...words).map(orderly),
    fc.constantFrom("codex", "exec", "user", "--------", "", notice, " succeeded in 1ms:", "@@ -1 +1 @@"),
    fc.constant("thread 'main' panicked at a.rs:1:1:\nrate limit"),
    fc.string({ unit: "grapheme" })
  ),
  { maxLength: 12 }
).map((lines) => lines.join("\n"))

/** How codex ends: its last words, and its exit status. */
const ends = fc.constantFrom<readonly [string, number]>(
  ...words.map((text) => [orderly(text), 1] as const),
  [orderly("something of no row"), 1],
  ["Error: thread/start failed\n\nStack backtrace:\n   0: main", 1],
  ["thread 'main' panicked at core/src/session.rs:212:9:\ncall output is missing", 101],
  ["", 137],
  ["", 101]
)

const head = "OpenAI Codex v0.171.0\n--------\nsession id: x\n--------\nuser\ncurrent changes\n"

const outcomeOf = (output: string, [last, status]: readonly [string, number]) => {
  const log = `${head}exec\n/bin/bash -lc 'npm test' in /repo\n exited 1 in 9ms:\n${output}\n${last}\n`
  const reader = transcriptReader()
  log.split("\n").forEach(reader.take)
  const reading = { session: null, transcript: reader.ran() }
  const judged = judge({ session: { _tag: "Absent" }, out: "", logHead: log, logTail: log, reading }, status)
  return judged._tag === "Failed"
    ? [judged.kind, isTransient(judged.kind), remedy(judged.kind, judged.message)]
    : assert.fail("a review was made up")
}

describe("what a project prints", () => {
  it("decides neither kind nor retry nor remedy", () =>
    fc.assert(
      fc.property(printed, ends, (output, end) => assert.deepStrictEqual(outcomeOf(output, end), outcomeOf("", end)))
    ))
})

// Agents: what their tools printed is quoted in their streams, and may reach their standard error.

type Lines = (output: string) => ReadonlyArray<object>
type Line = (line: string) => ReadonlyArray<Parameters<typeof evolveStream>[1]>

const common = {
  agent: 1,
  attempt: 1,
  message: { text: "" },
  threadId: null,
  usage: null,
  transcript: digest,
  remedy: ""
}

/** The decision about an agent that ended this way: at once, and when its log is read later. */
const decidedOf = (ending: AgentEnding, exit: number | null) => {
  if (ending._tag === "Done" || ending._tag === "Reported") return assert.fail("an agent that failed is done")
  const limits = { timeout: 1, idle: 1, first: 1, maxTranscript: 1 }
  const event = { _tag: "AgentFailed", ...common, failure: ending._tag, exit } as const
  const given = { waitQuota: 0, canCompact: true, now: 0, zone: 0 }
  const decided = [ending, loggedEnding(event, ending.message, limits)].map((failure) =>
    failure._tag === "Done" || failure._tag === "Reported"
      ? assert.fail("a recorded failure is not read back as one")
      : recover([], { kind: "codex", id: "a", failure, thread: "t" }, given)
  )
  return { tag: ending._tag, decided }
}

const agentOutcome = (decode: Line, lines: ReadonlyArray<object>, errors: string, exit: number | null) => {
  const stream = lines.flatMap((line) => decode(JSON.stringify(line))).reduce(evolveStream, emptyStream)
  return decidedOf(endingOf(stream, exit, errors), exit)
}

const statuses = fc.constantFrom(1, 2, 101, 126, 127, 137, null)

const codexAtWork: Lines = (output) => [
  { type: "thread.started", thread_id: "t" },
  { type: "turn.started" },
  {
    type: "item.completed",
    item: { id: "0", type: "command_execution", command: "npm test", aggregated_output: output, exit_code: 1 }
  },
  { type: "item.completed", item: { id: "1", type: "agent_message", text: output } }
]
const codexEnds = fc.constantFrom<ReadonlyArray<object>>(
  ...words.map((message) => [{ type: "turn.failed", error: { message } }]),
  []
)

const claudeAtWork: Lines = (output) => [
  { type: "system", subtype: "init", session_id: "t" },
  {
    type: "assistant",
    message: { content: [{ type: "tool_use", id: "0", name: "Bash", input: { command: "npm test" } }] }
  },
  {
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "0", is_error: true, content: `Exit code 1\n${output}` }] }
  },
  { type: "assistant", message: { content: [{ type: "text", text: output }] } }
]
const result = (fields: object) => (output: string) => [{
  type: "result",
  permission_denials: [{ tool_name: `mcp__${output}` }],
  ...fields
}]
const claudeEnds = fc.constantFrom<Lines>(
  ...words.map((text) => result({ is_error: true, subtype: "success", result: text })),
  (output) => result({ is_error: true, subtype: "error_max_turns", result: output })(output),
  (output) => result({ is_error: true, subtype: "error_during_execution", result: output })(output),
  result({ is_error: false, subtype: "error_during_execution" }),
  result({ is_error: true, subtype: "success", result: "no", api_error_status: 529 }),
  () => []
)

describe("what a project prints to an agent", () => {
  it("decides nothing of how codex failed", () =>
    fc.assert(fc.property(printed, printed, codexEnds, statuses, (output, errors, end, exit) => {
      const of = (text: string, errors: string) =>
        agentOutcome(
          (line) => [decodeAgentLine(line)].flatMap((one) => one ?? []),
          [...codexAtWork(text), ...end],
          errors,
          exit
        )
      assert.deepStrictEqual(of(output, errors), of("", ""))
    })))

  it("decides nothing of how claude failed", () =>
    fc.assert(fc.property(printed, printed, claudeEnds, statuses, (output, errors, end, exit) => {
      const of = (text: string, errors: string) =>
        agentOutcome(decodeClaudeLine, [...claudeAtWork(text), ...end(text)], errors, exit)
      assert.deepStrictEqual(of(output, errors), of("", ""))
    })))
})

describe("what a project prints to the second model", () => {
  it("decides neither the remedy nor whether it is asked again", () =>
    fc.assert(fc.property(printed, ends, (output, [last, status]) => {
      const of = (text: string) => {
        const errors = `${head}exec\n/bin/bash -lc 'npm test' in /repo\n exited 1 in 9ms:\n${text}\n${last}\n`
        const { refusesSchemas, reply } = failed(status, null, errors)
        const remedies = reply._tag === "Unavailable" ? /\(.*\)$/.exec(reply.why)?.[0] ?? "" : assert.fail("an answer")
        return [refusesSchemas, last.startsWith("ERROR") ? remedies : ""]
      }
      assert.deepStrictEqual(of(output), of(""))
    })))
})
