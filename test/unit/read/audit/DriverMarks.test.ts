// DriverMarks: a driver's mark needs a round with green tests in its stream, and the heads it names must be in the run's log.
import { Effect, Stream } from "effect"
import { undriven } from "../../../../src/drive/State.ts"
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import { EventLog, LogDamaged, type LogReadError, LogRewound, LogTooNew } from "../../../../src/log/EventLog.ts"
import type { RunRef } from "../../../../src/log/Refs.ts"
import type { Head } from "../../../../src/log/StreamKind.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import {
  type DriverMark,
  driverMarkOf,
  endProblems,
  headProblems,
  headsOf,
  markProblem
} from "../../../../src/read/audit/DriverMarks.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { reviewedRun } from "../../../support/reviewedRuns.ts"
import { call, world } from "../../drive/converge/driven.ts"
import {
  after,
  answered,
  closed,
  concluded,
  driverStarted,
  type Facts,
  roundStarted,
  tested,
  worked
} from "../../drive/converge/streams.ts"
import { planStarted } from "../../drive/plan/histories.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const mark = (change: Partial<DriverMark> = {}): DriverMark => ({
  line: 9,
  driver: "d1",
  mark: "AddressPassed",
  level: "low",
  batch: 1,
  ...change
})
const begun: Facts = [driverStarted(), roundStarted(), tested(1, 0, 0), worked(1, "round-1/address"), answered(1, 1)]
const problem = (events: Facts, change: Partial<DriverMark> = {}) => markProblem(after(...events), mark(change))

describe("a mark", () => {
  it("belongs to a driver if the event names one", () => {
    const at = { level: "low", batch: 1 } as const
    const failed = { _tag: "AddressFailed", ...at, details: { text: "red" } } as const
    assert.isNull(driverMarkOf(failed, 3))
    assert.deepStrictEqual(driverMarkOf({ ...failed, driver: "d1" }, 3), {
      line: 3,
      driver: "d1",
      mark: "AddressFailed",
      ...at
    })
    const clean = {
      _tag: "LevelOutcomeRecorded",
      ...at,
      outcome: { _tag: "Clean" },
      ceiling: "high",
      driver: "d1"
    } as const
    assert.strictEqual(driverMarkOf(clean, 3)?.mark, "RetroClean")
    assert.isNull(driverMarkOf({ _tag: "StepAborted", signal: "SIGTERM" }, 3))
  })
})

it("a driver's end says the same as its header", () => {
  const drivers = (outcome: string) => ({
    ...undriven,
    drivers: [{
      ...{ driver: "d1", pid: 7, since: 0, until: 1, call: null, why: null, outcome },
      end: { _tag: "Asked", cause: { _tag: "Protected" } } as const
    }]
  })
  assert.isEmpty(endProblems(drivers("HandoffHuman: TaskBlocked")))
  assert.deepStrictEqual(endProblems(drivers("DoneFixedPoint")), [
    "driver d1 ended as Asked, and its header is DoneFixedPoint"
  ])
})

describe("a driver's mark", () => {
  it("is valid with an accepted result and green tests", () => {
    assert.isNull(problem([...begun, tested(2, 1, 0), concluded(1, "b"), closed(1)]))
    assert.isNull(problem([...begun, tested(2, 1, 1), tested(3, 1, 0), concluded(1, "b")]))
  })

  it.each<[string, Facts, RegExp]>([
    ["no driver of that name", [driverStarted("d2"), roundStarted()], /no such driver drove the run$/],
    ["no round that concluded", [...begun, tested(2, 1, 0)], /no round of the driver concluded so$/],
    ["tests that never ran", [...begun, concluded(1, "b")], /no test ran after its last agent$/],
    [
      "tests before its last agent",
      [...begun, tested(2, 1, 0), worked(2, "round-1/address"), concluded(1, "b")],
      /no test ran after its last agent$/
    ],
    ["red tests", [...begun, tested(2, 1, 1), tested(3, 1, 1), concluded(1, "b")], /its tests were not green$/],
    [
      "a result that was not accepted",
      [driverStarted(), roundStarted(), worked(1, "round-1/address", "remediate"), concluded(1, "b")],
      /no agent's result was accepted$/
    ]
  ])("is not valid with %s", (_, events, text) => assert.match(problem(events) ?? "", text))

  it("of a clean level needs an agent that looked, or the record that none was needed", () => {
    const round = roundStarted({ kind: "Retrospective", findings: [] })
    const clean = { mark: "RetroClean" } as const
    const skipped = { _tag: "RetrospectiveSkipped", round: 1, because: "Never" } as const
    const done = concluded(1, "a", "RetroClean")
    assert.isNull(problem([driverStarted(), round, skipped, done], clean))
    assert.isNull(problem([driverStarted(), round, worked(1, "round-1/retrospective"), done], clean))
    assert.match(problem([driverStarted(), round, done], clean) ?? "", /no agent looked over the level$/)
  })

  it("of failed tests needs no green tests; no mark is valid without a stream", () => {
    assert.isNull(problem([...begun, concluded(1, "b", "AddressFailed")], { mark: "AddressFailed" }))
    assert.match(markProblem(null, mark()) ?? "", /^AddressPassed of low batch 1 by driver d1: no such driver/)
  })
})

