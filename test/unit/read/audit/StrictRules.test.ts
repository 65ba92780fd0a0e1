// Transitions of strict runs that could have followed, and forged ones, each with what is wrong with it.
import { assert, describe, it } from "vitest"
import type { Event, EventOf } from "../../../../src/run/Event.ts"
import type { Level } from "../../../../src/run/Level.ts"
import type { WaivedFinding } from "../../../../src/run/Dismissal.ts"
import {
  type DoneBatch,
  fact,
  fixedPointProblem,
  isLate,
  outcomeProblem,
  remembered,
  staleProblem,
  transition
} from "../../../../src/read/audit/Rules.ts"
import { batchStarted, created, finished, given, opened, started, tree } from "../../run/events.ts"

type Lines = ReadonlyArray<ReadonlyArray<Event>>

const done = (
  level: Level,
  batch: number,
  verdict: "Clean" | "HasIssues" = "Clean",
  code = "A"
): ReadonlyArray<Event> => [
  batchStarted({ level, batch, size: 1, identity: tree(code) }),
  started({ level, batch }),
  finished(verdict, { level, batch }),
  { _tag: "BatchCompleted", level, batch, identity: tree(code) }
]
const recorded = (outcome: EventOf<"LevelOutcomeRecorded">["outcome"], level: Level = "low", batch = 1) =>
  ({ _tag: "LevelOutcomeRecorded", level, batch, outcome, ceiling: "medium" }) as const
const clean = recorded({ _tag: "Clean" })
const changes = recorded({ _tag: "RetrospectiveChanges", reason: { text: "r" } })
const stale = (level: Level, batch: number, from: Level, code: string): ReadonlyArray<Event> => [
  opened(level, batch, { from, cause: "Stale" }),
  batchStarted({ level, batch, size: 1, identity: tree(code) })
]
const reached = (batch: number, ceiling: Level = "medium"): Event => ({
  _tag: "FixedPointReached",
  level: ceiling,
  batch,
  ceiling,
  by: "Reviews"
})

/** What is wrong with the first event of a line after these lines. */
const problem = (before: Lines, line: ReadonlyArray<Event>) => {
  const known = new Map<string, DoneBatch>()
  const lines: Array<ReadonlyArray<Event>> = [[created({ strict: true })]]
  for (const event of before.flat()) {
    const one = remembered(known, given(...lines), event)
    if (one !== null) known.set(one.name, one.batch)
    lines.push([event])
  }
  const [event] = line
  if (event === undefined) return assert.fail("no event")
  const state = given([created({ strict: true })], ...before)
  return transition(state, event, line, known)?.problem ?? fact(state, event, known)
}

const advance = opened("medium", 1, { from: "low", cause: "Advanced" })
const light = { fingerprint: "0".repeat(16), title: "T", priority: 2, because: { _tag: "BelowBlock" } } as const
const dismissal = { fingerprint: light.fingerprint, priority: 0, path: null, wordings: [], until: null } as const
const dismissed: Event = { _tag: "FindingDismissed", ...dismissal, reason: { text: "so" } }
const withdrawn: Event = { _tag: "DismissalWithdrawn", fingerprint: light.fingerprint }
const waiver = (because: WaivedFinding["because"] = light.because, block: 1 | 2 = 1, batch = 1): Event => ({
  _tag: "BatchWaived",
  level: "low",
  batch,
  block,
  findings: [{ ...light, because }]
})
const issues = done("low", 1, "HasIssues")
const addressed = recorded({ _tag: "Addressed", count: 1 })
const restarted = opened("low", 2, { from: "low", cause: "Dropped" })

const lowDone = [done("low", 1)]
const bothDone = [done("low", 1), [clean, advance], done("medium", 1)]
const left = [done("low", 1), stale("low", 2, "low", "B")]

describe("a transition of a strict run that could have followed", () => {
  const sound: ReadonlyArray<readonly [string, Lines, ReadonlyArray<Event>]> = [
    ["a batch at the lowest level that is not covered", lowDone, stale("medium", 1, "low", "A")],
    ["a batch at the floor for other code", bothDone, stale("low", 2, "medium", "B")],
    ["a fixed point by the ceiling's last batch", bothDone, [reached(1)]],
    ["a fixed point of a run that stands elsewhere", [...bothDone, [opened("high", 1, { from: "medium" })]], [
      reached(1)
    ]],
    ["a clean retrospective", lowDone, [clean, advance]],
    ["changes that come late", left, [changes]],
    ["a batch over issues that did not block", [issues, [waiver()]], stale("medium", 1, "low", "A")],
    ["a batch where issues that did not block do by now", [issues, [waiver()]], stale("low", 2, "low", "A")],
    ["a clean retrospective of issues that did not block", [issues, [waiver()]], [clean, advance]],
    ["a fixed point over issues that did not block", [issues, [waiver()], [clean, advance], done("medium", 1)], [
      reached(1)
    ]],
    ["an address of issues that did not block when they were found clean", [issues, [waiver()], [{
      ...clean,
      ceiling: "low"
    }]], [addressed, restarted]]
  ]
  it.each(sound)("is %s", (_, before, line) => assert.isNull(problem(before, line)))
})

