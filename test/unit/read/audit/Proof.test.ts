// Proof: what clean batches show, what a fixed point proves with them, and what is missing.
import { assert, describe, it } from "vitest"
import {
  gapsOf,
  nothingShown,
  type Proof,
  proofFields,
  proofOf,
  levelLines,
  proofText,
  type Sameness,
  show,
  type Shown,
  type Support
} from "../../../../src/read/audit/Proof.ts"
import type { HowRead } from "../../../../src/run/ReviewTokens.ts"
import type { Event } from "../../../../src/run/Event.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { evolveState, initial, type RunState } from "../../../../src/run/Manifest.ts"
import { batchCompleted, batchStarted, created, finished, opened, started, tree } from "../../run/events.ts"

/** A batch of one clean review, of code that is `identity` at its start, and `then` at its end. */
const cleanBatch = (
  level: Level,
  identity: Identity = tree("t1"),
  { attempt = 1, batch = 1, then = identity }: {
    readonly attempt?: number
    readonly batch?: number
    readonly then?: Identity
  } = {}
): ReadonlyArray<Event> => {
  const at = { level, batch }
  return [
    batchStarted({ ...at, size: 1, identity }),
    started({ ...at, attempt }),
    finished("Clean", { ...at, attempt }),
    { _tag: "BatchCompleted", ...at, identity: then }
  ]
}

/** A clean retrospective, and the batch that it opens. */
const advanced = (from: Level, level: Level): ReadonlyArray<Event> => [
  { _tag: "LevelOutcomeRecorded", level: from, batch: 1, outcome: { _tag: "Clean" }, ceiling: "xhigh" },
  opened(level, 1, { from })
]

const reached = (level: Level, by: "Reviews" | "Mark" = "Reviews"): Event => ({
  _tag: "FixedPointReached",
  level,
  batch: 1,
  ceiling: level,
  by
})

/** What a run from low shows after these events, one per line after its creation. */
const shownBy = (...events: ReadonlyArray<Event>): Shown => {
  let state: RunState = initial(created())
  let shown = nothingShown
  events.forEach((event, i) => {
    shown = show(shown, state, event, i + 2)
    state = evolveState(state, event, i + 2, "2030-01-01T00:00:00.000Z")
  })
  return shown
}

const low = [...cleanBatch("low"), ...advanced("low", "medium")]
const proof = (...events: ReadonlyArray<Event>) =>
  proofOf(shownBy(...events), { floor: "low", strict: false }, "borne out")

describe("the evidence of a run", () => {
  it("is empty before a batch is complete", () => {
    const { at, last } = shownBy(...cleanBatch("low").slice(0, 3))
    assert.deepStrictEqual([at.low, last], [null, null])
    const open = [batchStarted({ size: 2 }), started(), started({ slot: 2 }), finished("Clean")]
    assert.isNull(shownBy(...open, batchCompleted(tree("t1"))).at.low)
  })

  it("is its last clean batch, with the code that it saw and its reviewers", () => {
    const { at, last } = shownBy(...cleanBatch("low", tree("t1"), { attempt: 2 }))
    assert.strictEqual(at.low, last)
    assert.deepInclude(at.low, {
      level: "low",
      batch: 1,
      line: 5,
      reviewers: [{ slot: 1, attempt: 2, reason: "as written", read: null }],
      started: tree("t1"),
      completed: tree("t1"),
      retrospective: false,
      isolated: null
    })
  })

  it("is a batch with issues only if they were waived", () => {
    const issues = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
    const waived = (batch: number): Event => ({ _tag: "BatchWaived", level: "low", batch, block: 1, findings: [] })
    assert.isNull(shownBy(...issues).at.low)
    assert.isNull(shownBy(...issues, waived(2)).at.low)
    assert.strictEqual(shownBy(...issues, waived(1)).at.low?.line, 5)
  })

  it("includes a clean retrospective if one was recorded for that batch", () => {
    assert.isTrue(shownBy(...low).at.low?.retrospective)
    const later = shownBy(
      ...cleanBatch("low"),
      opened("low", 2),
      ...cleanBatch("low", tree("t2"), { batch: 2 }),
      ...advanced("low", "medium")
    )
    assert.deepInclude(later.at.low, { batch: 2, retrospective: false })
  })

  it("names what was left out", () => {
    const others = { ...tree("t1"), otherWorktrees: [".claude/worktrees/mate", "x\n"] }
    const clean = shownBy(...cleanBatch("low", others)).at.low
    assert.strictEqual(
      levelLines({ level: "low", clean, sameness: "same" }).at(-1),
      "left out as another worktree of this repository: .claude/worktrees/mate, x\\n"
    )
  })

  it("loses its fixed point with the next batch", () => {
    assert.isNotNull(shownBy(...cleanBatch("low"), reached("low")).fixedPoint)
    assert.isNull(shownBy(...cleanBatch("low"), reached("low"), opened("low", 2)).fixedPoint)
  })
})

