// Forged transitions: logs whose every hash is valid and whose events could never have followed one another.
// The one rule: each case is a run the program can write, but for one fact; the audit names that fact and its line.
import { assert, describe, it } from "vitest"
import type { LoggedEvent } from "../../../../src/log/StreamKind.ts"
import type { Event } from "../../../../src/run/Event.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { same, transition } from "../../../../src/read/audit/Rules.ts"
import { batchFailed, batchStarted, created, failed, finished, given, started, stopped } from "../../run/events.ts"
import { bench, opened, tree } from "./writtenRuns.ts"

const b = bench()

type Lines = ReadonlyArray<ReadonlyArray<LoggedEvent<Event>>>

/** The kinds, lines and texts of what an audit of the log alone finds. */
const found = async (lines: Lines): Promise<ReadonlyArray<{ kind: string; line: number; text: string }>> => {
  b.write(lines)
  const { code, out } = await b.ask(b.audit({ json: true, logOnly: true }))
  const { findings } = JSON.parse(out).runs[0]
  assert.strictEqual(code, findings.length === 0 ? 0 : 1)
  return findings.filter(({ kind }: { kind: string }) => kind !== "unended")
}

const recorded = (level: Level, batch: number, outcome: "Clean" | number, ceiling: Level = "xhigh"): Event => ({
  _tag: "LevelOutcomeRecorded",
  level,
  batch,
  outcome: outcome === "Clean" ? { _tag: "Clean" } : { _tag: "Addressed", count: outcome },
  ceiling
})

const completed = { _tag: "BatchCompleted", level: "low", batch: 1, identity: tree("t1") } as const

const reviewed = (...verdicts: ReadonlyArray<"Clean" | "HasIssues">): Lines => [
  [batchStarted({ size: verdicts.length }), ...verdicts.map((_, i) => started({ slot: i + 1 }))],
  [
    ...verdicts.map((verdict, i) => finished(verdict, { slot: i + 1 })),
    completed
  ]
]
const reached = (fields: Partial<Extract<Event, { _tag: "FixedPointReached" }>> = {}): Event => ({
  _tag: "FixedPointReached",
  level: "low",
  batch: 1,
  ceiling: "low",
  by: "Reviews",
  ...fields
})
const next = { level: "low", batch: 2, size: 1 } as const
const changed = [opened("low", 2, { cause: "TargetChanged" }), batchStarted(next)]

