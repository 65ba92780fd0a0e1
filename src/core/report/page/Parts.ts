// Parts: what the sections of a report share: marks, facts, tables, texts that may be cut, folded details.
import type { Excerpt, Fact, Verdict } from "../ReportData.ts"
import { redact } from "../../text/redaction/Redact.ts"
import { brief, cut } from "../../text/Untrusted.ts"
import { block, type Child, el, type Markup } from "./Markup.ts"

/** A text on one line, cut where it is longer than `most`; a secret that the cut would go through is gone before. */
export const short = (text: string, most = 300): string => brief(redact(text), most)

/** A text of several lines, cut as carefully. */
export const words = (text: string, most: number): Markup => {
  const safe = redact(text)
  return block(safe.length <= most ? safe : `${cut(safe, most)}...`)
}

/** A few words with a colour, which never says anything that the words do not say. */
export const mark = ({ text, tone }: Verdict, size = ""): Markup =>
  el("span", { class: `mark ${tone}${size === "" ? "" : ` ${size}`}` }, text)

/** Names with their values. */
export const facts = (all: ReadonlyArray<Fact>): Markup | null =>
  all.length === 0
    ? null
    : el("dl", {}, all.map(({ name, value }) => [el("dt", {}, name), el("dd", {}, short(value, 2000))]))

/** A part that is folded away until somebody opens it. */
export const folded = (title: Child, content: Child, attributes: { readonly class?: string } = {}): Markup =>
  el("details", attributes, el("summary", {}, title), content)

/** A text of several lines, and where the rest of it is. */
export const excerptBlock = ({ rest, text }: Excerpt): Child =>
  text === "" && rest === null
    ? null
    : [block(text), rest === null ? null : el("p", { class: "quiet" }, `Cut here; ${rest}.`)]

/** A cell of a table: a text or markup, and whether it is a number or the name of its row. */
export interface Cell {
  readonly content: Child
  readonly kind?: "number" | "name" | "short"
}

const cell = ({ content, kind }: Cell): Markup =>
  kind === "name"
    ? el("th", { scope: "row" }, content)
    : el("td", kind === undefined ? {} : { class: kind }, content)

/** A table that scrolls by itself where the page is too narrow. */
export const table = (
  caption: string,
  head: ReadonlyArray<{ readonly name: string; readonly number?: boolean }>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>
): Markup =>
  el(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map(({ name, number }) => el("th", { scope: "col", class: number === true ? "number" : null }, name))
        )
      ),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))
    )
  )

/** A section of the page with its heading. */
export const section = (id: string, title: string, ...content: ReadonlyArray<Child>): Markup =>
  el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), content)

/** An instant of a log, to the second, in UTC. */
export const instant = (millis: number | null): string =>
  millis === null || !Number.isFinite(millis)
    ? "unknown"
    : new Date(millis).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC")
