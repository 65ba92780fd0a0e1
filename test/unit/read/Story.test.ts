// Story: what happened in a run, batch by batch, round by round, in order of time.
import { assert, describe, it } from "vitest"
import { findingHistory } from "../../../src/review/findings/History.ts"
import type { ReviewedBatch } from "../../../src/review/findings/ReviewedBatch.ts"
import { lowestBar } from "../../../src/review/findings/Waiving.ts"
import { type Changes, storyOf, storyText } from "../../../src/read/Story.ts"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import type { Event } from "../../../src/run/Event.ts"
import { batchOf, wrote } from "../../support/reviewedBatches.ts"
import { closed, concluded, content, driverStarted, roundStarted, tested, worked } from "../drive/converge/streams.ts"
import * as plans from "../drive/plan/histories.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  failed,
  finished,
  opened,
  started,
  stopped,
  tree
} from "../run/events.ts"
import { type Logs, viewOf } from "../../support/views.ts"

const story = (
  logs: Logs,
  batches: ReadonlyArray<ReviewedBatch> = [],
  changes: ReadonlyMap<number, Changes> = new Map()
): ReadonlyArray<string> => {
  const read = { batches, history: findingHistory(batches), bar: lowestBar, notes: [] }
  return storyOf(viewOf(logs), { read, changes }).flatMap((line) => storyText(line).trimEnd().split("\n"))
}

const both = [batchStarted(), started(), started({ slot: 2 })]
const answered: ConvergeEvent = {
  _tag: "RoundAnswered",
  round: 1,
  agent: 1,
  answers: [
    { fingerprint: "a".repeat(16), answer: "fixed", why: "" },
    { fingerprint: "b".repeat(16), answer: "fixed", why: "" },
    { fingerprint: "c".repeat(16), answer: "refuted", why: "" }
  ],
  protectedFiles: []
}

describe("a batch", () => {
  const reviews = (...verdicts: ReadonlyArray<"Clean" | "HasIssues">): ReadonlyArray<ReadonlyArray<Event>> => [
    both,
    ...verdicts.map((verdict, i) => [finished(verdict, { slot: i + 1 })])
  ]

  it("is clean, or lists its findings", () => {
    assert.deepStrictEqual(story({ review: reviews("Clean", "Clean") }), ["low      2 reviews   clean       2s"])
    const found = [batchOf(1, [wrote(1), wrote(2, { title: "Close the file", path: "src/b.ts", priority: 2 })])]
    assert.deepStrictEqual(story({ review: reviews("HasIssues", "HasIssues") }, found), [
      "low      2 reviews   2 findings  2s",
      "           P1  src/a.ts:10-12  Guard a null user",
      "           P2  src/b.ts:10-12  Close the file"
    ])
  })

  it("names what reviewers did not see", () => {
    const identity = { ...tree("t1"), otherWorktrees: [".claude/worktrees/mate"] }
    assert.strictEqual(
      story({ review: [[batchStarted({ identity }), started(), started({ slot: 2 })]] })[1],
      "           left out as another worktree of this repository: .claude/worktrees/mate"
    )
  })

  it("that is clean mentions code that changed during the review, because another batch follows", () => {
    const review = [...reviews("Clean", "Clean"), [batchCompleted(tree("t2"))]]
    assert.match(story({ review })[0] ?? "", /^low {6}2 reviews {3}clean, but the code changed {2}\d+s$/)
  })

  it("counts findings beyond the list, and reviews without a list", () => {
    const many = Array.from({ length: 7 }, (_, i) => wrote(1, { title: `Title ${i}`, path: `src/${i}.ts` }))
    assert.strictEqual(
      story({ review: reviews("HasIssues", "Clean") }, [batchOf(1, many)]).at(-1)?.trim(),
      "and 2 more findings"
    )
    assert.deepStrictEqual(story({ review: reviews("HasIssues", "Clean") }), ["low      2 reviews   issues in 1  2s"])
  })

  it("that failed names its cause and the remedy once", () =>
    assert.deepStrictEqual(story({ review: [both, [failed(), failed({ slot: 2 })], [batchFailed([1, 2])]] }), [
      "low      2 reviews   2 failed    2s",
      "           401",
      "           run `codex login`, or set CODEX_API_KEY"
    ]))

  it("that is unfinished has no time", () => {
    assert.deepStrictEqual(story({ review: [both] }), ["low      2 reviews   0 of 2 finished"])
    assert.deepStrictEqual(story({ review: [both, [stopped()]] }), ["low      2 reviews   stopped"])
    assert.strictEqual(
      story({ review: [both, [stopped()], [opened("low", 2)], [batchStarted({ batch: 2 })]] })[0],
      "low      2 reviews   stopped     1s"
    )
  })
})

