// HeadSection: what was reviewed, whether it is done, what is proven of it, and whether the audit bears that out.
import type { AuditPart, ProofPart, ReportData } from "../ReportData.ts"
import { counted } from "../../text/Phrases.ts"
import { el, type Markup } from "./Markup.ts"
import { facts, folded, mark, section, short, table } from "./Parts.ts"

/** The head of the page: the run, its outcome, the ways to its sections. */
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

const audit = ({ checked, left, verdict, words }: AuditPart): Markup =>
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
          : el("p", { class: "quiet" }, `${left} more: `, el("code", {}, "ooda-codex-review audit"), " shows them.")
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
