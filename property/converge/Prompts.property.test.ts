// Prompts: in prompts and hand-offs, text of agents, reviewers and tests is in a fence that it cannot close.
// Each line of a stranger's text bears a mark, and no line outside of the fences bears it.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { compactPrompt } from "../../src/agent/PromptBudget.ts"
import { addressPrompt, patternsPrompt, retroPrompt } from "../../src/drive/converge/Prompts.ts"
import {
  agentFailed,
  blockedText,
  commitRefused,
  gitChangedEnd,
  protectedEnd,
  testsFailed
} from "../../src/drive/Ends.ts"
import { finishPrompt, fixCommitPrompt, fixTestsPrompt } from "../../src/drive/Prompts.ts"
import { findingOf } from "../../src/review/findings/Finding.ts"
import type { Outcome } from "../../src/run/Outcome.ts"
import { AnswerWord } from "../../src/drive/converge/Event.ts"
import { batchOf, report } from "../../test/support/reviewedBatches.ts"
import { oneLine } from "../../src/text/Untrusted.ts"
import { outside } from "../fences.ts"
import { nasty, unprintable } from "../hostile.ts"

const mark = "STRANGE"
const evil = nasty.map((text) => text.replace(/^|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/g, `$&${mark}`))
const evils = fc.array(evil, { maxLength: 3 })
const exit = fc.option(fc.nat({ max: 255 }))
const finding = fc.record({ title: evil, body: evil, path: evil, slot: fc.constantFrom(1, 2) })
  .map(({ path, slot, ...rest }) => findingOf({ ...rest, priority: 1, place: { path, lines: null } }, slot, "/repo"))
const findings = fc.array(finding, { maxLength: 3 })

/** Asserts that all marked lines of a text are in fences, and that it holds nothing invisible. */
const fencesIn = (text: string): void => {
  const free = outside(text)
  if (free === null) return assert.fail("a fence stays open")
  // What a person gave is indented, which begins and ends no fence.
  for (const line of free) if (!line.startsWith(`    ${mark}`)) assert.notInclude(line, mark)
  assert.notMatch(text.replace(/\t/g, ""), unprintable)
}

describe("the prompt of a round", () => {
  it("fences findings, reviews, answers, output and commands, also where it is cut", () =>
    fc.assert(fc.property(
      fc.record({ findings, body: evil, said: evils, tests: evils, protect: evils, red: fc.option(evil) }),
      fc.constantFrom(...AnswerWord.literals),
      fc.option(fc.integer({ min: 1, max: 2000 })),
      ({ body, findings, protect, red, said, tests }, answer, window) => {
        const { findings: reported } = report(batchOf(1, findings), batchOf(2, findings))
        const prompt = addressPrompt({
          contractPrompt: "Verify and address.",
          taskId: "round-1/address",
          findings: reported,
          unlisted: [{ slot: 2, reason: "in-doubt", body }],
          earlier: [...reported.map(({ finding }) => finding.fingerprint), "0".repeat(16)].flatMap((fingerprint) =>
            said.map((why) => ({ fingerprint, title: why, answer, why }))
          ),
          findingsFile: "/state/findings.md",
          tests,
          protect,
          redBaseline: red
        })
        const text = compactPrompt(prompt, window)
        fencesIn(text)
        // Each finding is named, whatever was left out.
        for (const { finding } of reported) assert.include(text, `\n| ${finding.fingerprint}  P1  `)
      }
    )))
})

describe("any other prompt", () => {
  it("fences what tests and agents said", () =>
    fc.assert(fc.property(evil, evils, exit, fc.boolean(), fc.boolean(), (words, list, exit, whole, changed) => {
      const [taskId, historyFile, level, fingerprints] = ["t", "/history.md", "low", ["0".repeat(16)]] as const
      const red = { taskId, exit, changed, timeout: 1000, attempt: 1, of: 2, fingerprints, whole }
      fencesIn(fixTestsPrompt({ ...red, command: words, tail: list.join("") }))
      fencesIn(fixCommitPrompt({ ...red, output: words }))
      fencesIn(patternsPrompt({ taskId, patterns: words, historyFile, tests: list, protect: list, floor: level }))
      fencesIn(finishPrompt({ taskId, issues: words, fingerprints }))
      fencesIn(retroPrompt({ contractPrompt: "All clean.", taskId, historyFile, level }))
    })))
})

const whyOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

describe("a reason for a person", () => {
  it("is one line without hidden characters, whatever tests, agents and git said", () =>
    fc.assert(fc.property(evil, evils, exit, fc.boolean(), fc.boolean(), (words, list, exit, restored, changed) => {
      const tests = { command: words, exit, changed, restored }
      const parts = { summary: words, requirements: words, problems: words, solutions: words }
      const reasons = [
        ...[0, 1].map((round) => testsFailed({ ...tests, round })),
        commitRefused({ refusedBy: "git", output: words, restored }),
        blockedText(list, words),
        whyOf(protectedEnd(list)),
        ...[null, parts].map((report) => agentFailed(words, words, report)),
        whyOf(gitChangedEnd(list))
      ]
      for (const reason of reasons) assert.strictEqual(oneLine(reason), reason)
    })))
})
