// FailedReport: reports, their sections, and messages that only mention one.
import { assert, describe, it } from "vitest"
import { parseFailedReport } from "../../../src/agent/AgentEnding.ts"

const nothing = { requirements: "", problems: "", solutions: "" }

describe("a report of failure", () => {
  it("has a summary and its sections, however their headings are written", () =>
    assert.deepStrictEqual(
      parseFailedReport(
        "\n\nFAILED: The two tasks contradict each other.\n## Requirements\n- a\n- b\nProblems:\nA needs B.\n\n# possible solutions:\ndrop A\n"
      ),
      {
        summary: "The two tasks contradict each other.",
        requirements: "- a\n- b",
        problems: "A needs B.",
        solutions: "drop A"
      }
    ))

  it.each([
    ["Goals", "requirements"],
    ["CONSTRAINTS:", "problems"],
    ["## Next steps", "solutions"],
    [
      "**Issues:**",
      "problems"
    ],
    ["_Problems_", "problems"],
    ["## Problems ##", "problems"],
    ["# POTENTIAL SOLUTIONS", "solutions"]
  ])(
    "knows the heading %s",
    (heading, section) =>
      assert.deepInclude(parseFailedReport(`FAILED: no\nfirst\n${heading}\ntext`), { [section]: "text" })
  )

  it("takes the text behind the first line for the problem, where no heading names one", () => {
    assert.deepStrictEqual(parseFailedReport("FAILED: no\nThe disk is full.\nMore."), {
      ...nothing,
      summary: "no",
      problems: "The disk is full.\nMore."
    })
    const text = "The disk is full.\nRequirements:\n- space\nRecommendations\nbuy one"
    assert.deepStrictEqual(parseFailedReport(`FAILED: no\n${text}`), {
      summary: "no",
      requirements: "- space",
      problems: text,
      solutions: "buy one"
    })
    assert.deepInclude(parseFailedReport("FAILED: no\nProblems:\n\nGoals:\nr"), { problems: "Problems:\n\nGoals:\nr" })
    assert.deepStrictEqual(parseFailedReport("\ufeffFAILED:"), { ...nothing, summary: "" })
  })

  it.each(["### Goals", "### Problems", "Goal:", "Goals of it:", "- Goals", "Goals   x"])(
    "does not take %j for a heading",
    (line) =>
      assert.deepInclude(parseFailedReport(`FAILED: no\n${line}\ntext`), {
        requirements: "",
        problems: `${line}\ntext`
      })
  )

  it.each([
    "",
    "failed: no",
    "Failed: no",
    " FAILED: no",
    "> FAILED: no",
    "FAILED no",
    "ok\nFAILED: 3 tests",
    "**FAILED:** no"
  ])(
    "is not %j",
    (text) => assert.isNull(parseFailedReport(text))
  )
})
