// TellPlan: tells what watching the run of a plan shows: redrawn lines, else a line or a document for each change.
import { Effect } from "effect"
import { type LiveView, placeText } from "../core/driven/LiveView.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { workingText } from "../core/loop/Row.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { Output } from "../services/Output.ts"
import { Progress } from "../services/Progress.ts"
import type { WorkLine } from "./AgentWork.ts"
import type { WatchedPlan } from "./WatchPlan.ts"

/** The lines of a driven run: where it stands, then each agent and test. */
export const drivenLines = (view: LiveView): ReadonlyArray<WorkLine> => [
  { essence: placeText(view), text: placeText(view) },
  ...view.work.map((one) => ({ essence: `${one.name} ${one.state} ${one.activity}`, text: workingText(one) }))
]

/** What documents tell of a driven run: its last round or cycle, and the agents and tests that are under way. */
export const drivenFields = ({ place, work }: LiveView) =>
  place._tag === "OnLadder" ? { round: place.round, work } : { cycle: place.cycle, done: place.done, work }

const endText = (outcome: string | null): string =>
  outcome === null
    ? "the driver is gone without a word; the next call of implement goes on"
    : `the driver ended in ${outcome}`

/** Tells what is watched, one after the other: to people on what they watch, or as documents of one line each. */
export const tellPlan = Effect.fn("TellPlan.tellPlan")(function*({ runId }: RunRef, json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  let known: ReadonlySet<string> = new Set()

  const changes = (view: LiveView, at: string): string => {
    const lines = drivenLines(view)
    const news = lines.filter(({ essence }) => !known.has(essence))
    known = new Set(lines.map(({ essence }) => essence))
    if (!json) return news.map(({ text }) => `${at}  ${text}\n`).join("")
    return news.length === 0 ? "" : `${jsonText({ schema: 1, at, run: runId, ...drivenFields(view) })}\n`
  }

  const told = Effect.fnUntraced(function*(watched: Exclude<WatchedPlan, { readonly _tag: "OnLadder" }>) {
    const at = new Date(watched.at).toISOString()
    if (watched._tag === "InPlan") {
      return yield* progress.on && !json
        ? progress.show([], watched.view)
        : output.write(changes(watched.view, at))
    }
    const text = endText(watched.outcome)
    yield* progress.clear
    return yield* output.write(
      json ? `${jsonText({ schema: 1, at, run: runId, end: "DriverEnded", text })}\n` : `${text}\n`
    )
  })
  return { told }
})
