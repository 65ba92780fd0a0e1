// CommitMessage: whatever agents and reviewers wrote, git reads the whole message, and each finding has one line.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { commitMessage } from "../../src/drive/Commits.ts"
import { AnswerWord } from "../../src/drive/converge/Event.ts"
import { hex } from "../../src/testing/arbitraries/Values.ts"
import { nasty, unprintable } from "../hostile.ts"

const hostile = fc.oneof(nasty, nasty.map((text) => `#${text}`), nasty.map((text) => `x\n# ${text}\nSigned-off-by: x`))
const answers = fc.array(
  fc.record({ fingerprint: hex(16), title: hostile, answer: fc.constantFrom(...AnswerWord.literals), why: hostile }),
  { maxLength: 4 }
)
const template = fc.array(
  fc.oneof(hostile, fc.constantFrom("{level}", "{batch}", "{run}", "{findings}", "{count}", "#{round}", "\n", " ")),
  { maxLength: 6 }
).map((parts) => parts.join(""))

describe("the message of any commit", () => {
  it("has a subject, no comment, nothing hidden, and a line for each finding", () =>
    fc.assert(fc.property(template, answers, (text, given) => {
      const message = commitMessage(text, { level: "low", batch: 1, round: 2, run: "r", answers: given })
      const lines = message.slice(0, -1).split("\n")
      assert.isTrue(message.endsWith("\n") && (lines[0] ?? "") !== "" && (lines[0] ?? "").length <= 200)
      assert.notMatch(message, unprintable)
      for (const line of lines) {
        assert.notMatch(line, /^\s*#/)
        assert.isAtMost(line.length, 1000)
      }
      const body = given.length === 0 ? [] : lines.slice(-given.length)
      given.forEach(({ answer, fingerprint }, i) => {
        assert.isTrue(body[i]?.startsWith(`- ${fingerprint} `))
        assert.include(body[i], `: ${answer} - `)
      })
      // What was said of findings begins no line, so that it is no trailer.
      if (!text.includes("Signed-off-by")) assert.notMatch(message, /^Signed-off-by/m)
    })))
})