describe("a forged transition is found", () => {
  const cases: ReadonlyArray<readonly [string, Lines, string]> = [
    ["a primitive up two rungs", [[opened("high", 1, { cause: "Advanced" })]], "give BatchOpened medium batch 1"],
    ["a primitive below the floor", [[opened("low", 2, { cause: "Dropped" })]], "the ladder's rules give nothing"],
    ["a batch number twice", [[opened("low", 1, { cause: "Restarted" })]], "give BatchOpened low batch 2"],
    ["a batch number too far on", [[opened("low", 3, { cause: "Restarted" })]], "give BatchOpened low batch 2"],
    ["a transition from elsewhere", [[opened("medium", 1, { from: "high" })]], "medium batch 1 from low"],
    ["a restart to another level", [[opened("medium", 1, { cause: "Restarted" })]], "give BatchOpened low batch 2"],
    ["an outcome without its transition", [[recorded("low", 1, "Clean")]], "then BatchOpened medium batch 1"],
    [
      "an outcome with another transition",
      [[recorded("low", 1, 0), opened("medium", 1)]],
      "give LevelOutcomeRecorded low batch 1: Addressed 0 reviews with issues"
    ],
    [
      "an outcome torn from its transition",
      [[recorded("low", 1, "Clean")], [opened("medium", 1)]],
      "then BatchOpened medium batch 1"
    ],
    ["an outcome of another level", [[recorded("high", 1, "Clean"), opened("xhigh", 1)]], "LevelOutcomeRecorded low"],
    ["an outcome of another batch", [[recorded("low", 2, "Clean"), opened("medium", 1)]], "low batch 1: Clean"],
    [
      "a count that the batch does not give",
      [...reviewed("HasIssues", "Clean"), [recorded("low", 1, 2), opened("low", 2, { cause: "Dropped" })]],
      "Addressed 1 review with issues"
    ],
    [
      "an advance at the ceiling",
      [[recorded("low", 1, "Clean", "low"), opened("medium", 1)]],
      "then FixedPointReached low batch 1"
    ],
    [
      "a fixed point below the ceiling",
      [[recorded("low", 1, "Clean"), reached({ by: "Mark" })]],
      "then BatchOpened medium batch 1"
    ],
    ["a fixed point by a mark that no mark made", [[reached({ by: "Mark" })]], "follows the clean outcome"],
    ["a fixed point of a batch that never ran", [[reached()]], "not finished with every review clean"],
    ["a fixed point of a batch with issues", [...reviewed("Clean", "HasIssues"), [reached()]], "every review clean"],
    ["a fixed point of a batch under way", [reviewed("Clean")[0] ?? [], [reached()]], "every review clean"],
    ["a fixed point of another batch", [...reviewed("Clean"), [reached({ batch: 2 })]], "batch was low batch 1"],
    ["a fixed point below a ceiling", [...reviewed("Clean"), [reached({ ceiling: "high" })]], "low is not the ceiling"],
    [
      "a fixed point of code that changed under review",
      [
        [batchStarted({ size: 1 }), started()],
        [finished("Clean"), { ...completed, identity: tree("t2") }],
        [reached()]
      ],
      "the code changed while the batch was under review"
    ],
    [
      "a fixed point of a batch that was never complete",
      [[batchStarted({ size: 1 }), started()], [finished("Clean")], [reached()]],
      "never recorded as complete"
    ],
    ["a changed target before any batch", [changed], "no batch had been started"],
    ["a changed target that starts nothing", [...reviewed("Clean"), changed.slice(0, 1)], "starts in the same line"],
    ["a changed target under reviewers", [reviewed("Clean")[0] ?? [], changed], "was not decided yet"],
    ["a changed target after issues", [...reviewed("HasIssues"), changed], "handed off, not replaced"],
    [
      "a changed target to another level",
      [...reviewed("Clean"), [opened("medium", 1, { cause: "TargetChanged" }), batchStarted({ level: "medium" })]],
      "a changed target opens low batch 2 from low"
    ],
    [
      "a changed target after an unrecorded failure",
      [
        [batchStarted({ size: 1 }), started()],
        [failed()],
        changed
      ],
      "had not been recorded as failed"
    ],
    [
      "a changed target that nobody could have seen change",
      [
        [batchStarted({ size: 1, identity: { _tag: "Unknown", why: "w" } }), started()],
        [finished("Clean"), { ...completed, identity: { _tag: "Unknown", why: "w" } }],
        changed
      ],
      "unknown, which is no reason for another batch"
    ]
  ]
  it.each(cases)("%s", async (_, lines, text) => {
    const all = await found([[b.born()], ...lines])
    const transitions = all.filter(({ kind }) => kind === "transition")
    assert.isNotEmpty(transitions, JSON.stringify(all))
    assert.include(transitions[0]?.text, text)
  })
})