describe("a test", () => {
  it("is not repeated if its command was not found", () =>
    assert.deepStrictEqual(story({ driver: [driverStarted(), ...tested(1, 0, 127)] }), [
      "         npm test failed: command not found  1s"
    ]))
})

describe("a round", () => {
  const changes = new Map([[1, { files: ["a.ts", "b.ts"], added: 14, removed: 2 }]])

  it("says what was answered, what changed, and how the tests ended", () =>
    assert.deepStrictEqual(
      story(
        {
          driver: [
            driverStarted(),
            roundStarted(),
            ...worked(1, "round-1/address"),
            answered,
            ...tested(1, 1, 1),
            ...tested(2, 1, 0),
            concluded(1, "b"),
            closed(1)
          ]
        },
        [],
        changes
      ),
      [
        "round 1  codex fixed 2 findings, refuted 1 finding  2 files changed, +14 -2  4s",
        "         npm test failed (exit 1), runs once more in case it is flaky  1s",
        "         npm test passed  1s"
      ]
    ))

  it("that failed says how", () => {
    assert.deepStrictEqual(
      story({ driver: [roundStarted(), ...worked(1, "round-1/address"), closed(1, "TestsRed")] }),
      ["round 1  codex worked on 1 finding  4s", "         the tests still fail"]
    )
  })

  it("over a clean level says whether there was a recurring cause, and nothing if no agent looked", () => {
    const retro = roundStarted({ kind: "Retrospective", findings: [] })
    const end = (mark: "RetroClean" | "RetroChanges") => [concluded(1, "b", mark), closed(1)]
    assert.deepStrictEqual(story({ driver: [retro, ...end("RetroClean")] }), ["         no recurring cause  2s"])
    assert.deepStrictEqual(story({ driver: [retro, answered, ...end("RetroChanges")] }), [
      "round 1  the agent fixed a recurring cause  1s"
    ])
    const skipped: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 1, because: "Never" }
    assert.deepStrictEqual(story({ driver: [retro, skipped, ...end("RetroClean")] }), [])
  })

  it("over tasks names them, and how they were reviewed", () =>
    assert.deepStrictEqual(
      story({
        plan: [
          plans.cycleStarted(),
          ...plans.worked(1, "cycle-1/implement"),
          ...[plans.reviewed(2, 0, "NEEDS_FIXES"), plans.reviewed(3, 1, "ACCEPTABLE")].flat(),
          ...[plans.closed("Marked")].flat()
        ]
      }),
      [
        "         review: needs fixes, 1 issue",
        "         review: acceptable",
        "round 1  codex: 2 tasks  12s",
        "         accepted, its tasks are marked as done"
      ]
    ))
})

it("each answer of the user between two calls has a line, unless nothing changed", () => {
  const answers = ["Unchanged", "Fixed", "Undone", "Again"] as const
  const driver = answers.map((answer): ConvergeEvent => ({
    _tag: "PersonAnswered",
    answer,
    content: { _tag: "Known", head: null, tree: "t1", base: null }
  }))
  assert.deepStrictEqual(story({ driver }).map((line) => line.trim()), [
    "fixed by hand",
    "taken back by hand",
    "another try was asked for"
  ])
})

it("code that returns to the start of an earlier round was taken back, not fixed", () => {
  const rounds = [roundStarted(), closed(1), roundStarted({ round: 2, content: content("b") }), closed(2)]
  const answered = (name: string) => ({ _tag: "PersonAnswered", answer: "Fixed", content: content(name) }) as const
  const last = (name: string) => story({ driver: [driverStarted(), ...rounds, answered(name)] }).at(-1)?.trim()
  assert.deepStrictEqual([last("a"), last("c")], ["taken back by hand", "fixed by hand"])
})

it("parts are sorted by their end; unfinished parts come last", () =>
  assert.deepStrictEqual(
    story({
      review: [both, [finished("HasIssues")], [finished("Clean", { slot: 2 })], [opened("low", 2)], [
        batchStarted({ batch: 2 })
      ]],
      driver: [...tested(1, 0, 0), roundStarted(), answered, closed(1)]
    }).map((line) => line.slice(0, 9).trim()),
    ["", "low", "round 1", "low"]
  ))
