// The verdict of every kind of answer that the real Codex CLI can be made to pass on, with its reason and its source.
// Exact: what codex's session file records decides; an answer that codex could not parse is read where it printed it.
import { assert, describe, it } from "vitest"
import { message } from "../../fixtures/stand-in-model/reply.mjs"
import { type Finding, reviewText } from "../../fixtures/stand-in-model/review.mjs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { changed, judged, judgedInTurn, ONE_SLOT, step } from "./judged.ts"

const SOUND = "The change looks correct: it keeps what callers rely on and its tests cover both branches."
const guard = (path: string): Finding => ({ title: "Guard a null user", body: "It may be null.", path, line: 1 })
const answer = (fields: object): Record<string, unknown> => ({
  ...JSON.parse(reviewText({ explanation: SOUND })),
  ...fields
})
const without = (field: string): string => JSON.stringify({ ...answer({}), [field]: undefined })
const said = (fields: object) => scenarios.prose(JSON.stringify(answer(fields)))
const found = (explanation: string, ...fields: ReadonlyArray<Partial<Finding>>) => (path: string): Policy =>
  scenarios.prose(reviewText({ explanation, findings: fields.map((one) => ({ ...guard(path), ...one })) }))
const prose = (text: string) => () => scenarios.prose(text)
const correctness = (overall_correctness: unknown, overall_explanation = SOUND) => () =>
  said({ overall_correctness, overall_explanation })

const cases: ReadonlyArray<readonly [string, (path: string) => Policy, string]> = [
  ["no finding, correct", () => scenarios.clean, "Clean session-correct session 0"],
  ["one finding", scenarios.oneFinding, "HasIssues session-findings session 1"],
  ["several findings", scenarios.severalFindings, "HasIssues session-findings session 3"],
  ["a finding without a tag", found("Bad.", {}), "HasIssues session-findings session 1"],
  ["a finding and no explanation", found("", {}), "HasIssues session-findings session 1"],
  [
    "a finding beside praise",
    found("No issues found. The patch is correct.", {}),
    "HasIssues session-findings session 1"
  ],
  ["a finding with an invalid priority", found("Bad.", { priority: 7 }), "HasIssues session-findings session 1"],
  [
    "a finding with an empty title and body",
    found("Bad.", { title: "", body: "" }),
    "HasIssues session-findings session 1"
  ],
  [
    "a title over two lines",
    found("Bad.", { title: "Guard\n- No issues found." }),
    "HasIssues session-findings session 1"
  ],
  ["a finding of a file elsewhere", found("Bad.", { path: "/etc/passwd" }), "HasIssues session-findings session 1"],
  [
    "400 findings",
    (path) => found("Bad.", ...Array.from({ length: 400 }, (_, i) => ({ line: i + 1 })))(path),
    "HasIssues session-findings session 400"
  ],
  ["JSON in a fence", prose(`\`\`\`json\n${JSON.stringify(answer({}))}\n\`\`\``), "Clean session-correct session 0"],
  [
    "JSON in prose",
    prose(`Here it is:\n${JSON.stringify(answer({}))}\nThat is all.`),
    "Clean session-correct session 0"
  ],
  ["unknown fields", () => said({ notes: ["x"], severity: { a: 1 } }), "Clean session-correct session 0"],

  ["incorrect without a finding", correctness("patch is incorrect"), "HasIssues session-incorrect session 0"],
  ["incorrect and silent", correctness("patch is incorrect", ""), "HasIssues session-incorrect session 0"],
  [
    "correct and silent: codex says it failed",
    correctness("patch is correct", ""),
    "NoReview session-no-review session"
  ],
  ["correct in capitals", correctness("PATCH IS CORRECT"), "Clean session-correct session 0"],
  ["not correct", correctness("patch is not correct"), "HasIssues session-incorrect session 0"],
  ["not entirely correct", correctness("patch is not entirely correct"), "HasIssues session-incorrect session 0"],
  [
    "mostly correct, with a defect",
    correctness("mostly correct", "The loop crashes on an empty list."),
    "HasIssues session-incorrect session 0"
  ],
  [
    "odd, with a defect",
    correctness("needs work", "The loop crashes on an empty list."),
    "HasIssues session-incorrect session 0"
  ],
  ["odd, with nothing said against it", correctness("lgtm"), "HasIssues session-incorrect session 0"],
  ["no verdict, nothing said against it", correctness(""), "Clean no-defect-stated stdout 0"],
  [
    "correct, and nothing was seen",
    correctness("patch is correct", "I could not access the diff."),
    "NoReview diff-not-seen session"
  ],
  [
    "incorrect, and nothing was seen",
    correctness("patch is incorrect", "I could not access the diff."),
    "NoReview diff-not-seen session"
  ],
  [
    "correct, of an empty diff",
    correctness("patch is correct", "There is nothing to review."),
    "NoReview nothing-to-review session"
  ],
  [
    "correct, but listing a finding",
    correctness("patch is correct", "Fine.\n\nReview comment:\n\n- [P1] Guard — one.mjs:1-1\n  May be null."),
    "HasIssues rendered-findings session 1"
  ],

  ["no priorities", scenarios.withoutPriority, "HasIssues json-findings stdout 2"],
  ["no explanation", prose(without("overall_explanation")), "Clean json-no-findings stdout 0"],
  ["no score", prose(without("overall_confidence_score")), "Clean json-no-findings stdout 0"],
  [
    "no score, and incorrect",
    () => said({ overall_correctness: "patch is incorrect", overall_confidence_score: undefined }),
    "HasIssues json-incorrect stdout 0"
  ],
  [
    "two objects",
    (path) =>
      scenarios.prose(`${JSON.stringify(answer({}))}\n${reviewText({ explanation: "Bad.", findings: [guard(path)] })}`),
    "HasIssues json-findings stdout 1"
  ],
  [
    "an object that breaks off",
    (path) => scenarios.prose(reviewText({ explanation: "Bad.", findings: [guard(path)] }).slice(0, -60)),
    "HasIssues json-findings stdout 1"
  ],
  ["prose without a defect", prose(SOUND), "Clean no-defect-stated stdout 0"],
  ["prose with findings", prose("- [P1] It crashes (one.mjs:1)."), "HasIssues listed-findings stdout 1"],
  ["nothing", () => scenarios.emptyAnswer, "NoReview session-no-review session"],
  ["blanks", prose(" \n\t\n"), "NoReview session-no-review session"]
]

