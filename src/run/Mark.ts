// Mark: side-effect mode as a pure decision: (manifest, mark, ceiling) -> events, resolution line, outcome.
import { Schema } from "effect"
import { reviewsWithIssues } from "./Batch.ts"
import { type BatchCause, type Event, type LevelOutcome, LongText } from "./Event.ts"
import { advance, drop, restart, retroCleanRow } from "./Ladder.ts"
import { edge, type Level } from "./Level.ts"
import { nextBatch, type RunState } from "./Manifest.ts"
import type { Outcome } from "./Outcome.ts"
import { triagePrompt } from "./words.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The seven side-effect flags. */
export const Mark = Schema.TaggedUnion({
  RetroClean: {},
  RetroChanges: { reason: LongText },
  AddressPassed: {},
  AddressFailed: { details: LongText },
  AdvanceLevel: {},
  DropLevel: {},
  RestartFromFloor: {}
})
export type Mark = typeof Mark.Type

/** The four marks that record the answer to a hand-off; the other three only move along the ladder. */
export type RecordingMark = Extract<
  Mark,
  { readonly _tag: "RetroClean" | "RetroChanges" | "AddressPassed" | "AddressFailed" }
>

/** Whether a mark records an answer. */
export const isRecording = (mark: Mark): mark is RecordingMark =>
  mark._tag === "RetroClean" || mark._tag === "RetroChanges" || mark._tag === "AddressPassed" ||
  mark._tag === "AddressFailed"

/** What a mark does: the events of its one line (none for a no-op), its stdout line and its outcome. */
export interface MarkDecision {
  readonly events: ReadonlyArray<Event>
  readonly line: string | null
  readonly outcome: Outcome
}

const idle: Outcome = { _tag: "Idle" }

const opened = (manifest: RunState, level: Level, cause: BatchCause): Event => ({
  _tag: "BatchOpened",
  level,
  batch: nextBatch(manifest, level),
  from: manifest.current_level,
  cause
})

/** Decides a side-effect flag for a run. `reason` and `details` arrive whole; see `LongText` for what is stored. */
export const decideMark = (manifest: RunState, mark: Mark, ceiling: Level): MarkDecision => {
  const level = manifest.current_level
  const floor = manifest.start_level
  const ladder = { floor, ceiling, current: level }
  const recorded = (outcome: LevelOutcome): Event => ({
    _tag: "LevelOutcomeRecorded",
    level,
    batch: manifest.batch_number,
    outcome,
    ceiling
  })
  const restarted = `restarted from floor: ${level} -> ${floor}`
  return Mark.match(mark, {
    RetroClean: (): MarkDecision => {
      const clean = recorded({ _tag: "Clean" })
      const row = retroCleanRow(ladder)
      switch (row) {
        case "AtCeiling":
          return {
            events: [
              clean,
              { _tag: "FixedPointReached", level, batch: manifest.batch_number, ceiling, by: "Mark" }
            ],
            line: `retrospective clean at ceiling (${ceiling}); fixed point reached`,
            outcome: { _tag: "DoneFixedPoint" }
          }
        case "AtLadderEdge":
          return {
            events: [clean],
            line: `retrospective clean at ${level}; ladder edge ${edge} reached, no advance`,
            outcome: idle
          }
        case "BelowCeiling":
        case "AboveCeiling": {
          const next = advance(ladder)
          return {
            events: [clean, opened(manifest, next, "Advanced")],
            line: `retrospective clean at ${level}; advanced to ${next}`,
            outcome: idle
          }
        }
      }
    },
    RetroChanges: ({ reason }): MarkDecision => ({
      events: [
        recorded({ _tag: "RetrospectiveChanges", reason }),
        opened(manifest, restart(ladder), "Restarted")
      ],
      line: `retrospective surfaced changes at ${level} ("${oneLine(reason.text)}"); ${restarted}`,
      outcome: idle
    }),
    AddressPassed: (): MarkDecision => {
      const count = reviewsWithIssues(manifest.batch)
      const next = drop(ladder)
      const batch = nextBatch(manifest, next)
      const issues = `(${count} review(s) with issues)`
      return {
        events: [recorded({ _tag: "Addressed", count }), opened(manifest, next, "Dropped")],
        line: next === level
          ? `address passed at floor ${level} ${issues}; no drop; advanced to batch ${batch}`
          : `address passed at ${level} ${issues}; dropped to ${next}`,
        outcome: idle
      }
    },
    AddressFailed: ({ details }): MarkDecision => ({
      events: [{ _tag: "AddressFailed", level, batch: manifest.batch_number, details }],
      line: null,
      outcome: { _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: triagePrompt(level, details.text) }
    }),
    AdvanceLevel: (): MarkDecision =>
      level === edge
        ? { events: [], line: `at ladder edge (${edge}); no advance`, outcome: idle }
        : {
          events: [opened(manifest, advance(ladder), "Advanced")],
          line: `advanced level: ${level} -> ${advance(ladder)}`,
          outcome: idle
        },
    DropLevel: (): MarkDecision =>
      level === floor
        ? { events: [], line: `at floor (${level}); no drop`, outcome: idle }
        : {
          events: [opened(manifest, drop(ladder), "Dropped")],
          line: `dropped level: ${level} -> ${drop(ladder)}`,
          outcome: idle
        },
    RestartFromFloor: (): MarkDecision => ({
      events: [opened(manifest, restart(ladder), "Restarted")],
      line: restarted,
      outcome: idle
    })
  })
}
