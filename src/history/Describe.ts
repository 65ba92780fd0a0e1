// Describe: one event as one line for people.
// Texts from outside stay on that line, with their control characters escaped.
import type { WaivedFinding } from "../core/run/Dismissal.ts"
import type { Event, LevelOutcome, LongText } from "../core/run/Event.ts"
import { targetKey } from "../core/run/Target.ts"
import { type Usage, usageText } from "../core/run/Usage.ts"
import { textName } from "../core/run/KeptName.ts"
import { oneLine } from "../core/text/Text.ts"
import { shortened } from "../core/text/Untrusted.ts"
import { identityText } from "../core/run/Identity.ts"
import { batchName, counted, slotName } from "../core/text/Phrases.ts"

const longest = 300

/** A text from outside in quotes, cut where it is long. */
export const quoted = (text: string): string => `"${oneLine(shortened(text, longest))}"`

/** A text from outside, and where the rest of it lies. */
export const longText = ({ rest, text }: LongText): string =>
  rest === undefined
    ? quoted(text)
    : `${quoted(text)} (${counted(rest.bytes, "byte")} in ${oneLine(textName(rest.hex))})`

const attemptText = (at: {
  readonly level: string
  readonly batch: number
  readonly slot: number
  readonly attempt: number
}): string => `${slotName(at)} attempt ${at.attempt}`

/** Tokens as the end of a sentence; nothing where they are not known. */
export const usedText = (usage: Usage | null | undefined): string =>
  usage === undefined || usage === null ? "" : `, ${usageText(usage)}`

/** A recorded outcome of a level. */
export const outcomeText = (outcome: LevelOutcome): string => {
  switch (outcome._tag) {
    case "Clean":
      return "Clean"
    case "Addressed":
      return `Addressed ${counted(outcome.count, "review")} with issues`
    case "RetrospectiveChanges":
      return `RetrospectiveChanges ${longText(outcome.reason)}`
  }
}

const endText = (until: string | null): string => until === null ? "" : ` until ${until}`

/** A finding that did not block, and why. */
export const waivedText = ({ because, fingerprint, priority }: WaivedFinding): string => {
  const name = `${fingerprint} ${priority === null ? "without a priority" : `P${priority}`}`
  return because._tag === "BelowBlock"
    ? `${name} weighs too little`
    : `${name} is dismissed for the ${because.scope}${endText(because.until)} ${quoted(because.reason)}`
}

/** What an event says beside its name. */
export const describe = (e: Event): string => {
  switch (e._tag) {
    case "RunCreated":
      return `${oneLine(targetKey(e.target))} from ${e.startLevel}, ${counted(e.batchSize, "review")} a batch, ` +
        `in ${oneLine(e.worktree)} (${e.because})`
    case "BatchStarted":
      return `${batchName(e)}: ${counted(e.size, "review")} of ${identityText(e.identity)}`
    case "ReviewStarted":
      return attemptText(e)
    case "ReviewFinished":
      return `${attemptText(e)}: ${e.verdict}, ${counted(e.findings, "finding")} ` +
        `(${oneLine(e.reason)}, from ${e.source})${usedText(e.usage)}`
    case "ReviewFailed":
      return `${attemptText(e)}${e.exit === null ? "" : ` exited ${e.exit}`}: ${quoted(e.message)}${usedText(e.usage)}`
    case "ReviewStopped":
      return `${attemptText(e)} (${e.cause})`
    case "BatchCompleted":
      return `${batchName(e)}: ${identityText(e.identity)}`
    case "BatchFailed":
      return `${batchName(e)}: slot ${e.slots.join(", ")}`
    case "LevelOutcomeRecorded":
      return `${batchName(e)}: ${outcomeText(e.outcome)} (ceiling ${e.ceiling})`
    case "BatchOpened":
      return `${batchName(e)} from ${e.from} (${e.cause})`
    case "FixedPointReached":
      return `${batchName(e)} at the ceiling (by ${e.by})`
    case "AddressFailed":
      return `${batchName(e)}: ${longText(e.details)}`
    case "FindingDismissed":
      return `${e.fingerprint}${endText(e.until)}: ${longText(e.reason)}`
    case "BatchWaived":
      return `${batchName(e)}: ${e.findings.map(waivedText).join("; ")}` +
        `${e.rest === undefined ? "" : `; all in ${oneLine(textName(e.rest.hex))}`} (--block P${e.block})`
    case "StepAborted":
      return oneLine(e.signal)
  }
}
