// Golden prompts: every word that a plan run says to an agent.
// The one rule: a stored text changes on purpose only: UPDATE_GOLDEN=1 writes it, and its diff is read.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { goldenPrompt } from "../../prompts/goldenPrompt.ts"
import { retryPreamble } from "../../../../src/agent/ResultRetry.ts"
import { addAnswerForm, conversionPrompt, correctionPrompt } from "../../../../src/agent/TaskProgress.ts"
import {
  analysisPrompt,
  fixPrompt,
  implementPrompt,
  reReviewPrompt,
  reviewPrompt,
  testPrompt
} from "../../../../src/drive/plan/Prompts.ts"
import { parser, pending, plan, review, runner, verdicts } from "./examples.ts"

const folder = new URL("../../../../fixtures/prompts/", import.meta.url)

const stored = (name: string, text: string): string => goldenPrompt(`implement-${name}`, text)

const taskId = "cycle-1/implement"
const [tests, protect, planFile] = [["npm test"], ["*.lock"], plan.file]
const [implementer, tester] = ["The parser is there.", "I added two tests."]
const first = { taskId, plan, tests, protect, conventions: ["AGENTS.md"], problems: [] }

const scope = { _tag: "Since", revision: "main" } as const

const texts = {
  "first": implementPrompt({ ...first, tasks: [parser, runner], pending: pending.slice(1) }),
  "again": implementPrompt({
    ...first,
    plan: { ...plan, title: null, goal: null, details: null },
    tasks: [runner],
    pending: [],
    conventions: [],
    tests: [],
    protect: [],
    problems: ["no line says `DONE: <index>` of a task"]
  }),
  "test": testPrompt({ taskId: "cycle-1/test", planFile, done: [parser], implementer, tests, protect }),
  "review": reviewPrompt({ plan, done: [parser], pending, tester, scope: { _tag: "Uncommitted" } }),
  "review-everything": reviewPrompt({ plan, done: [parser], pending: [], tester: "", scope: { _tag: "Everything" } }),
  "review-base": reviewPrompt({ plan, done: [parser], pending: [], tester: "", scope }),
  "analysis": analysisPrompt({
    planFile,
    review,
    reviewDocument: "Report leaks.",
    done: [{ index: 0, title: parser.title }],
    pending: [runner, verdicts],
    implementer
  }),
  "analysis-text": analysisPrompt({
    planFile,
    review: { ...review, issues: [] },
    reviewDocument: null,
    done: [{ index: 0, title: parser.title }],
    pending: [],
    implementer
  }),
  "fix": fixPrompt({
    taskId: "cycle-1/fix-1",
    planFile,
    done: [parser],
    implementer,
    tester,
    instructions: "Give the last line too.",
    tests,
    protect
  }),
  "re-review": reReviewPrompt({
    planFile,
    previous: review,
    fixer: "It is given now.",
    done: [parser],
    pending,
    scope
  }),
  "correction": correctionPrompt(["verdict: Missing key"]),
  "conversion": conversionPrompt("It adds one too many.\nVERDICT: NEEDS_FIXES"),
  "review-in-text": addAnswerForm("Review the work.", "command"),
  "retry": retryPreamble({ role: "worker", taskId }, ["status is missing"])
}

describe("the text of", () => {
  it.each(Object.entries(texts))(
    "%s is as ever",
    (name, text) => assert.strictEqual(`${text}\n`, stored(name, `${text}\n`))
  )

  it("nothing else is stored", () =>
    assert.sameMembers(
      fs.readdirSync(folder).filter((name) => name.startsWith("implement-")),
      Object.keys(texts).map((name) => `implement-${name}.txt`)
    ))
})
