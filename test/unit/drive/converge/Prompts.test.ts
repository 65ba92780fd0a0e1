// Prompts: every blocking finding is listed whatever the size of the context; bodies and old answers are dropped first.
import { assert, describe, it } from "vitest"
import { compactPrompt } from "../../../../src/agent/PromptBudget.ts"
import { type AddressRequest, addressPrompt, blocks } from "../../../../src/drive/converge/Prompts.ts"
import type { ReportedFinding } from "../../../../src/review/findings/Report.ts"
import { batchOf, report, wrote } from "../../../support/reviewedBatches.ts"

const grave = wrote(1, { title: "Guard a null user", body: "It breaks at once.", priority: 0 })
const slight = wrote(2, { title: "Rename the thing", body: "It reads badly.", priority: 3, path: "src/b.ts" })
const both = report(batchOf(1, [grave]), batchOf(2, [grave, slight])).findings
const dismissal: NonNullable<ReportedFinding["dismissed"]> = {
  fingerprint: slight.fingerprint,
  priority: 3,
  path: null,
  wordings: [],
  until: null,
  reason: "Known.",
  at: "2026-01-01",
  scope: "run"
}

const asked = (fields: Partial<AddressRequest> = {}): AddressRequest => ({
  contractPrompt: "Verify and address 2 review(s) with issues at level low.\nFindings: /state/findings.md",
  taskId: "round-2/address",
  findings: both,
  unlisted: [],
  earlier: [],
  findingsFile: "/state/findings.md",
  tests: ["npm test"],
  protect: [],
  redBaseline: null,
  ...fields
})
const text = (fields: Partial<AddressRequest> = {}) => compactPrompt(addressPrompt(asked(fields)), null)
const answered = (title: string, fingerprint: string, answer: "fixed" | "refuted" = "refuted", why = "by design") => ({
  title,
  fingerprint,
  answer,
  why
})

describe("the prompt of a round", () => {
  it("leaves out findings that do not block", () => {
    const [first, second] = both
    if (first === undefined || second === undefined) throw new Error("two findings")
    for (const waived of [{ ...second, light: true }, { ...second, dismissed: dismissal }]) {
      assert.isFalse(blocks(waived))
      const whole = text({ findings: [first, waived] })
      assert.notInclude(whole, slight.fingerprint)
      assert.include(whole, "1 more finding in the findings file need not be addressed.")
    }
  })

  it("shows the refutation of a finding that was reported again; the last answer counts", () => {
    const refuted = answered("Guard a null user", grave.fingerprint)
    assert.include(text({ earlier: [refuted] }), "reviewers report them again")
    assert.include(
      addressPrompt(asked({ earlier: [refuted] })).before,
      `| ${grave.fingerprint}  Guard a null user: refuted - by design`
    )
    const fixed = answered("Guard a null user", grave.fingerprint, "fixed", "a guard")
    const later = addressPrompt(asked({ earlier: [refuted, fixed] }))
    assert.notInclude(later.before, "reviewers report them again")
    assert.include(
      later.items.join("\n"),
      `: refuted - by design\n| ${grave.fingerprint}  Guard a null user: fixed - a guard`
    )
  })

  it("drops old answers, then slight findings, but never the list", () => {
    const prompt = addressPrompt(asked({
      earlier: [answered("Gone by now", "0".repeat(16), "fixed")],
      unlisted: [{ slot: 3, reason: "in-doubt", body: "Something is off." }]
    }))
    const parts = ["Gone by now", "It reads badly.", "It breaks at once.", "Something is off."]
    assert.lengthOf(prompt.items, 4)
    parts.forEach((part, i) => assert.include(prompt.items[i], part))
    const least = compactPrompt(prompt, 1)
    for (const part of parts) assert.notInclude(least, part)
    for (const { fingerprint, title } of [grave, slight]) {
      assert.include(least, `| ${fingerprint}  `)
      assert.include(least, title)
    }
    assert.include(least, "1 review found issues but listed no finding")
    assert.include(least, "task_id: round-2/address")
  })

  it("says what is protected, and which tests failed before", () => {
    const whole = text({
      protect: ["*.lock"],
      redBaseline: "FAIL old.test.ts",
      tests: [],
      unlisted: [{ slot: 3, reason: "in-doubt", body: " " }]
    })
    assert.include(whole, "\n    *.lock\n")
    assert.include(whole, "| FAIL old.test.ts")
    assert.include(whole, "no tests")
    assert.include(whole, "Nothing of it is left here. Look in /state/findings.md")
  })
})