describe("a proof", () => {
  it("is null without a fixed point", () => assert.isNull(proof(...low)))

  it("is complete if every level saw the code of the last clean batch", () => {
    const whole = proof(...low, ...cleanBatch("medium"), reached("medium"))
    assert.deepStrictEqual(whole?.levels.map(({ level, sameness }) => [level, sameness]), [["low", "same"], [
      "medium",
      "same"
    ]])
    assert.deepInclude(whole, { claimed: true, complete: true })
  })

  it("is only claimed if the rest of the audit does not confirm it", () => {
    const shown = shownBy(...cleanBatch("low"), reached("low"))
    for (const support of ["refuted", "unchecked"] as const) {
      assert.deepInclude(proofOf(shown, { floor: "low", strict: false }, support), {
        claimed: true,
        complete: false,
        support
      })
    }
  })

  const another = { ...tree("t1"), head: "b".repeat(40) }
  const seen: ReadonlyArray<readonly [Sameness, ReadonlyArray<Event>]> = [
    ["same tree", cleanBatch("low", another)],
    ["other", cleanBatch("low", tree("t2"))],
    ["changed", cleanBatch("low", tree("t2"), { then: tree("t1") })],
    ["unknown", cleanBatch("low", { _tag: "Unknown", why: "git is gone" })]
  ]
  it.each(seen)("is not claimed if a level saw: %s", (sameness, low) => {
    const found = proof(...low, ...advanced("low", "medium"), ...cleanBatch("medium"), reached("medium"))
    assert.deepInclude(found?.levels[0], { level: "low", sameness })
    assert.isFalse(found?.claimed)
  })
})

const gaps = (strict: boolean, ...events: ReadonlyArray<Event>) =>
  gapsOf(proofOf(shownBy(...events), { floor: "low", strict }, "borne out") ?? assert.fail("no fixed point"))
const unknown: Identity = { _tag: "Unknown", why: "git is gone" }
const climbed = (
  low: Identity,
  medium = tree("t1")
) => [...cleanBatch("low", low), ...advanced("low", "medium"), ...cleanBatch("medium", medium), reached("medium")]

describe("a fixed point", () => {
  it("has no gaps if every level was reviewed clean on the same code", () => {
    for (const strict of [true, false]) assert.deepStrictEqual(gaps(strict, ...climbed(tree("t1"))), [])
  })

  it("by a mark has a gap if its batch was not clean: it never ran, or it had issues", () => {
    const lacks = ["low batch 1: a mark declared the fixed point, and not every review of that batch was clean"]
    assert.deepStrictEqual(gaps(false, reached("low", "Mark")), lacks)
    const issues = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
    assert.deepStrictEqual(gaps(false, ...issues, reached("low", "Mark")), lacks)
  })

  it("has a gap if another batch of the ceiling was clean than the one it names", () =>
    assert.deepStrictEqual(
      gaps(false, ...cleanBatch("low"), opened("low", 2), { ...reached("low", "Mark"), batch: 2 } as Event),
      ["low batch 2: a mark declared the fixed point, and not every review of that batch was clean"]
    ))

  it("has a gap if the reviewed code is unknown, or changed under review", () => {
    assert.deepStrictEqual(gaps(false, ...cleanBatch("low", unknown), reached("low")), [
      "low batch 1: what it reviewed is not known"
    ])
    assert.deepStrictEqual(
      gaps(false, ...cleanBatch("low", tree("t2"), { then: tree("t1") }), reached("low", "Mark")),
      [
        "low batch 1: it saw more than one state of the code"
      ]
    )
  })

  it("has gaps for levels that saw other code, but only in a strict run", () => {
    const seen = [
      [tree("t2"), "low batch 1: it saw other code than the last clean batch"],
      [{ ...tree("t1"), head: "b".repeat(40) }, "low batch 1: it saw another HEAD or base than the last clean batch"],
      [unknown, "low batch 1: it is not known what it saw"]
    ] as const
    for (const [low, text] of seen) {
      assert.deepStrictEqual(gaps(true, ...climbed(low)), [text])
      assert.deepStrictEqual(gaps(false, ...climbed(low)), [])
    }
    const skipped = [opened("medium", 1), ...cleanBatch("medium"), reached("medium")]
    assert.deepStrictEqual(gaps(true, ...skipped), ["low: no batch with every review clean"])
    assert.deepStrictEqual(gaps(false, ...skipped), [])
  })

  it("has a gap if its ceiling is below the floor", () => {
    const shown = shownBy(...cleanBatch("low"), reached("low"))
    const proof = proofOf(shown, { floor: "high", strict: false }, "borne out") ?? assert.fail("no fixed point")
    assert.deepStrictEqual(gapsOf(proof), ["the ceiling low lies below the floor"])
  })
})

