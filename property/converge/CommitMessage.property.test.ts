// CommitMessage: whatever agents and reviewers wrote, git reads the whole message, and each finding has lines of its own.
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
  it("has a subject, no comment, nothing hidden, and lines of at most 72 characters for each finding", () =>
    fc.assert(fc.property(template, answers, (text, given) => {
      const message = commitMessage(text, { level: "low", batch: 1, round: 2, run: "r", answers: given })
      const lines = message.slice(0, -1).split("\n")
      assert.isTrue(message.endsWith("\n") && (lines[0] ?? "") !== "" && (lines[0] ?? "").length <= 200)
      assert.notMatch(message, unprintable)
      for (const line of lines) {
        assert.notMatch(line, /^#/)
        assert.isAtMost(line.length, 1000)
      }
      const body = given.length === 0 ? "" : message.slice(message.lastIndexOf("\n\n- ") + 2, -1)
      const items = body.split(/\n(?! {2})/)
      assert.lengthOf(items, Math.max(1, given.length))
      given.forEach(({ answer, fingerprint }, i) => {
        const item = items[i] ?? ""
        assert.isTrue(item.startsWith(`- ${fingerprint}`))
        assert.include(item.replace(/\n? +/g, " "), `: ${answer} -`)
        assert.isTrue(item.split("\n").every((line) => [...line].length <= 72))
      })
      // What was said of findings begins no line, so that it is no trailer.
      if (!text.includes("Signed-off-by")) assert.notMatch(message, /^Signed-off-by/m)
    })))
})
