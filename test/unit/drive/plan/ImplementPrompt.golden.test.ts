// Golden prompts: the full text of every prompt of a plan run.
// A stored text changes only on purpose: UPDATE_GOLDEN=1 writes it, and its diff is read.
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
import { context, parser, plan, review, runner } from "./examples.ts"

const folder = new URL("../../../../fixtures/prompts/", import.meta.url)

const stored = (name: string, text: string): string => goldenPrompt(`implement-${name}`, text)

const taskId = "cycle-1/implement"
const round = context({
  "implement": "The parser is there.",
  "test": "I added two tests.",
  "fix-1": "It is given now."
})
const alone = context({}, { pending: [] })
const [uncommitted, since] = [{ _tag: "Uncommitted" }, { _tag: "Since", revision: "main" }] as const

const texts = {
  "first": implementPrompt(
    context({}, { tasks: [parser, runner], pending: round.pending.slice(1) }),
    taskId,
    ["AGENTS.md"],
    []
  ),
  "again": implementPrompt(
    context({}, {
      plan: { ...plan, title: null, goal: null, details: null },
      tasks: [runner],
      pending: [],
      tests: [],
      protect: []
    }),
    taskId,
    [],
    ["no line says `DONE: <index>` of a task"]
  ),
  "test": testPrompt(round, "cycle-1/test"),
  "review": reviewPrompt(round, uncommitted),
  "review-everything": reviewPrompt(alone, { _tag: "Everything" }),
  "review-base": reviewPrompt(alone, since, { changes: "/runs/1/texts/0.txt", rules: "Use tabs." }),
  "analysis": analysisPrompt(round, review, "Report leaks."),
  "analysis-text": analysisPrompt({ ...round, pending: [] }, { ...review, issues: [] }, null),
  "fix": fixPrompt(round, "cycle-1/fix-1", "Give the last line too."),
  "re-review": reReviewPrompt(round, since, 1, review),
  "correction": correctionPrompt(["verdict: Missing key"]),
  "conversion": conversionPrompt("It adds one too many.\nVERDICT: NEEDS_FIXES"),
  "review-in-text": addAnswerForm("Review the work.", "command"),
  "retry": retryPreamble({ role: "worker", taskId }, ["status is missing"])
}

describe("the text of", () => {
  it.each(Object.entries(texts))(
    "%s is unchanged",
    (name, text) => assert.strictEqual(`${text}\n`, stored(name, `${text}\n`))
  )

  it("nothing else is stored", () =>
    assert.sameMembers(
      fs.readdirSync(folder).filter((name) => name.startsWith("implement-")),
      Object.keys(texts).map((name) => `implement-${name}.txt`)
    ))
})
