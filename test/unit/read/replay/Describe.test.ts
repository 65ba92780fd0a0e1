// Describe: each event in one line for people, whatever stood in it.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { describe as described, outcomeText } from "../../../../src/read/replay/words.ts"
import { arbitraries } from "../../../../src/testing/Arbitraries.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  digest,
  failed,
  finished,
  opened,
  started,
  stopped,
  tree
} from "../../run/events.ts"
import { drawn } from "../../../support/drawn.ts"

const named = { fingerprint: "0123456789abcdef", title: "Leak" }
const dismissed = {
  fingerprint: named.fingerprint,
  priority: 2,
  path: "a.ts",
  wordings: [],
  until: "2026-12-31"
} as const
const place = { level: "low", batch: 1 } as const

describe("an event", () => {
  const lines: { readonly [Tag in Event["_tag"]]: readonly [event: Event, line: string] } = {
    RunCreated: [
      created({ target: { _tag: "Base", branch: BranchName.make("main") }, worktree: "/a\nb" }),
      "base/main from low, 3 reviews a batch, in /a\\nb (NoLatestPointer)"
    ],
    BatchStarted: [batchStarted(), "low batch 1: 2 reviews of tree t1, HEAD aaaaaaaaaaaa"],
    ReviewStarted: [started({ attempt: 2 }), "low batch 1 slot 1 attempt 2"],
    ReviewFinished: [
      finished("HasIssues", { findings: 1 }),
      "low batch 1 slot 1 attempt 1: HasIssues, 1 finding (as written, from stdout)"
    ],
    ReviewFailed: [failed({ message: "no\u001b[2J" }), 'low batch 1 slot 1 attempt 1 exited 1: "no\\u001b[2J"'],
    ReviewStopped: [stopped(), "low batch 1 slot 1 attempt 1 (Stop)"],
    BatchCompleted: [batchCompleted(tree("t2")), "low batch 1: tree t2, HEAD aaaaaaaaaaaa"],
    BatchFailed: [batchFailed([1, 3]), "low batch 1: slot 1, 3"],
    LevelOutcomeRecorded: [
      { _tag: "LevelOutcomeRecorded", ...place, outcome: { _tag: "Addressed", count: 1 }, ceiling: "high" },
      "low batch 1: Addressed 1 review with issues (ceiling high)"
    ],
    BatchOpened: [opened("medium", 2), "medium batch 2 from low (Advanced)"],
    FixedPointReached: [
      { _tag: "FixedPointReached", ...place, ceiling: "low", by: "Mark" },
      "low batch 1 at the ceiling (by Mark)"
    ],
    AddressFailed: [
      { _tag: "AddressFailed", ...place, details: { text: "two tests", rest: { ...digest, bytes: 9 } } },
      `low batch 1: "two tests" (9 bytes in texts/${digest.hex}.txt)`
    ],
    FindingDismissed: [
      { _tag: "FindingDismissed", ...dismissed, reason: { text: "as\nmeant" } },
      '0123456789abcdef until 2026-12-31: "as\\nmeant"'
    ],
    DismissalWithdrawn: [{ _tag: "DismissalWithdrawn", fingerprint: "0123456789abcdef" }, "0123456789abcdef"],
    BatchWaived: [
      {
        _tag: "BatchWaived",
        ...place,
        block: 1,
        rest: digest,
        findings: [
          { ...named, priority: 2, because: { _tag: "BelowBlock" } },
          { ...named, priority: null, because: { _tag: "Dismissed", scope: "repo", reason: "ok\u202e", until: null } }
        ]
      },
      "low batch 1: 0123456789abcdef P2 weighs too little; 0123456789abcdef without a priority is dismissed for the repo " +
      `"ok\\u202e"; all in texts/${digest.hex}.txt (--block P1)`
    ],
    StepAborted: [{ _tag: "StepAborted", signal: "SIGINT" }, "SIGINT"]
  }

  it.each(Object.entries(lines))("%s is told", (_, [event, line]) => assert.strictEqual(described(event), line))

  it("of any kind, with any text in it, stays on its line and shows what cannot be seen", () => {
    for (const event of drawn(arbitraries.event, 1000)) {
      assert.notMatch(described(event), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
    }
  })

  it("cuts a long text", () => {
    const line = described(failed({ message: `${"x".repeat(299)}yz` }))
    assert.include(line, 'xxy..."')
    assert.notInclude(line, "z")
  })
})

describe("the end of a review", () => {
  const usage = { input: 1_234_567, cached: 1_100_000, output: 950, reasoning: 0 }

  it("tells the tokens that it used, where they are known", () => {
    const tokens = ", 1.2M tokens in (1.1M cached), 950 out"
    for (const event of [finished("Clean"), failed()]) {
      assert.strictEqual(described({ ...event, usage }), described(event) + tokens)
    }
  })
})

describe("the outcome of a level", () => {
  it("is told with its reason or its count", () => {
    assert.strictEqual(outcomeText({ _tag: "Clean" }), "Clean")
    assert.strictEqual(outcomeText({ _tag: "Addressed", count: 2 }), "Addressed 2 reviews with issues")
    assert.strictEqual(
      outcomeText({ _tag: "RetrospectiveChanges", reason: { text: "one\nlock" } }),
      'RetrospectiveChanges "one\\nlock"'
    )
  })
})
