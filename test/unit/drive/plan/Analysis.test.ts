// Analysis: what must be fixed after a review.
import { assert, describe, it } from "vitest"
import {
  analyse,
  analysisJsonSchema,
  isGrave,
  issueWeighs,
  readAnalysis,
  weighs
} from "../../../../src/drive/plan/Analysis.ts"
import type { GivenReview, PromptTask } from "../../../../src/drive/plan/Prompts.ts"
import { grave, issue, later, runner, verdicts } from "./examples.ts"

const quote = "Parse the verdict of a review"
const drop = { issue: later.description, task: verdicts.index, quote }
const written = (dropped: ReadonlyArray<unknown>, needs_fixes = false, fix_instructions = "") =>
  JSON.stringify({ needs_fixes, fix_instructions, dropped })
const pending = [runner, verdicts]
const given = (...issues: GivenReview["issues"]): GivenReview => ({ issues, text: "the raw review" })
const judged = (
  dropped: ReadonlyArray<unknown>,
  review = given(later),
  tasks: ReadonlyArray<PromptTask> = pending
) => analyse({ review, pending: tasks, answer: written(dropped) })

describe("the answer of an analysis", () => {
  it("has a schema without additional properties", () => {
    const schema = JSON.stringify(analysisJsonSchema())
    assert.include(schema, '"required":["needs_fixes","fix_instructions","dropped"],"additionalProperties":false')
    assert.include(schema, '"required":["issue","task","quote"],"additionalProperties":false')
  })

  it("is only read as JSON", () => {
    const answer = { needs_fixes: false, fix_instructions: "", dropped: [drop] }
    assert.deepStrictEqual(readAnalysis(written([drop])), { answer, problems: [] })
    assert.deepStrictEqual(readAnalysis(`So: ${written([drop])}`), {
      answer: null,
      problems: ["the analysis is not one JSON object alone"]
    })
    for (const text of ['{"needs_fixes": false}', '{"needs_fixes": true, "needs_fixes": false}']) {
      const { answer, problems } = readAnalysis(text)
      assert.isNull(answer)
      assert.isNotEmpty(problems)
    }
  })

  it.each([null, "", " \n", "needs_fixes: false", '{"needs_fixes": false}', `${written([drop])}.`])(
    "leaves the whole review if it is %j",
    (answer) => {
      const { problems, ...rest } = analyse({ review: given(later), pending, answer })
      assert.deepStrictEqual(rest, { needsFixes: true, instructions: "the raw review", dropped: [] })
      assert.isNotEmpty(problems)
    }
  )
})

