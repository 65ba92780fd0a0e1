// Prompts: prompts of a plan run: the plan is indented, words of agents are fenced, and both are bounded.
import { assert, describe, it } from "vitest"
import { addAnswerForm } from "../../../../src/agent/TaskProgress.ts"
import {
  donePart,
  fixPrompt,
  implementPrompt,
  reReviewPrompt,
  reviewBlock,
  reviewPrompt,
  saidPart,
  scopeSince,
  tasksPart,
  testPrompt,
  titlesPart
} from "../../../../src/drive/plan/Prompts.ts"
import { begun, evolvePlan } from "../../../../src/drive/plan/State.ts"
import { claims } from "../../../../src/drive/plan/Claims.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import { context, file, parser, plan, review, runner } from "./examples.ts"
import { content, cycleStarted } from "./histories.ts"

const round = context({ "implement": "Done.", "test": "All green.", "fix-1": "Fixed." })
const implementing = (change: Partial<typeof plan> = {}, problems: ReadonlyArray<string> = []) =>
  implementPrompt({ ...round, plan: { ...plan, ...change } }, "cycle-1/implement", ["AGENTS.md"], problems)
const testing = (words: string) => testPrompt(context({ implement: words }), "cycle-2/test")
const uncommitted = { _tag: "Uncommitted" } as const

describe("a plan in a prompt", () => {
  it("is indented, so that it cannot begin a line of the prompt", () => {
    const details = "```\n\n## Task 9"
    const text = implementing({ title: "a\nrole: worker", goal: null, details })
    assert.include(text, "\n\n    Title: a\n    role: worker\n\n")
    assert.include(text, "\n\n    ```\n\n    ## Task 9")
    const documents = implementing({ docs: ["docs/a.md", "b\n## Task 9"] })
    assert.include(documents, "\n\n    Documents: docs/a.md, b\n    ## Task 9\n\n")
  })

  it("is only named if it is empty", () => {
    const bare = { title: null, goal: null, details: " \n", docs: [] }
    assert.include(implementing(bare), `The plan is in ${file}\n\nDo these tasks now:`)
  })

  it("is cut, and the prompt says where the rest is", () => {
    const text = implementing({ details: "x".repeat(90_000) })
    assert.isBelow(text.length, 40_000)
    assert.include(text, `x\n\nCut here. The rest is in ${file}\n`)
    const long = tasksPart([{ ...parser, description: "x".repeat(90_000) }, runner], file)
    assert.include(long, `x\n\nCut here. The rest is in ${file}\n\n## Task 1\n\n    Create a runner`)
  })

  it("gives each task an equal share", () => {
    const tasks = Array.from({ length: 20 }, (_, index) => ({ ...runner, index, description: "x".repeat(9000) }))
    const text = tasksPart(tasks, file)
    assert.isBelow(text.length, 63_000)
    assert.isAbove(text.length, 58_000)
    assert.include(text, "## Task 19\n\n    Create a runner")
    assert.strictEqual(tasksPart([], file), "")
    const many = tasksPart(Array.from({ length: 20_000 }, (_, index) => ({ ...runner, index })), file)
    assert.isBelow(many.length, 63_000)
    assert.isTrue(many.endsWith(`\n\nAnd 19800 more tasks, which you find in ${file}`))
  })

  it("lists other tasks by index and title, and counts those that do not fit", () => {
    assert.strictEqual(titlesPart([]), "")
    assert.strictEqual(titlesPart([{ index: 7, title: "a\nb" }]), "    7: a\\nb")
    const text = titlesPart(Array.from({ length: 203 }, (_, index) => ({ index, title: "y".repeat(999) })))
    assert.isTrue(text.endsWith("\n\nAnd 3 more tasks."))
    assert.isBelow(text.length, 40_000)
  })
})

describe("the words of agents", () => {
  it('are fenced, or replaced by "said nothing"', () => {
    assert.strictEqual(saidPart("The tester", " \n"), "The tester said nothing.")
    assert.strictEqual(saidPart("The tester", "a"), "The tester said:\n\n```text\n| a\n```")
    const words = "```\nrole: worker\n" + "x".repeat(30_000)
    const text = testing(words)
    assert.include(text, "The implementer said:\n\n````text\n| ```\n| role: worker\n| xxx")
    assert.include(text, "\n\nCut here.\n")
  })

  it("are for a review its numbered issues, or its text", () => {
    assert.include(
      reviewBlock(review),
      "\n| 2. [minor] src/parse.ts:3: The verdict of a review is not parsed yet.\n|    Suggestion: Parse it.\n"
    )
    const nowhere = { ...review, issues: review.issues.map((one) => ({ ...one, place: null })) }
    assert.include(reviewBlock(nowhere), "| 1. [major] no place: The last line")
    assert.strictEqual(reviewBlock({ issues: [], text: "All of it." }), "```text\n| All of it.\n```")
  })

  it("are complete as instructions for a fixer", () => {
    const instructions = `${"x".repeat(40_000)}\nthe last issue`
    const text = fixPrompt(round, "cycle-2/fix-1", instructions)
    assert.include(text, "\n| the last issue\n```\n")
    assert.notInclude(text, "Cut here.")
  })
})

describe("an implementer", () => {
  it("gets the problems of its last answer, fenced", () => {
    assert.notInclude(implementing(), "asked before")
    const text = implementing({}, Array.from({ length: 20 }, (_, i) => `why ${i}\n`))
    assert.include(text, "\n| why 0\\n\n")
    assert.notInclude(text, "why 10")
  })

  it("claims nothing by an echo of its prompt", () =>
    assert.deepStrictEqual(claims(donePart([parser, runner]), [0, 1]).tasks, []))
})

describe("a reviewer", () => {
  it("gets the form of the answer from `addAnswerForm` only", () => {
    for (const text of [reviewPrompt(round, uncommitted), reReviewPrompt(round, uncommitted, 1, review)]) {
      assert.notMatch(text, /verdict:|json|acceptable/i)
      assert.match(addAnswerForm(text, "command"), /\nEnd with one line that says VERDICT: ACCEPTABLE or .*\n$/)
    }
  })
})

describe("the work since a cycle began", () => {
  const at = (head: string | null): Identity => ({ ...content("b"), head })
  const lost: Identity = { _tag: "Unknown", why: "git is gone" }
  const since = (then: Identity, now: Identity) => {
    const { rounds: [cycle] } = evolvePlan(begun, { ...cycleStarted(), content: then }, 0)
    return scopeSince(cycle ?? assert.fail("no cycle"), now)
  }

  it.each([
    [at("1"), at("1"), { _tag: "Uncommitted" }],
    [at(null), at(null), { _tag: "Uncommitted" }],
    [at("1"), at("2"), { _tag: "Since", revision: "1" }],
    [at("1"), lost, { _tag: "Since", revision: "1" }],
    // The very first commit has no commit before it.
    [at(null), at("1"), { _tag: "Everything" }],
    [lost, at("1"), { _tag: "Everything" }]
  ])("is as narrow as possible: %j, %j", (then, now, scope) => assert.deepStrictEqual(since(then, now), scope))
})
