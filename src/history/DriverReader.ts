// DriverReader: how the stream of a run's driver is shown: its rounds, its agents, what they were allowed and used.
import { convergeRun, type ConvergeState } from "../core/converge/ConvergeRun.ts"
import type { ConvergeEvent, ConvergeEventOf } from "../core/converge/Event.ts"
import { identityText } from "../core/run/Identity.ts"
import { batchName, counted } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { quoted } from "./Describe.ts"
import { agentChanges, describeDriven } from "./DescribeDriven.ts"
import type { LogReader } from "./LogReader.ts"

type RoundEvent = ConvergeEventOf<
  | "RoundStarted"
  | "RoundAnswered"
  | "RetrospectiveSkipped"
  | "RoundConcluded"
  | "RoundClosed"
>

const describeRound = (e: RoundEvent): string => {
  const round = `round ${e.round}`
  switch (e._tag) {
    case "RoundStarted":
      return `${round}: ${e.kind} of ${batchName(e)}, ${counted(e.findings.length, "finding")}, ${
        identityText(e.content)
      }`
    case "RoundAnswered":
      return `${round}, agent ${e.agent}: ${e.answers.map((one) => `${one.fingerprint} ${one.answer}`).join(", ")}` +
        e.protectedFiles.map((file) => `; changed ${quoted(file)}`).join("")
    case "RetrospectiveSkipped":
      return `${round} (${e.because})`
    case "RoundConcluded":
      return `${round}: ${e.mark}, ${identityText(e.content)}`
    case "RoundClosed":
      return `${round} (${e.because})`
  }
}

/** What an event says beside its name. */
const describe = (e: ConvergeEvent): string => {
  switch (e._tag) {
    case "ConvergeStarted":
      return oneLine(e.runId)
    case "RoundStarted":
    case "RoundAnswered":
    case "RetrospectiveSkipped":
    case "RoundConcluded":
    case "RoundClosed":
      return describeRound(e)
    default:
      return describeDriven(e)
  }
}

export const driverReader: LogReader<ConvergeEvent, ConvergeState, string | null> = {
  kind: convergeRun,
  mark: "d",
  stateName: "state of the driver",
  describe,
  changes: ({ after, before }) => agentChanges(before.state, after.state),
  valueText: (value) => value ?? "none"
}