const head = (seq: number, hash = "h"): Head => ({ seq, hash })
const other = "0".repeat(64)

/** The run of a whole call, its driver's stream and its head. */
const drivenRun = Effect.gen(function*() {
  yield* world()
  const { run, stream } = yield* call()
  const { head } = yield* (yield* EventLog).read(reviewRun, run.ref)
  return { ref: run.ref, stream, head }
})

const found = (run: RunRef) =>
  Effect.map(audit(run), ({ proof, words }) => ({
    complete: proof?.complete,
    texts: words.flatMap((word) =>
      word._tag === "Found" ? [`${word.finding.kind} ${word.finding.line} ${word.finding.text}`] : []
    )
  }))

/** Replaces the head in each event of the driver's stream that names one. */
const withHeads = (change: (head: Head) => Head | undefined) =>
  Effect.updateService(EventLog, (log) => {
    const tampered = (event: ConvergeEvent): ConvergeEvent => {
      if (event._tag !== "RoundStarted" || event.head === undefined) return event
      const { head, ...rest } = event
      const now = change(head)
      return now === undefined ? rest : { ...rest, head: now }
    }
    return {
      ...log,
      stream: (kind, run, from) =>
        kind.kind !== convergeRun.kind
          ? log.stream(kind, run, from)
          : Stream.map(log.stream(kind, run, from), (part) => ({
            ...part,
            lines: part.lines.map((line) => ({
              ...line,
              events: line.events.map((event) => tampered(event as ConvergeEvent))
            }))
          }))
    }
  })

describe("a driver", () => {
  it("names the head of the run's log with each round that it starts or concludes", async () => {
    const { heads, stream } = await onMachine(Effect.gen(function*() {
      const { ref, stream } = yield* drivenRun
      const lines = yield* Stream.runCollect((yield* EventLog).stream(reviewRun, ref, head(0, "")))
      return { stream, heads: lines.flatMap(({ lines }) => lines.map(({ hash, seq }) => `${seq}:${hash}`)) }
    }))
    const named = stream.flatMap((event) =>
      event._tag === "RoundStarted" || event._tag === "RoundConcluded" ? [event.head] : []
    )
    assert.lengthOf(named, 4)
    for (const one of named) assert.include(heads, `${one?.seq}:${one?.hash}`)
  })

  it("of an earlier version names no heads", () => {
    assert.deepStrictEqual(headsOf(after(roundStarted(), concluded(1, "b"))), [])
    const done = { ...concluded(1, "b"), head: head(9) }
    assert.deepStrictEqual(headsOf(after(roundStarted({ head: head(7) }), done)), [
      { what: "round 1 began", head: head(7) },
      { what: "round 1 concluded", head: head(9) }
    ])
  })
})

