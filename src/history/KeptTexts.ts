// KeptTexts: the texts that events keep beside the log, by the lines that name them.
import type { Digest, Event, LongText } from "../core/run/Event.ts"
import { textName } from "../core/run/KeptName.ts"

/** A long text whose rest the run keeps beside its log, by the line that names it. */
export interface KeptText {
  readonly line: number
  readonly name: string
  readonly text: Digest
}

const keptText = (line: number, rest: LongText["rest"]): ReadonlyArray<KeptText> =>
  rest === undefined ? [] : [{ line, name: textName(rest.hex), text: rest }]

/** The long text that an event has kept, if any. */
export const textsOf = (event: Event, line: number): ReadonlyArray<KeptText> => {
  switch (event._tag) {
    case "AddressFailed":
      return keptText(line, event.details.rest)
    case "FindingDismissed":
      return keptText(line, event.reason.rest)
    case "BatchWaived":
      return keptText(line, event.rest)
    case "LevelOutcomeRecorded":
      return event.outcome._tag === "RetrospectiveChanges" ? keptText(line, event.outcome.reason.rest) : []
    default:
      return []
  }
}