describe("a forged transition of a strict run", () => {
  const forged: ReadonlyArray<readonly [string, Lines, ReadonlyArray<Event>, string]> = [
    [
      "a batch above the lowest level",
      [],
      stale("medium", 1, "low", "A"),
      "the lowest level that was not covered was low"
    ],
    ["a batch at a covered level", lowDone, stale("low", 2, "low", "A"), "low was covered already"],
    ["a batch number too far on", lowDone, stale("medium", 2, "low", "A"), "opens medium batch 1 from low"],
    ["a batch that does not start", lowDone, stale("medium", 1, "low", "A").slice(0, 1), "starts in the same line"],
    [
      "a batch that something else follows",
      lowDone,
      [...stale("medium", 1, "low", "A").slice(0, 1), clean],
      "starts in the same line"
    ],
    ["a batch over issues", [done("low", 1, "HasIssues")], stale("low", 2, "low", "A"), "is handed off, not replaced"],
    ["a changed target", lowDone, [opened("low", 2, { cause: "TargetChanged" })], "for a level that is not covered"],
    ["a fixed point without a batch", lowDone, [reached(1)], "no batch was complete at medium"],
    ["a fixed point by another batch", bothDone, [reached(2)], "the last complete batch there was medium batch 1"],
    [
      "a fixed point by an earlier batch",
      [
        ...bothDone,
        [recorded({ _tag: "Clean" }, "medium")],
        [opened("medium", 2, { from: "medium" })],
        done("medium", 2)
      ],
      [reached(1)],
      "the last complete batch there was medium batch 2"
    ],
    [
      "a fixed point on other code",
      [done("low", 1), [clean, advance], done("medium", 1, "Clean", "B")],
      [reached(1)],
      "low was not covered by what medium batch 1 reviewed"
    ],
    ["a mark without a review", [], [clean, advance], "the batch that it answers was not complete"],
    [
      "an address of a batch that is not complete",
      [done("low", 1, "HasIssues"), [
        recorded({ _tag: "Addressed", count: 1 }),
        opened("low", 2, { cause: "Dropped" })
      ]],
      [recorded({ _tag: "Addressed", count: 1 }, "low", 2)],
      "the batch that it answers was not complete"
    ],
    ["a clean retrospective of issues", [done("low", 1, "HasIssues")], [clean, advance], "had reviews with issues"],
    ["an address of a clean batch", lowDone, [recorded({ _tag: "Addressed", count: 0 })], "had no review with issues"],
    [
      "a clean retrospective given twice",
      [done("low", 1), [{ ...clean, ceiling: "low" }]],
      [clean],
      "the batch was answered already"
    ],
    ["an answer given twice", [...left, [changes]], [changes], "the batch was answered already"],
    ["a clean retrospective that comes late", left, [clean], "only changes of a retrospective may come late"],
    ["late changes of a batch that a primitive left", [done("low", 1), [advance]], [changes], "was not left because"],
    ["a fixed point over issues that nothing says did not block", [issues, [clean, advance], done("medium", 1)], [
      reached(1)
    ], "low was not covered by what medium batch 1 reviewed"],
    ["a light finding that is none", [issues], [waiver(light.because, 2)], "is not below --block P2"],
    ["what did not block of a clean batch", lowDone, [waiver()], "the batch had not been complete with issues"],
    ["what did not block of no finding", [issues], [{ ...waiver(), findings: [] } as Event], "no finding is named"],
    [
      "a dismissal that nobody gave",
      [issues],
      [waiver({ _tag: "Dismissed", scope: "run", reason: "so", until: null })],
      "had not been dismissed so"
    ],
    ["a dismissal that was taken back", [issues, [dismissed], [withdrawn]], [
      waiver({ _tag: "Dismissed", scope: "run", reason: "so", until: null })
    ], "had not been dismissed so"],
    ["a dismissal for another reason", [issues, [dismissed]], [
      waiver({ _tag: "Dismissed", scope: "run", reason: "else", until: null })
    ], "had not been dismissed so"],
    ["late changes of an unknown batch", left, [{ ...changes, batch: 7 }], "had not been complete and clean"]
  ]
  it.each(forged)("is %s", (_, before, line, expected) => assert.include(problem(before, line) ?? "nothing", expected))
})

describe("failed tests on a strict run", () => {
  const red: Event = { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "x" } }

  it("are of any batch that was complete with issues", () => {
    const issues = done("low", 1, "HasIssues")
    assert.isNull(problem([issues], [red]))
    assert.isNull(
      problem([issues, [recorded({ _tag: "Addressed", count: 1 }), opened("low", 2, { cause: "Dropped" })]], [red])
    )
    assert.strictEqual(problem([done("low", 1)], [red]), "the batch had not been complete with issues")
  })
})

describe("the single questions", () => {
  const state = given([created({ strict: true })], done("low", 1))
  const strict = state.strict ?? assert.fail("the run is not strict")

  it("of a run that is not strict are none", () => {
    const event = { _tag: "BatchOpened", level: "low", batch: 2, from: "low", cause: "Stale" } as const
    assert.strictEqual(staleProblem(given([created()]), event, null), "a run that is not strict covers no levels")
  })

  it("tell a late answer, a wrong ceiling, and a fixed point that stands behind an outcome", () => {
    assert.deepStrictEqual([isLate(state, clean), isLate(state, { ...clean, batch: 2 })], [false, true])
    assert.strictEqual(
      fixedPointProblem(state, strict, { level: "low", batch: 1, ceiling: "high" }),
      "low is not the ceiling high"
    )
    assert.isNull(fixedPointProblem(state, strict, { level: "low", batch: 1, ceiling: "low" }))
    const torn = outcomeProblem(state, strict, clean, { ...reached(1), level: "low" } as Event, new Map())
    assert.strictEqual(torn, "low is not the ceiling medium")
  })
})