describe("an issue is dropped", () => {
  it.each([
    ["by its words", drop],
    ["by part of its words", { ...drop, issue: "verdict of a review is not parsed" }],
    ["by its number", { ...drop, issue: "1" }],
    ["by its number with words", { ...drop, issue: "Issue #1" }],
    ["with other white space", {
      ...drop,
      issue: " The verdict of a\nreview is  not parsed yet.",
      quote: ` ${quote},\nand`
    }],
    ["with a quote over lines of the plan", { ...drop, quote: "and enter the fix stage" }],
    ["with a quote of the title", { ...drop, quote: "Handle the verdict" }],
    ["with a quote of a step", { ...drop, quote: "command line flag" }]
  ])("%s", (_, one) => {
    const { dropped, instructions, needsFixes, problems } = judged([one])
    assert.deepStrictEqual([needsFixes, instructions, problems], [false, "", []])
    assert.lengthOf(dropped, 1)
    assert.strictEqual(dropped[0]?.issue, later.description)
  })

  const unclear = given(later, issue({ place: "src/b.ts:1" }))
  it.each<[string, object, GivenReview, ReadonlyArray<PromptTask>, RegExp]>([
    ["of a task that is not pending", drop, given(later), [runner], /task 4 is not pending/],
    ["with an unknown task", { ...drop, task: 99 }, given(later), pending, /task 99 is not pending/],
    [
      "with a quote of another task",
      { ...drop, task: runner.index },
      given(later),
      pending,
      /is not in task 1/
    ],
    ["with a quote of nothing", { ...drop, quote: "Parse all verdicts" }, given(later), pending, /is not in task/],
    [
      "with a quote of two texts",
      { ...drop, quote: "the reviewer Parse the verdict" },
      given(later),
      pending,
      /is not in/
    ],
    ["with a short quote", { ...drop, quote: "the verdict" }, given(later), pending, /too short/],
    ["with a quote of blanks", { ...drop, quote: `a${" ".repeat(20)}b` }, given(later), pending, /too short/],
    [
      "that the review lacks",
      { ...drop, issue: "The runner is missing." },
      given(later),
      pending,
      /names no such issue/
    ],
    ["by a word", { ...drop, issue: "verdict" }, given(later), pending, /names no such issue/],
    ["by a number too high", { ...drop, issue: "2" }, given(later), pending, /names no such issue/],
    ["by the number 0", { ...drop, issue: "0" }, given(later), pending, /names no such issue/],
    ["by words of two issues", drop, unclear, pending, /names no such issue/],
    ["that is critical", drop, given(issue({ severity: "critical" })), pending, /security or correctness/],
    ["that is grave by its suggestion", drop, given(issue({ suggestion: "It crashes." })), pending, /security or corr/]
  ])("not %s", (_, one, review, tasks, why) => {
    const { dropped, instructions, needsFixes, problems } = judged([one], review, tasks)
    assert.isTrue(needsFixes)
    assert.deepStrictEqual(dropped, [])
    assert.include(instructions, later.description)
    assert.match(problems.join(), why)
  })

  it("and the others stay", () => {
    const { dropped, instructions, needsFixes } = judged([drop], given(grave, later))
    assert.isTrue(needsFixes)
    assert.lengthOf(dropped, 1)
    assert.include(instructions, grave.description)
    assert.notInclude(instructions, later.description)
  })

  it("but not another one with the same words", () => {
    const { dropped, needsFixes } = judged([{ ...drop, issue: "2" }], given(later, issue({ place: "src/b.ts:1" })))
    assert.isTrue(needsFixes)
    assert.lengthOf(dropped, 1)
  })
})

describe("there is something to fix", () => {
  const info = issue({ severity: "info" })

  it("unless only info is left", () => {
    assert.isFalse(judged([], given(info)).needsFixes)
    assert.isFalse(judged([drop], given({ ...info, description: "Before." }, later)).needsFixes)
    assert.isTrue(judged([], given(info, later)).needsFixes)
  })

  it("where the analysis says so", () => {
    const answer = written([drop], true, "Mend it.")
    const found = analyse({ review: given(later), pending, answer })
    assert.deepStrictEqual([found.needsFixes, found.instructions], [true, "Mend it."])
    assert.strictEqual(
      analyse({ review: given(later), pending, answer: written([drop], true) }).instructions,
      "the raw review"
    )
  })

  it("if a text has no valid drop, or is grave anywhere", () => {
    const text = "The verdict of a review\nis not parsed yet.\n\nVERDICT: NEEDS_FIXES"
    const review = { issues: [], text }
    assert.isTrue(judged([], review).needsFixes)
    assert.strictEqual(judged([], review).instructions, text)
    assert.isTrue(judged([{ ...drop, issue: "1" }], review).needsFixes)
    assert.isTrue(judged([{ ...drop, issue: "The runner is missing." }], review).needsFixes)
    const found = judged([drop], review)
    assert.deepStrictEqual([found.needsFixes, found.dropped], [false, [drop]])
    assert.isTrue(judged([drop], { issues: [], text: `${text}\nIt also leaks.` }).needsFixes)
    // The rest of the text may be another issue, whatever the analysis says.
    assert.isTrue(judged([drop], { issues: [], text: `${text}\nAnd 2 and 2 is 5.` }).needsFixes)
    assert.isTrue(judged([drop], { issues: [], text: `${text}: and 2 and 2 is 5` }).needsFixes)
    assert.isFalse(judged([drop], { issues: [], text: `## Issues\n\n1. ${text}` }).needsFixes)
    // Without a verdict it is a review that could not be read.
    assert.isTrue(judged([drop], { issues: [], text: text.replace("VERDICT: NEEDS_FIXES", "") }).needsFixes)
    const leak = "The runner leaks memory."
    assert.isTrue(judged([{ ...drop, issue: leak }], { issues: [], text: text.replace(/^[^.]*\./, leak) }).needsFixes)
    // There is a verdict, but no list.
    assert.isTrue(judged([], { issues: [], text: "VERDICT: NEEDS_FIXES" }).needsFixes)
  })
})

