// Agent: laws of an agent's stream. Any bytes are read, and how they were cut changes nothing.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decodeAgentLine } from "../src/agent/stream/CodexLines.ts"
import { foldAgentStream } from "../src/agent/stream/AgentStream.ts"
import { lineReader } from "../src/agent/stream/Lines.ts"
import { AgentKind } from "../src/log/Refs.ts"
import { judgeAnswer } from "../src/agent/CodexResult.ts"
import { decodeResult, roles } from "../src/agent/Result.ts"
import { initialResultState, nextAfterResult, resultLimits } from "../src/agent/ResultRetry.ts"
import { parseVerdictLine } from "../src/agent/PlanReview.ts"
import { parseFailedReport } from "../src/agent/AgentEnding.ts"

const types = [
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "error",
  "item.started",
  "item.completed",
  "item.delta"
]
const inside = [
  "task_started",
  "agent_message",
  "exec_command_end",
  "token_count",
  "patch_apply_begin",
  "task_complete"
]
const itemTypes = ["agent_message", "command_execution", "file_change", "todo_list", "error", "web_search"]
const names = [
  "text",
  "message",
  "usage",
  "error",
  "changes",
  "items",
  "info",
  "rate_limits",
  "duration",
  "exit_code",
  "command"
]
const fields = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const line = fc.oneof(
  fc.record({
    type: fc.constantFrom(...types),
    rest: fields,
    item: fc.record({ type: fc.constantFrom(...itemTypes), rest: fields })
  })
    .map(({ item, rest, type }) => JSON.stringify({ ...rest, item: { ...item.rest, type: item.type }, type })),
  fc.record({ type: fc.constantFrom(...inside), rest: fields }).map(({ rest, type }) =>
    JSON.stringify({ id: "0", msg: { ...rest, type } })
  ),
  fc.json(),
  fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", " "))
)
const bytes = fc.oneof(
  fc.array(line, { maxLength: 8 }).chain((lines) =>
    fc.constantFrom("\n", "\r\n").map((end) => new TextEncoder().encode(lines.join(end)))
  ),
  fc.uint8Array({ maxLength: 200 })
)

/** The bytes in pieces, cut at the given places. */
const cutAt = (whole: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const ends = [...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b)
  return ends.map((end, i) => whole.slice(ends[i - 1] ?? 0, end))
}

describe("an agent's stream", () => {
  it("is read however it was cut", () =>
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 6 }), fc.constantFrom(0, 1, null), (whole, places, exit) => {
        assert.deepStrictEqual(foldAgentStream(cutAt(whole, places), exit), foldAgentStream([whole], exit))
      })
    ))

  it("gives each line that is not blank as exactly one event", () =>
    fc.assert(fc.property(line, (text) => assert.strictEqual(decodeAgentLine(text) === null, text.trim() === ""))))

  it("has the lines that its text has", () =>
    fc.assert(fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 6 }), (lines, places) => {
      const reader = lineReader()
      const whole = new TextEncoder().encode(lines.map((text) => `${text.replaceAll("\r", " ")}\n`).join(""))
      const read = [...cutAt(whole, places).flatMap((chunk) => reader.push(chunk)), ...reader.end()]
      assert.strictEqual(read.length, lines.length)
    })))

  it("is never well where its turn was not completed or its status is not 0", () =>
    fc.assert(fc.property(bytes, fc.constantFrom(0, 1, 137, null), (whole, exit) => {
      const { ending, message, ok, turn } = foldAgentStream([whole], exit)
      assert.strictEqual(ok, ending._tag === "Done")
      if (ok) assert.isTrue(exit === 0 && message !== null && turn !== "open" && turn !== "failed")
    })))
})

const word = fc.constantFrom(
  "VERDICT",
  "verdict:",
  "ACCEPTABLE",
  "NEEDS_FIXES",
  "NOT",
  "FAILED:",
  "role: worker",
  "status: pass",
  "task_id: 7",
  "git_range: a..b",
  "issues: x",
  "APPROVED",
  "issues found",
  "no",
  "**",
  "#",
  "\n",
  "\n\n",
  " ",
  "\r\n",
  "the",
  "review passed",
  "role: code-quality-reviewer\ntask_id: 7\nstatus: pass\n\n",
  "```",
  "> ",
  "<pre>"
)
const message = fc.oneof(
  fc.array(word, { maxLength: 14 }).map((words) => words.join(" ").replace(/ ?\n ?/g, "\n")),
  fc.string()
)

