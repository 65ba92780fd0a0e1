// EventsSection: the raw events of the run's logs, folded away.
import type { LogPart, ReportData } from "../ReportData.ts"
import { counted } from "../../text/Phrases.ts"
import { block, el, type Markup } from "./Markup.ts"
import { folded, section } from "./Parts.ts"

const names: Readonly<Record<string, string>> = {
  review: "The run's log",
  converge: "The log of its driver",
  plan: "The run's log"
}

const log = (run: string, { count, first, last, left, name }: LogPart): Markup =>
  folded(`${names[name] ?? name}: ${counted(count, "event")}`, [
    block(first.join("\n")),
    left === 0 ? null : el(
      "p",
      { class: "quiet" },
      `${counted(left, "event")} left out here; `,
      el("code", {}, `ooda-codex-review replay ${run}`),
      " shows all of them."
    ),
    last.length === 0 ? null : block(last.join("\n"))
  ])

/** The section. */
export const eventsSection = ({ logs, run }: ReportData): Markup =>
  section(
    "events",
    "Events",
    el("p", { class: "quiet" }, "Each line of the logs, as replay tells it."),
    logs.map((one) => log(run, one))
  )
