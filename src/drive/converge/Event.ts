// Event: the facts of a run's driver: rounds, the agents and tests in them, and what agents were allowed.
// The run's own log has what people and steps do. A released event is never renamed or removed.
import { Schema } from "effect"
import { drivenEvents } from "../State.ts"
import { LongText, Ordinal, SeenHead } from "../../run/Event.ts"
import { Identity } from "../../run/Identity.ts"
import { Level } from "../../run/Level.ts"

const round = { round: Ordinal }
// The last line of the run's log that the driver had read. Drivers of earlier versions did not record it.
const seen = { head: Schema.optionalKey(SeenHead) }

/** What a round answers: a batch with issues, or a clean level that is looked over. */
export const RoundKind = Schema.Literals(["AddressBatch", "Retrospective"])
export type RoundKind = typeof RoundKind.Type

/** What an agent did about a finding. `not-done` also if it said nothing. */
export const AnswerWord = Schema.Literals(["fixed", "refuted", "documented", "not-done"])
export type AnswerWord = typeof AnswerWord.Type

/** An agent's answer to one finding. */
export const Answer = Schema.Struct({ fingerprint: Schema.String, answer: AnswerWord, why: Schema.String })
export type Answer = typeof Answer.Type

/** The mark by which a round ends. */
export const RoundMark = Schema.Literals(["AddressPassed", "AddressFailed", "RetroClean", "RetroChanges"])
export type RoundMark = typeof RoundMark.Type

/** Why no agent looks over a clean level. */
export const SkipCause = Schema.Literals(["Never", "NoFindings", "AskedBefore"])
export type SkipCause = typeof SkipCause.Type

/**
 * Why a round is over: its mark is set; another process answered; its tests stay red; a result was rejected; or
 * protected files were changed.
 */
export const CloseCause = Schema.Literals(["Marked", "AnsweredElsewhere", "TestsRed", "Rejected", "Protected"])
export type CloseCause = typeof CloseCause.Type

/** The union of facts. Documented one by one in docs/events.md. */
export const ConvergeEvent = Schema.TaggedUnion({
  /** The first line: the run that is driven. */
  ConvergeStarted: { runId: Schema.String, nonce: Schema.String },
  ...drivenEvents,
  /**
   * A hand-off was taken up. `findings` are the names of those that block, `content` is what was reviewed, and
   * `history` is the digest of what earlier batches found: an equal one means that nothing new was found since.
   */
  RoundStarted: {
    ...round,
    kind: RoundKind,
    level: Level,
    batch: Ordinal,
    findings: Schema.Array(Schema.String),
    content: Identity,
    history: Schema.String,
    ...seen
  },
  /** What an agent said of each finding, and which protected files it changed. */
  RoundAnswered: {
    ...round,
    agent: Ordinal,
    answers: Schema.Array(Answer),
    protectedFiles: Schema.Array(Schema.String)
  },
  RetrospectiveSkipped: { ...round, because: SkipCause },
  /** The round's mark is about to be set; `content` is what the worktree holds then. */
  RoundConcluded: { ...round, mark: RoundMark, reason: LongText, content: Identity, ...seen },
  RoundClosed: { ...round, because: CloseCause }
})
export type ConvergeEvent = typeof ConvergeEvent.Type
export type ConvergeEventOf<Tag extends ConvergeEvent["_tag"]> = Extract<ConvergeEvent, { readonly _tag: Tag }>
