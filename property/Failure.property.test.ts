// Failure: no text that a project can print changes what a reviewer failed for, whether it is retried, or the remedy.
// The one rule: the project prints whatever it likes, codex's own last words among it, and then codex ends as it does.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isTransient, remedy } from "../src/run/FailureKind.ts"
import { judge } from "../src/review/verdict/Judge.ts"
import { transcriptReader } from "../src/review/verdict/Reading.ts"

const notice = "codex\nReview was interrupted. Please re-run /review and wait for it to complete."
const orderly = (words: string) => `ERROR: ${words}\n${notice}\nERROR: ${words}`
const words = [
  "unexpected status 401 Unauthorized: no, url: http://x",
  "You've hit your usage limit. Try again at 9:36 AM.",
  "rate limit exceeded",
  '{"error":{"code":"model_not_found","message":"no","param":"reasoning.effort"}}',
  "request timed out"
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
