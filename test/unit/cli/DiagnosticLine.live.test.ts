// A line of the program's own log: one JSON document, in which nothing is hidden and nothing is long.
import { Cause, Effect, Logger } from "effect"
import { assert, describe, it } from "vitest"
import { diagnosticLine } from "../../../src/cli/Diagnostics.live.ts"

const line = (effect: Effect.Effect<void>): string => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>((options) => void lines.push(diagnosticLine(options, 7)))
  Effect.runSync(Effect.provide(effect, Logger.layer([logger])))
  assert.lengthOf(lines, 1)
  return lines[0] ?? ""
}
const entry = (effect: Effect.Effect<void>) => JSON.parse(line(effect))

describe("a line", () => {
  it("has the time, the level, the process, the span, the message and what was annotated, in this order", () => {
    const told = Effect.logWarning("two", "parts").pipe(
      Effect.annotateLogs({ slot: 1, kept: true, batch: null, events: ["A", "B"] }),
      Effect.withSpan("Git.identity")
    )
    const { time, ...rest } = entry(told)
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepStrictEqual(rest, {
      level: "WARN",
      pid: 7,
      span: "Git.identity",
      message: "two parts",
      slot: 1,
      kept: true,
      batch: null,
      events: ["A", "B"]
    })
    assert.match(line(told), /^\{"time":"[^"]*","level":"WARN","pid":7,"span":"Git.identity","message":"two parts",/)
    assert.match(line(told), /\}\n$/)
  })

  it("hides nothing, in a text, in a name and in a list", () => {
    const bytes = line(
      Effect.annotateLogs(Effect.logInfo("a\u001b[2Jb\nc"), { "na\u202eme": ["\u200b"], other: { deep: "\u0007" } })
    )
    assert.notMatch(bytes.slice(0, -1), /[\p{Cc}\p{Cf}]/u)
    const { message, other } = JSON.parse(bytes)
    assert.strictEqual(message, "a\\u001b[2Jb\\nc")
    assert.strictEqual(other, '{"deep":"\\u0007"}')
  })

  it("cuts what is long", () => {
    const { said } = entry(Effect.annotateLogs(Effect.logInfo("x"), { said: "y".repeat(10_000) }))
    assert.strictEqual(said, `${"y".repeat(497)}...`)
  })

  it("keeps its own fields from annotations of the same name", () => {
    const { level, message, pid } = entry(
      Effect.annotateLogs(Effect.logInfo("x"), { level: "FAKE", pid: 1, message: "z" })
    )
    assert.deepStrictEqual({ level, message, pid }, { level: "INFO", message: "x", pid: 7 })
  })

  it("tells the cause of a failure by its message", () => {
    const failing = Effect.logError("ended", Cause.fail(new Error("no room")))
    assert.strictEqual(entry(failing).cause, "no room")
  })
})
