// Answers: any message gives exactly one answer to each finding, and one that is said plainly is found in any message.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseAnswers } from "../../src/drive/converge/Answers.ts"
import { AnswerWord } from "../../src/drive/converge/Event.ts"
import { hex } from "../../src/testing/arbitraries/Values.ts"
import { nasty, unprintable } from "../hostile.ts"

const names = ["0123456789abcdef", "fedcba9876543210"] as const
const word = fc.constantFrom(...AnswerWord.literals)
const pieces = fc.oneof(
  nasty,
  fc.constantFrom("finding ", ...names, ": ", " - ", "**", "`", "- ", "1. ", "\n", " ", ...AnswerWord.literals),
  fc.tuple(fc.constantFrom(...names), word).map(([name, said]) => `\nfinding ${name}: ${said} - `)
)
const message = fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join(""))
const fingerprints = fc.array(fc.oneof(fc.constantFrom(...names), hex(16)), { maxLength: 5 })
const why = fc.stringMatching(/^[a-z(][a-z ,.:-]{0,40}[a-z]$/)
const dress = fc.constantFrom<readonly [string, string, string]>(
  ["", " - ", ""],
  ["- ", ": ", ""],
  ["  * **", "** \u2014 ", ""],
  ["12) `", "` \u2013 ", ""],
  ["- [x] ", " -- ", "  \r"],
  ["`", " - ", "`"]
)

describe("the answers in any message", () => {
  it("are one for each finding, in order, each on one line of bounded length", () =>
    fc.assert(fc.property(message, fingerprints, (text, asked) => {
      const answers = parseAnswers(text, asked)
      assert.deepStrictEqual(answers.map(({ fingerprint }) => fingerprint), asked)
      for (const { answer, why } of answers) {
        assert.include(AnswerWord.literals, answer)
        assert.isTrue(why !== "" && why.length <= 400)
        assert.notMatch(why, unprintable)
        assert.notInclude(why, "\n")
      }
    })))

  it("are those that were said last, however they are dressed", () =>
    fc.assert(fc.property(message, word, why, dress, (text, said, because, [before, between, behind]) => {
      const [name, other] = names
      const line = `${before}Finding ${name}: ${said}${between}${because}${behind}`
      const [first, second] = parseAnswers(`${text}\n${line}\nThat is all.`, [name, other])
      assert.deepStrictEqual(first, { fingerprint: name, answer: said, why: because })
      assert.deepStrictEqual(second, parseAnswers(text, [other])[0])
    })))
})