const supported = (support: Support, ...events: ReadonlyArray<Event>): Proof =>
  proofOf(shownBy(...events), { floor: "low", strict: false }, support) ?? assert.fail("no fixed point")

const head = "a".repeat(12)
const climb = [...cleanBatch("low"), ...advanced("low", "medium"), ...cleanBatch("medium"), reached("medium")]

describe("a proof in words", () => {
  it("says what each level was reviewed on, and that it was the same code", () =>
    assert.strictEqual(
      proofText(supported("borne out", ...climb)),
      `  proven: fixed point at medium batch 1, ceiling medium, reached by reviews
    low     batch 1, line 5: 1 clean review of tree t1, HEAD ${head}; retrospective clean
            same code as the last clean batch
    medium  batch 1, line 11: 1 clean review of tree t1, HEAD ${head}
            same code as the last clean batch
    every level was reviewed clean, on the same code
`
    ))

  it("says if transcripts do not show that reviewers read the change", () => {
    const lines = (...read: ReadonlyArray<HowRead>): ReadonlyArray<string> => {
      const [level = assert.fail("no level")] = supported("borne out", ...climb).levels
      const { clean } = level
      if (clean === null) return assert.fail("not clean")
      const reviewers = read.map((one, i) => ({ slot: i + 1, attempt: 1, reason: "stated", read: one }))
      return levelLines({ ...level, clean: { ...clean, reviewers } }).slice(2)
    }
    assert.deepStrictEqual(lines("tools", "given"), [])
    assert.deepStrictEqual(lines("not-shown"), ["the transcript does not show that the reviewer read the change"])
    assert.deepStrictEqual(lines("not-shown", "tools", "not-shown"), [
      "the transcripts do not show that 2 of the 3 reviewers read the change"
    ])
    assert.deepStrictEqual(lines("not-shown", "not-shown"), [
      "the transcripts do not show that the reviewers read the change"
    ])
  })

  it("calls nothing proven that the audit did not confirm", () => {
    const refuted = proofText(supported("refuted", ...climb))
    assert.match(refuted, /^ {2}NOT proven, see the findings; what the log claims: fixed point/)
    assert.include(refuted, "as claimed, every level was reviewed clean")
    assert.match(proofText(supported("unchecked", ...climb)), /^ {2}not proven, the transcripts were left alone; /)
  })

  it("names a level that changed under review, one with failed attempts, and one without a clean batch", () => {
    const text = proofText(supported(
      "borne out",
      ...cleanBatch("low", tree("t2"), { then: tree("t1"), attempt: 3 }),
      ...advanced("low", "medium"),
      opened("high", 1, { from: "medium" }),
      ...cleanBatch("high"),
      reached("high", "Mark")
    ))
    assert.include(text, "declared by --mark-retro-clean")
    assert.include(
      text,
      `1 clean review (1 after failed attempts) of tree t2, HEAD ${head}, changed under review to tree t1`
    )
    assert.include(text, "            NOT one code: it changed under review\n")
    assert.include(text, "    medium  no batch with every review clean\n")
    assert.include(text, "    NOT every level was reviewed clean on the same code\n")
  })
})

describe("a proof as a document", () => {
  it("has the same content, level by level", () => {
    const { levels, ...whole } = proofFields(supported("borne out", ...climb))
    assert.deepStrictEqual(whole, {
      level: "medium",
      batch: 1,
      ceiling: "medium",
      by: "Reviews",
      complete: true,
      worth: "borne out"
    })
    assert.deepInclude(levels[0], { level: "low", sameAsLastCleanBatch: "same", line: 5, retrospective: true })
    assert.deepInclude(levels[0], { started: tree("t1"), completed: tree("t1") })
  })
})
