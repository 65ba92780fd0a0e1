// Page: a report as one HTML document that needs nothing but itself.
import type { ReportData } from "../ReportData.ts"
import { documentOf, el, Markup } from "./Markup.ts"
import { eventsSection } from "./EventsSection.ts"
import { findingsSection } from "./FindingsSection.ts"
import { head, headSection } from "./HeadSection.ts"
import { short } from "./Parts.ts"
import { pathSection } from "./PathSection.ts"
import { policy } from "./Policy.ts"
import { script } from "./Script.ts"
import { style } from "./Style.ts"
import { tasksSection, turnsSection } from "./TurnsSection.ts"

/** The page: nothing in it loads anything, and all but its filter works without a script. */
export const page = (data: ReportData): string => {
  const sections: ReadonlyArray<readonly [string, string, Markup | null]> = [
    ["outcome", "Outcome", headSection(data)],
    ["path", "Path", data.path === null ? null : pathSection(data.path)],
    ["findings", "Findings", data.findings === null ? null : findingsSection(data.findings)],
    ["tasks", "Tasks", tasksSection(data)],
    ["turns", data.tasks === null ? "Rounds" : "Cycles", turnsSection(data)],
    ["events", "Events", eventsSection(data)]
  ]
  const shown = sections.filter(([, , section]) => section !== null)
  return documentOf(
    [
      Markup.empty("meta", { charset: "utf-8" }),
      Markup.empty("meta", { "http-equiv": "Content-Security-Policy", content: policy(style, script) }),
      Markup.empty("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      Markup.empty("meta", { name: "referrer", content: "no-referrer" }),
      el("title", {}, short(`${data.title}: ${data.verdict.text}`, 120)),
      Markup.own("style", style)
    ],
    [
      el("a", { class: "skip", to: "main" }, "Skip to the report"),
      head(data, shown.map(([id, name]) => [id, name])),
      el("main", { id: "main" }, shown.map(([, , section]) => section)),
      el("footer", {}, el("p", {}, data.made)),
      Markup.own("script", script)
    ]
  )
}