describe("a true transition is not", () => {
  const cases: ReadonlyArray<readonly [string, Lines]> = [
    ["a changed target after a clean batch", [...reviewed("Clean"), changed]],
    ["a changed target after a recorded failure", [
      [batchStarted({ size: 1 }), started()],
      [failed(), batchFailed([1])],
      changed
    ]],
    ["a changed target after a stop", [
      [batchStarted({ size: 1 }), started()],
      [stopped({ cause: "Stop" })],
      changed
    ]],
    ["a fixed point of reviews", [...reviewed("Clean", "Clean"), [reached()]]],
    ["a fixed point said again by a mark", [
      ...reviewed("Clean"),
      [reached()],
      [recorded("low", 1, "Clean", "low"), reached({ by: "Mark" })]
    ]],
    ["issues addressed at the floor", [
      ...reviewed("HasIssues"),
      [recorded("low", 1, 1), opened("low", 2, { cause: "Dropped" })]
    ]],
    ["a failed batch that is run again", [
      [batchStarted({ size: 2 }), started(), started({ slot: 2 })],
      [failed({ slot: 1 }), failed({ slot: 2 }), batchFailed([1, 2])],
      [started({ attempt: 2 }), started({ slot: 2, attempt: 2 })]
    ]],
    ["a transient failure that is tried again, and whose next try is stopped", [
      [batchStarted({ size: 1 }), started()],
      [failed({ transient: true })],
      [started({ attempt: 2 })],
      [failed({ attempt: 2, transient: true })],
      [stopped({ attempt: 2 })],
      [started({ attempt: 3 })]
    ]],
    ["the stop of a batch whose every slot waits for its turn", [[batchStarted({ size: 2 })], [stopped()], [
      started()
    ]]],
    ["a mark that stops what runs", [
      [batchStarted({ size: 2 }), started(), started({ slot: 2 })],
      [
        stopped({ slot: 1, cause: "Mark" }),
        stopped({ slot: 2, cause: "Mark" }),
        recorded("low", 1, 0),
        opened("low", 2, { cause: "Dropped" })
      ]
    ]],
    ["a clean mark at the edge", [
      [opened("medium", 1, { from: "low", cause: "Advanced" })],
      [opened("high", 1, { from: "medium", cause: "Advanced" })],
      [opened("xhigh", 1, { from: "high", cause: "Advanced" })],
      [recorded("xhigh", 1, "Clean", "low")]
    ]]
  ]
  it.each(cases)("%s", async (_, lines) => assert.deepEqual(await found([[b.born()], ...lines]), []))
})