describe("the instructions", () => {
  const instructed = (said: string, ...issues: GivenReview["issues"]) =>
    analyse({ review: given(...issues), pending, answer: written([], true, said) }).instructions

  it("come from the analysis, plus each grave issue that it leaves out", () => {
    assert.strictEqual(
      instructed("Mend: The last  line\nis left out.", grave, later),
      "Mend: The last  line\nis left out."
    )
    assert.strictEqual(
      instructed("Do it.", later, grave),
      "Do it.\n\n[major] src/parse.ts:3: The last line is left out.\n   Flush."
    )
  })

  it("are all remaining issues, the gravest first, if the analysis gives none", () => {
    const text = instructed(" ", later, grave, issue({ severity: "info", description: "Old." }))
    assert.isBelow(text.indexOf(grave.description), text.indexOf(later.description))
    assert.notInclude(text, "Old.")
  })

  it("are bounded, and keep the issues behind the cut", () => {
    const text = instructed("x".repeat(90_000), grave)
    assert.isBelow(text.length, 21_000)
    assert.include(text, grave.description)
  })

  it("come with few and short problems", () => {
    const { problems } = judged(Array.from({ length: 999 }, () => ({ ...drop, issue: "y".repeat(999) })))
    assert.isAtMost(problems.length, 10)
    for (const problem of problems) assert.isAtMost(problem.length, 400)
  })
})

describe("an issue is grave by its words", () => {
  it.each([
    "A security problem.",
    "SQL injection in the query",
    "shell commands can be injected",
    "the sqlInjection test is missing",
    "a memoryLeak",
    "The API key is logged",
    "credentials are in the log",
    "path traversal",
    "missing authorization",
    "The input is not\nescaped",
    "It can corrupt the file",
    "data loss",
    "data\n  loss",
    "edits of the user are lost when it ends",
    "Crashes for an empty file",
    "two writers race",
    "a race condition",
    "wrong result for 0",
    "an incorrect bound",
    "off-by-one",
    "off by one",
    "It throws for null",
    "the build is broken",
    "sec\u200burity",
    "Severity: critical"
  ])("in the words %j", (words) => assert.isTrue(weighs(words)))

  it.each([
    "",
    "The verdict is not parsed yet.",
    "There is no fix loop.",
    "The runner has no flag for the limit.",
    "The re-review is missing.",
    "A trace is not written.",
    "VERDICT: NEEDS_FIXES",
    "There is no debug output.",
    "No change of the embrace"
  ])("not in the words %j", (words) => assert.isFalse(weighs(words)))

  it("if it is critical, or its text or suggestion is grave", () => {
    assert.isFalse(issueWeighs(issue()))
    assert.isFalse(issueWeighs(issue({ severity: "major" })))
    assert.isTrue(issueWeighs(issue({ severity: "critical" })))
    assert.isTrue(issueWeighs(issue({ description: "It crashes." })))
    assert.isTrue(issueWeighs(issue({ suggestion: "Close the leak." })))
  })

  it("and if it is critical or major", () => {
    const grave = (["critical", "major", "minor", "info"] as const).filter((severity) => isGrave({ severity }))
    assert.deepStrictEqual(grave, ["critical", "major"])
  })
})