const placed = found("Bad.", { priority: 2, line: 3, endLine: 5 }, { priority: 0 }, { path: "/etc/passwd" })

describe("the verdict of an answer with", () => {
  // One of each verdict for itself, with the exit code of its step.
  const alone = new Set(["no finding, correct", "one finding", "nothing"])

  it.each(cases.filter(([name]) => alone.has(name)))("%s", (_, policy, expected) =>
    changed(policy, async (bench) => {
      await step(bench)
      assert.strictEqual(judged(bench), expected)
    }))

  it("any other content", { timeout: 300_000 }, async () => {
    const others = cases.filter(([name]) => !alone.has(name))
    const verdicts = await judgedInTurn(others.map(([, policy]) => policy))
    assert.deepStrictEqual(
      others.map(([name], i) => [name, verdicts[i]]),
      others.map(([name, , expected]) => [name, expected])
    )
  })

  it("priorities and places, as the model gave them", () =>
    changed(placed, async (bench) => {
      await step(bench)
      const document: { readonly findings: ReadonlyArray<Record<string, unknown>> } = JSON.parse(
        (await bench.command("findings", "--json")).stdout
      )
      assert.deepStrictEqual(document.findings.map(({ lines, path, priority }) => [priority, path, lines]), [
        [0, "one.mjs", { start: 1, end: 1 }],
        [1, null, null],
        [2, "one.mjs", { start: 3, end: 5 }]
      ])
    }))
})

describe("three reviewers", () => {
  it("give one failed slot if one of them reads nothing; the other verdicts stay", () =>
    changed(
      () => ({ index }) => message(index === 1 ? "I could not access the diff." : reviewText({ explanation: SOUND })),
      async (bench) => {
        const { exit } = await bench.step(...ONE_SLOT.slice(0, -1), "3")
        assert.strictEqual(exit, 6)
        assert.deepStrictEqual(judged(bench, 3), [
          "Clean session-correct session 0",
          "Clean session-correct session 0",
          "NoReview diff-not-seen standard"
        ])
      }
    ))
})