describe("a fact that could not have happened is found", () => {
  const running: Lines = [[batchStarted({ size: 2 }), started(), started({ slot: 2 })]]
  const cases: ReadonlyArray<readonly [string, Lines, string]> = [
    ["a batch started twice", [[batchStarted()], [batchStarted()]], "started already"],
    ["a batch started elsewhere", [[batchStarted({ level: "high" })]], "the current batch was low batch 1"],
    [
      "a batch of another command",
      [[batchStarted({ argv: ["--version"] })]],
      'its reviewers were not called with: review --uncommitted -c model_reasoning_effort="low"'
    ],
    [
      "a batch at another effort",
      [[batchStarted({ argv: ["review", "--uncommitted", "-c", 'model_reasoning_effort="minimal"'] })]],
      "were not called with"
    ],
    ["a batch on a base", [[batchStarted({ base: BranchName.make("main") })]], "the target's base is none"],
    ["a review before its batch", [[started()]], "the batch had not been started"],
    ["a review of no slot", [[batchStarted({ size: 1 }), started({ slot: 2 })]], "the batch has 1 slots"],
    ["a review that runs already", [...running, [started({ attempt: 2 })]], "the slot was Running already"],
    ["an attempt left out", [[batchStarted({ size: 1 }), started({ attempt: 2 })]], "its next attempt was 1"],
    ["the end of another attempt", [...running, [finished("Clean", { attempt: 2 })]], "that attempt was not open"],
    ["an end twice", [...running, [finished("Clean")], [failed()]], "that attempt was not open"],
    ["a finished review stopped", [...running, [finished("Clean")], [stopped()]], "its review was finished already"],
    ["a review of another batch", [...running, [finished("Clean", { batch: 2 })]], "the current batch was low batch 1"],
    [
      "a batch complete too soon",
      [...running, [finished("Clean"), completed]],
      "not every review was finished"
    ],
    [
      "a batch complete twice",
      [...reviewed("Clean"), [completed]],
      "it was complete already"
    ],
    ["a review after its stop", [...running, [stopped()], [finished("Clean")]], "that attempt was not open"],
    ["a stop twice", [...running, [stopped()], [stopped()]], "it was stopped already"],
    ["a stop of what had failed for good", [...running, [failed()], [stopped()]], "it had failed for good"],
    [
      "a stop of what was recorded as failed",
      [
        [batchStarted({ size: 1 }), started()],
        [failed({ transient: true }), batchFailed([1])],
        [stopped()]
      ],
      "it had failed for good"
    ],
    [
      "an attempt after a failure for good",
      [...running, [failed()], [started({ attempt: 2 })]],
      "the batch had not been recorded as failed"
    ],
    [
      "a last review that completes nothing",
      [[batchStarted({ size: 1 }), started()], [finished("Clean")]],
      "does not record that the batch is complete"
    ],
    ["a batch failed without a failure", [...reviewed("Clean"), [batchFailed([])]], "no review had failed"],
    [
      "a batch failed twice",
      [[batchStarted({ size: 1 }), started()], [failed(), batchFailed([1])], [batchFailed([1])]],
      "recorded as failed already"
    ],
    ["a batch failed too soon", [...running, [failed(), batchFailed([1])]], "reviews were still open"],
    [
      "a batch failed for other slots",
      [...running, [failed(), finished("Clean", { slot: 2 }), batchFailed([2])]],
      "the failed slots were 1"
    ],
    [
      "a failure reported of another batch",
      [[{ _tag: "AddressFailed", level: "high", batch: 4, details: { text: "" } }]],
      "the current batch was low batch 1"
    ]
  ]
  it.each(cases)("%s", async (_, lines, text) => {
    const all = await found([[b.born()], ...lines])
    assert.deepEqual(all.map(({ kind, line }) => [kind, line]), [["fact", lines.length + 1]])
    assert.include(all[0]?.text, text)
  })

  it("a second creation", async () => {
    const all = await found([[b.born()], [b.born()]])
    assert.deepEqual(all.map(({ kind, line }) => [kind, line]), [["fact", 2]])
    assert.include(all[0]?.text, "the run was created already")
  })

  it("anything before the run's creation", async () => {
    b.write([[{ _tag: "StepAborted", signal: "SIGTERM" }, b.born()]])
    const { code, out } = await b.ask(b.audit())
    assert.strictEqual(code, 1)
    assert.include(out, "finding  line 1, run: StepAborted SIGTERM: no run was created before it\n")
  })

  it("but not the repair of a tail before it", async () =>
    assert.deepEqual(await found([[{ _tag: "TailRepaired", offset: 0, bytes: 3, kept: "torn/0-aa" }, b.born()]]), []))
})

describe("transition", () => {
  const advance = opened("medium", 1, { cause: "Advanced" })
  const clean = recorded("low", 1, "Clean")

  it("is none of an event that leaves the run where it stands", () => {
    for (const event of [started(), finished("Clean"), completed]) {
      assert.isNull(transition(given([created()]), event, [event], new Map()))
    }
  })

  it("explains as many events of the line as the ladder's rules give", () => {
    assert.deepStrictEqual(transition(given([created()]), clean, [clean, advance], new Map()), {
      explains: 2,
      problem: null
    })
    assert.deepStrictEqual(transition(given([created()]), advance, [advance, clean], new Map()), {
      explains: 1,
      problem: null
    })
  })

  it("names what the rules give where the log says another thing", () =>
    assert.deepStrictEqual(transition(given([created()]), clean, [clean, opened("high", 1)], new Map()), {
      explains: 1,
      problem:
        "the ladder's rules give LevelOutcomeRecorded low batch 1: Clean (ceiling xhigh), then BatchOpened medium " +
        "batch 1 from low (Advanced); the log says LevelOutcomeRecorded low batch 1: Clean (ceiling xhigh), then " +
        "BatchOpened high batch 1 from low (Advanced)"
    }))
})

describe("same", () => {
  it("compares values of a log field by field, whatever the order of their fields", () => {
    assert.isTrue(same({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }))
    for (const other of [{ a: 1 }, { a: 1, b: undefined, c: 2 }, { a: 1, c: 1 }, null, [1], "x"]) {
      assert.isFalse(same({ a: 1, b: 2 }, other))
    }
    assert.isFalse(same({ toString: undefined }, { a: 1 }))
  })
})
