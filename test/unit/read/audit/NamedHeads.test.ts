// NamedHeads: heads that a driver, or a plan, says it saw, held against the log of the run.
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import type { Head } from "../../../../src/log/StreamKind.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import type { RunRef } from "../../../../src/log/Refs.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { headProblems, headsOf } from "../../../../src/read/audit/DriverMarks.ts"
import { EventLog, LogDamaged, type LogReadError, LogRewound, LogTooNew } from "../../../../src/log/EventLog.ts"
import { call, world } from "../../drive/converge/driven.ts"
import { after, concluded, roundStarted } from "../../drive/converge/streams.ts"
import { planStarted } from "../../drive/plan/histories.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { reviewedRun } from "../../../support/reviewedRuns.ts"

const head = (seq: number, hash = "h"): Head => ({ seq, hash })
const other = "0".repeat(64)

/** The run of a whole call, its driver's stream and its lines. */
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

/** Has the driver's stream say something else of each event that names a head. */
const telling = (change: (head: Head) => Head | undefined) =>
  Effect.updateService(EventLog, (log) => {
    const told = (event: ConvergeEvent): ConvergeEvent => {
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
              events: line.events.map((event) => told(event as ConvergeEvent))
            }))
          }))
    }
  })

describe("a driver", () => {
  it("names the head of the run's log with each round that it begins or concludes", async () => {
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

  it("that says nothing of heads, as earlier versions did, has named none", () => {
    assert.deepStrictEqual(headsOf(after(roundStarted(), concluded(1, "b"))), [])
    const done = { ...concluded(1, "b"), head: head(9) }
    assert.deepStrictEqual(headsOf(after(roundStarted({ head: head(7) }), done)), [
      { what: "round 1 began", head: head(7) },
      { what: "round 1 concluded", head: head(9) }
    ])
  })
})

describe("the audit of a driven run", () => {
  it("finds nothing where its heads are there, or where an earlier version named none", async () => {
    const sound = { complete: true, texts: [] }
    const each = [telling((one) => one), telling(() => undefined)]
    for (const change of each) {
      assert.deepStrictEqual(
        await onMachine(Effect.flatMap(drivenRun, ({ ref }) => change(found(ref)))),
        sound
      )
    }
  })

  it("finds a head of another hash, and one that no line of the run has; then nothing is proven", async () => {
    const forged = await onMachine(
      Effect.flatMap(drivenRun, ({ head: { seq }, ref }) =>
        Effect.all([
          telling((one) => ({ ...one, hash: other }))(found(ref)),
          telling((one) => ({ ...one, seq: seq + 1 }))(found(ref)),
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

  it("tells of heads behind damage apart, since the damage is a finding of its own", async () => {
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

  it("finds a driver's stream that is damaged, since what it names there was not looked for", async () => {
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
    const told = await onMachine(Effect.flatMap(drivenRun, ({ ref }) => failing(error)(audit(ref))))
    assert.deepStrictEqual([told.proof?.complete, told.findings], [true, 0])
    assert.match(told.words.flatMap((word) => word._tag === "Noted" ? [word.note.text] : []).join(), /needs a newer/)
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

  it("holds the head of the run that converged its code against that run's log", async () => {
    assert.deepStrictEqual(await onMachine(planned("", (end) => end)), [0, []])
    assert.deepStrictEqual(await onMachine(planned("", () => undefined)), [0, []])
    const [findings, [text]] = await onMachine(planned("", (end) => ({ ...end, hash: other }))) as [number, [string]]
    assert.strictEqual(findings, 1)
    assert.match(text, /^run \S+ converged the code on line \d+ of the run, which has another hash$/)
  })

  it("finds that it cannot be looked for where that run's log is damaged before it", async () => {
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

  it("notes where that run is gone", async () =>
    assert.deepStrictEqual(await onMachine(planned("gone", (end) => end)), [0, ["Noted"]]))
})
