// Page: a report as one HTML document: head, events.
import { counted } from "../../../text/Phrases.ts"
import type { AuditPart, LogPart, ProofPart, ReportData } from "../ReportData.ts"
import { findingsSection } from "./Findings.ts"
import { block, documentOf, el, facts, folded, mark, Markup, section, short, table } from "./Markup.ts"
import { pathSection } from "./Path.ts"
import { policy, script, style } from "./Style.ts"
import { tasksSection, turnsSection } from "./Turns.ts"

// What was reviewed, whether it is done, what is proven, and whether the audit confirms that.

/** The head of the page: the run, its outcome, the links to its sections. */
export const head = ({ run, title, verdict }: ReportData, links: ReadonlyArray<readonly [string, string]>): Markup =>
  el(
    "header",
    {},
    el("h1", {}, short(title)),
    el("p", { class: "quiet" }, "Run ", el("code", {}, run)),
    el("p", {}, mark({ ...verdict, text: short(verdict.text, 400) }, "verdict")),
    el(
      "nav",
      { "aria-label": "Sections" },
      el("ul", {}, links.map(([id, name]) => el("li", {}, el("a", { to: id }, name))))
    )
  )

const proof = ({ conclusion, levels, statement }: ProofPart): Markup =>
  el(
    "div",
    {},
    el("p", {}, mark(statement)),
    table(
      "What each level has shown",
      [{ name: "Level" }, { name: "Last clean batch" }],
      levels.map(({ level, lines, tone }) => [
        { content: level, kind: "name" },
        {
          content: el(
            "ul",
            { class: "plain" },
            lines.map((line, i) => el("li", {}, i === 1 ? mark({ tone, text: line }) : line))
          )
        }
      ])
    ),
    el("p", {}, `In all: ${conclusion}.`)
  )

const audit = ({ call, checked, left, verdict, words }: AuditPart): Markup =>
  el(
    "div",
    {},
    el("h3", {}, "Audit"),
    el("p", {}, mark(verdict)),
    el("p", { class: "quiet" }, `Checked: ${checked}.`),
    words.length === 0 ? null : folded(
      counted(words.length + left, "finding or note", "findings and notes"),
      [
        el(
          "ul",
          { class: "plain" },
          words.map(({ text, tone }) =>
            el("li", {}, mark({ tone, text: tone === "bad" ? "finding" : "note" }), " ", short(text, 1000))
          )
        ),
        left === 0
          ? null
          : el("p", { class: "quiet" }, `${left} more: `, el("code", {}, call), " shows them.")
      ],
      { class: "print" }
    )
  )

/** The first section. */
export const headSection = (data: ReportData): Markup =>
  section(
    "outcome",
    "Outcome",
    facts(data.facts),
    data.proof === null
      ? el(
        "p",
        {},
        data.path === null
          ? "A plan run proves nothing about its code by itself: the run that converges it does."
          : "No fixed point was reached, so nothing is proven."
      )
      : proof(data.proof),
    audit(data.audit)
  )

// The raw events of the run's logs, folded away.

const names: Readonly<Record<string, string>> = {
  review: "The run's log",
  converge: "The log of its driver",
  plan: "The run's log"
}

const log = (replay: string, { count, first, last, left, name }: LogPart): Markup =>
  folded(`${names[name] ?? name}: ${counted(count, "event")}`, [
    block(first.join("\n")),
    left === 0 ? null : el(
      "p",
      { class: "quiet" },
      `${counted(left, "event")} left out here; `,
      el("code", {}, replay),
      " shows all of them."
    ),
    last.length === 0 ? null : block(last.join("\n"))
  ])

/** The section. */
export const eventsSection = ({ logs, replay }: ReportData): Markup =>
  section(
    "events",
    "Events",
    el("p", { class: "quiet" }, "Each line of the logs, as replay shows it."),
    logs.map((one) => log(replay, one))
  )

// A report as one self-contained HTML document.

/** The page: nothing in it loads anything, and all but its filter works without a script. */
export const page = (data: ReportData): string => {
  const sections: ReadonlyArray<readonly [string, string, Markup | null]> = [
    ["outcome", "Outcome", headSection(data)],
    ["path", "Path", data.path === null ? null : pathSection(data.path)],
    ["findings", "Findings", data.findings === null ? null : findingsSection(data.findings)],
    ["tasks", "Tasks", tasksSection(data)],
    ["turns", "Rounds", turnsSection(data)],
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