/** Ways to quote a text. A longer fence than any in it cannot be ended by it. */
const quotes: ReadonlyArray<(text: string) => string> = [
  (text) => text.split(/\r\n|[\n\r]/).map((line) => `> ${line}`).join("\n"),
  (text) => text.split(/\r\n|[\n\r]/).map((line) => `- > > ${line}`).join("\n"),
  ...["`", "~"].map((tick) => (text: string) => {
    const longest = Math.max(2, ...(text.match(new RegExp(`${tick}+`, "g")) ?? []).map(({ length }) => length))
    return [tick.repeat(longest + 1), text, tick.repeat(longest + 1)].join("\n")
  })
]

describe("a verdict line", () => {
  const verdicts = ["", "VERDICT: ACCEPTABLE", "VERDICT: NEEDS_FIXES", "## Verdict", "VERDICT: ?"]
  const better = (text: string, than: string) =>
    parseVerdictLine(text) === "ACCEPTABLE" && parseVerdictLine(than) !== "ACCEPTABLE"

  it("is never made better by what is quoted before it or behind it", () =>
    fc.assert(fc.property(
      fc.constantFrom(...quotes),
      fc.constantFrom(...verdicts),
      message,
      message,
      (quote, verdict, before, behind) => {
        const text = [quote(before), verdict, quote(behind)].join("\n\n")
        assert.isFalse(better(text, verdict), text)
        if (verdict === "VERDICT: NEEDS_FIXES") assert.strictEqual(parseVerdictLine(text), verdict.slice(9))
      }
    )))

  it("never accepts in a quotation", () =>
    fc.assert(fc.property(fc.constantFrom(...quotes), message, (quote, text) => {
      assert.notStrictEqual(parseVerdictLine(quote(`${text}\nVERDICT: ACCEPTABLE`)), "ACCEPTABLE")
    })))
})

describe("a reviewer of a run", () => {
  it("passes in no prose: only in JSON, or with headers that say so", () =>
    fc.assert(fc.property(message, fc.constantFrom(...AgentKind.literals), (text, kind) => {
      const asked = { role: "code-quality-reviewer", taskId: "7", kind, range: null, worked: true } as const
      const { status } = judgeAnswer(asked, { _tag: "Done", message: text })
      if (status === "pass") assert.match(text, /^\ufeff?role: [^]*\nstatus: pass[ \t]*[\r\n]/)
    })))
})

describe("a message", () => {
  it("is no ACCEPTABLE without the word, and none behind a last line that needs fixes", () =>
    fc.assert(fc.property(message, (text) => {
      if (parseVerdictLine(text) === "ACCEPTABLE") assert.match(text, /acceptable/i)
      assert.strictEqual(parseVerdictLine(`${text}\nVERDICT: NEEDS_FIXES`), "NEEDS_FIXES")
    })))

  it("is a report of failure only by its first line", () =>
    fc.assert(fc.property(message, (text) => {
      const first = text.replace(/^\ufeff/, "").split(/[\n\r]/).find((row) => row.trim() !== "") ?? ""
      assert.strictEqual(parseFailedReport(text) !== null, first.startsWith("FAILED:"))
    })))

  it("is valid as a result exactly where nothing is wrong with it", () =>
    fc.assert(fc.property(message, fc.constantFrom(...roles), (text, role) => {
      const { grammar, problems, status, valid } = decodeResult(text, { role, taskId: "7" })
      assert.strictEqual(valid, problems.length === 0)
      assert.strictEqual(valid, status !== null)
      if (grammar === "none") assert.isFalse(valid)
    })))
})

describe("what follows results", () => {
  it("ends: no task continues for more results than its counters allow", () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...roles),
        fc.array(
          fc.constantFrom(
            { valid: false, status: null } as const,
            { valid: true, status: "gaps" } as const,
            { valid: true, status: "error" } as const
          ),
          { minLength: 20, maxLength: 20 }
        ),
        (role, results) => {
          let state = initialResultState(role)
          const most = resultLimits.invalid + resultLimits.failures + resultLimits.rejections + 2
          const ended = results.findIndex((result) => {
            const next = nextAfterResult(state, result)
            state = next.state
            return next.action === "block" || next.action === "accept"
          })
          assert.isTrue(ended >= 0 && ended < most, `ended after ${ended + 1}`)
        }
      )
    ))
})
