// WatchText: what watching tells where nothing can be redrawn: a line for each change, and one for the end.
// Each text is one line. Fields of the documents are only added.
import { jsonText } from "../core/text/JsonText.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import type { LiveView } from "../core/driven/LiveView.ts"
import { type Row, rowText } from "../core/loop/Row.ts"
import { batchName, counted } from "../core/text/Phrases.ts"
import { type AgentWork, workOf } from "./AgentWork.ts"
import { drivenFields } from "./TellPlan.ts"
import type { BatchEnd } from "./Watch.ts"

const where = ({ batch_number, current_level, run_id }: Manifest) => ({
  run: run_id,
  level: current_level,
  batch: batch_number
})

/** The line of a changed row, with the time. */
export const changeText = (row: Row, _: Manifest, at: string): string => `${at}  ${rowText(row)}\n`

const drivenOf = (view: LiveView | null) => view === null ? {} : drivenFields(view)

/** The document of a changed row. Times in milliseconds. */
export const changeJson = (
  row: Row,
  manifest: Manifest,
  at: string,
  work: AgentWork = {},
  view: LiveView | null = null
): string => {
  const { activity, elapsed, silentFor, slot, state } = row
  const told = { slot, state, elapsed, silentFor, activity, ...drivenOf(view), ...workOf(work) }
  return `${jsonText({ schema: 1, at, ...where(manifest), ...told })}\n`
}

/** The document of a change in a driven run that is none of a reviewer. */
export const workJson = (manifest: Manifest, at: string, work: AgentWork, view: LiveView): string =>
  `${jsonText({ schema: 1, at, ...where(manifest), ...drivenOf(view), ...workOf(work) })}\n`

const sentence = (end: BatchEnd): string => {
  switch (end._tag) {
    case "NotStarted":
      return "has not started"
    case "Left":
      return "is over: the run has gone on"
    case "Stopped":
      return "was stopped; the next step goes on with it"
    case "Unrecorded":
      return "has ended; the next step takes it in"
    case "Failed":
      return `failed: slot ${end.slots.join(", ")}; the next step runs only what failed`
    case "DriverEnded":
      return end.outcome === null
        ? "the driver is gone without a word; the next call of converge goes on"
        : `the driver ended in ${end.outcome}`
    case "Complete":
      return end.withIssues === 0
        ? `is complete: ${counted(end.size, "clean review")}`
        : `is complete: ${end.withIssues} of ${counted(end.size, "review")} with issues`
  }
}

/** The last line, and that of each batch of a driven run. */
export const endingText = (end: BatchEnd, manifest: Manifest): string => {
  const { batch, level } = where(manifest)
  if (end._tag === "DriverEnded") return `${sentence(end)}\n`
  return `${batchName({ batch, level })} ${sentence(end)}\n`
}

/** The last document, and that of each batch of a driven run. */
export const endingJson = (end: BatchEnd, manifest: Manifest, at: string, work: AgentWork = {}): string =>
  `${jsonText({ schema: 1, at, ...where(manifest), end: end._tag, text: sentence(end), ...workOf(work) })}\n`
