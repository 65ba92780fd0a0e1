// Describe: one event as one line for people.
// The one rule: what came from outside is written on that line with its control characters escaped.
import type { LongText } from "../core/Event.ts"
import { Event, LevelOutcome } from "../core/Event.ts"
import { targetKey } from "../core/Target.ts"
import { oneLine } from "../core/Text.ts"
import { batchText, counted, identityText, slotText } from "./Words.ts"

const longest = 300

/** A foreign text in quotes, cut where it is long. */
const quoted = (text: string): string => `"${oneLine(text.length > longest ? `${text.slice(0, longest)}...` : text)}"`

const longText = ({ rest, text }: LongText): string =>
  rest === undefined
    ? quoted(text)
    : `${quoted(text)} (${counted(rest.bytes, "byte")} in texts/${oneLine(rest.hex)}.txt)`

const attemptText = (at: {
  readonly level: string
  readonly batch: number
  readonly slot: number
  readonly attempt: number
}): string => `${slotText(at)} attempt ${at.attempt}`

/** A recorded outcome of a level. */
export const outcomeText = (outcome: LevelOutcome): string =>
  LevelOutcome.match(outcome, {
    Clean: () => "Clean",
    Addressed: ({ count }) => `Addressed ${counted(count, "review")} with issues`,
    RetrospectiveChanges: ({ reason }) => `RetrospectiveChanges ${longText(reason)}`
  })

/** What an event says beside its name. */
export const describe = (event: Event): string =>
  Event.match(event, {
    RunCreated: ({ batchSize, because, startLevel, target, worktree }) =>
      `${oneLine(targetKey(target))} from ${startLevel}, ${counted(batchSize, "review")} a batch, ` +
      `in ${oneLine(worktree)} (${because})`,
    BatchStarted: (e) => `${batchText(e)}: ${counted(e.size, "review")} of ${identityText(e.identity)}`,
    ReviewStarted: attemptText,
    ReviewFinished: (e) =>
      `${attemptText(e)}: ${e.verdict}, ${counted(e.findings, "finding")} (${oneLine(e.reason)}, from ${e.source})`,
    ReviewFailed: (e) => `${attemptText(e)}: ${quoted(e.message)}`,
    ReviewStopped: (e) => `${attemptText(e)} (${e.cause})`,
    BatchCompleted: (e) => `${batchText(e)}: ${identityText(e.identity)}`,
    BatchFailed: (e) => `${batchText(e)}: slot ${e.slots.join(", ")}`,
    LevelOutcomeRecorded: (e) => `${batchText(e)}: ${outcomeText(e.outcome)} (ceiling ${e.ceiling})`,
    BatchOpened: (e) => `${batchText(e)} from ${e.from} (${e.cause})`,
    FixedPointReached: (e) => `${batchText(e)} at the ceiling (by ${e.by})`,
    AddressFailed: (e) => `${batchText(e)}: ${longText(e.details)}`,
    StepAborted: ({ signal }) => oneLine(signal),
    TailRepaired: ({ bytes, kept, offset }) =>
      `${counted(bytes, "torn byte")} at byte ${offset} cut, kept in ${oneLine(kept)}`
  })