describe("the audit of a driven run", () => {
  it("finds nothing if the heads match, or if an earlier version named none", async () => {
    const sound = { complete: true, texts: [] }
    const each = [withHeads((one) => one), withHeads(() => undefined)]
    for (const change of each) {
      assert.deepStrictEqual(
        await onMachine(Effect.flatMap(drivenRun, ({ ref }) => change(found(ref)))),
        sound
      )
    }
  })

  it("finds a head with another hash, and a head that no line has; then nothing is proven", async () => {
    const forged = await onMachine(
      Effect.flatMap(drivenRun, ({ head: { seq }, ref }) =>
        Effect.all([
          withHeads((one) => ({ ...one, hash: other }))(found(ref)),
          withHeads((one) => ({ ...one, seq: seq + 1 }))(found(ref)),
          Effect.succeed(seq)
        ]))
    )
    const [another, beyond, seq] = forged
    assert.isFalse(another.complete)
    assert.lengthOf(another.texts, 2)
    assert.match(another.texts[0] ?? "", /^driver (\d+) round 1 began on line \1 of the run, which has another hash$/)
    assert.isFalse(beyond.complete)
    assert.strictEqual(
      beyond.texts[0],
      `driver 0 round 1 began on line ${seq + 1} of the run, whose log ends before it`
    )
  })

  it("marks heads after damage, because the damage is a finding of its own", async () => {
    const broken = Effect.flatMap(reviewedRun(), (run) =>
      headProblems(run, [{ what: "it", head: head(99) }]).pipe(
        Effect.updateService(EventLog, (log) => ({
          ...log,
          stream: () => Stream.fail(new LogDamaged({ path: "/m", kind: "bad hash", line: 2, offset: 9 }))
        }))
      ))
    const text = "it on line 99 of the run, whose log is damaged before it"
    assert.deepStrictEqual(await onMachine(broken), [{ line: 0, text, damaged: true }])
  })

  const failing = (error: LogReadError) =>
    Effect.updateService(EventLog, (log) => ({
      ...log,
      stream: (kind, run, from) => {
        const all = log.stream(kind, run, from)
        return kind.kind === convergeRun.kind ? Stream.concat(all, Stream.fail(error)) : all
      }
    }))

  it("finds a damaged driver stream, because the heads in it were not checked", async () => {
    const error = new LogDamaged({ path: "/m", kind: "bad hash", line: 2, offset: 9 })
    const { complete, texts } = await onMachine(Effect.flatMap(drivenRun, ({ ref }) => failing(error)(found(ref))))
    assert.isFalse(complete)
    assert.match(
      texts.join("\n"),
      /^driver 0 the stream of its driver cannot be read to its end, and the rest was not looked at.*damaged at line 2/
    )
  })

  it("notes a driver's stream of a newer version", async () => {
    const error = new LogTooNew({ path: "/m", reason: { _tag: "FormatVersion", version: 9 } })
    const report = await onMachine(Effect.flatMap(drivenRun, ({ ref }) => failing(error)(audit(ref))))
    assert.deepStrictEqual([report.proof?.complete, report.findings], [true, 0])
    assert.match(report.words.flatMap((word) => word._tag === "Noted" ? [word.note.text] : []).join(), /needs a newer/)
  })
})

describe("the audit of a plan run", () => {
  const planned = (run: string, named: (end: Head) => Head | undefined) =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const reviewed = yield* reviewedRun()
      const plan = { ...runRef(), root: reviewed.root, repoId: reviewed.repoId, targetKey: "plan/p-1" }
      const now = named((yield* log.read(reviewRun, reviewed)).head)
      const converged = { _tag: "PlanConverged", run: run === "" ? reviewed.runId : run, outcome: "Done" } as const
      yield* log.create(planRun, plan, [
        { ...planStarted, runId: plan.runId },
        now === undefined ? converged : { ...converged, head: now }
      ])
      const { findings, words } = yield* audit(plan)
      return [findings, words.map((word) => word._tag === "Found" ? word.finding.text : word._tag)]
    })

  it("compares the named head with the log of the run that converged its code", async () => {
    assert.deepStrictEqual(await onMachine(planned("", (end) => end)), [0, []])
    assert.deepStrictEqual(await onMachine(planned("", () => undefined)), [0, []])
    const [findings, [text]] = await onMachine(planned("", (end) => ({ ...end, hash: other }))) as [number, [string]]
    assert.strictEqual(findings, 1)
    assert.match(text, /^run \S+ converged the code on line \d+ of the run, which has another hash$/)
  })

  it("finds a head that cannot be checked because that run's log is damaged before it", async () => {
    const broken = Effect.updateService(EventLog, (log) => ({
      ...log,
      stream: (kind, run, from) =>
        kind.kind === reviewRun.kind
          ? Stream.fail(new LogRewound({ path: "/m", kind: "rolled back" }))
          : log.stream(kind, run, from)
    }))
    const [findings, [text]] = await onMachine(broken(planned("", (end) => end))) as [number, [string]]
    assert.strictEqual(findings, 1)
    assert.match(text, /^run \S+ converged the code on line \d+ of the run, whose log is damaged before it$/)
  })

  it("notes a run that is gone", async () =>
    assert.deepStrictEqual(await onMachine(planned("gone", (end) => end)), [0, ["Noted"]]))
})
