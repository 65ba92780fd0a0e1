// Markup: HTML as values. Text is data and always escaped; only what is built here is markup.
// No text can become an element, an attribute or a comment; none holds a secret of a known form or a hidden character.
import { blockLine, brief, cut, lines, oneLine } from "../../../text/Untrusted.ts"
import { redact } from "../../../text/redaction/Redaction.ts"
import type { Excerpt } from "../../Excerpt.ts"
import type { Fact, Verdict } from "../ReportData.ts"

/** The elements of pages. None of them loads or runs anything. */
type Tag =
  | "a"
  | "article"
  | "b"
  | "body"
  | "button"
  | "caption"
  | "code"
  | "dd"
  | "details"
  | "div"
  | "dl"
  | "dt"
  | "footer"
  | "h1"
  | "h2"
  | "h3"
  | "h4"
  | "head"
  | "header"
  | "html"
  | "label"
  | "li"
  | "main"
  | "nav"
  | "ol"
  | "option"
  | "output"
  | "p"
  | "pre"
  | "section"
  | "select"
  | "span"
  | "summary"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "title"
  | "tr"
  | "ul"

/** The elements without an end tag. */
type VoidTag = "input" | "meta"

/** The allowed attributes. None of them is a handler, a style or an address outside of the page. */
type AttributeName =
  | "aria-describedby"
  | "aria-hidden"
  | "aria-label"
  | "aria-labelledby"
  | "aria-live"
  | "autocomplete"
  | "charset"
  | "class"
  | "content"
  | "data-priority"
  | "data-state"
  | "dir"
  | "for"
  | "hidden"
  | "http-equiv"
  | "id"
  | "lang"
  | "name"
  | "open"
  | "role"
  | "scope"
  | "tabindex"
  | "type"
  | "value"

/** Attributes by name. False and null omit one, true is one without a value. `to` links to an id of the page. */
type Attributes =
  & { readonly [Name in AttributeName]?: string | number | boolean | null }
  & { readonly to?: string }

/** The content of an element: texts, numbers, and markup. */
export type Child = string | number | null | Markup | ReadonlyArray<Child>

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => named[character] ?? "")

/** A text that is safe anywhere in a page: on one line, without hidden characters. */
const shown = (text: string): string => escaped(oneLine(redact(text)))

/** The lines of a text, in which tabs stay. */
const linesOf = (text: string): ReadonlyArray<string> => lines(redact(text)).map((line) => escaped(blockLine(line)))

const attribute = ([name, value]: readonly [string, string | number | boolean | null | undefined]): string => {
  if (value === false || value === null || value === undefined) return ""
  if (value === true) return ` ${name}`
  return name === "to" ? ` href="#${shown(String(value))}"` : ` ${name}="${shown(String(value))}"`
}

const opening = (tag: string, attributes: Attributes): string =>
  `<${tag}${Object.entries(attributes).map(attribute).join("")}>`

const written = (child: Child): string => {
  if (child === null) return ""
  if (child instanceof Markup) return child.text
  if (typeof child === "object") return child.map(written).join("")
  return typeof child === "number" ? String(child) : shown(child)
}

/** A part of a page. Only this module can make one. */
export class Markup {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }

  /** An element with its content. */
  static element(tag: Tag, attributes: Attributes, ...children: ReadonlyArray<Child>): Markup {
    return new Markup(`${opening(tag, attributes)}${written(children)}</${tag}>`)
  }

  /** An element without an end tag. */
  static empty(tag: VoidTag, attributes: Attributes): Markup {
    return new Markup(opening(tag, attributes))
  }

  /** A text of several lines, unchanged but for hidden characters. */
  static block(text: string): Markup {
    // The first line break of a `pre` would be lost.
    return Markup.element("pre", {}, new Markup(`\n${linesOf(text).join("\n")}`))
  }

  /** The same with an element around each line, whose class depends on the line. */
  static colouredBlock(text: string, label: string, classOf: (line: string) => string): Markup {
    const spans = linesOf(text).map((line) =>
      `<span class="${shown(classOf(line))}">${line === "" ? " " : line}</span>`
    )
    return Markup.element("pre", { class: "diff", tabindex: 0, "aria-label": label }, new Markup(spans.join("")))
  }

  /** A style sheet or a script of our own, character by character. */
  static own(tag: "style" | "script", text: string): Markup {
    if (/<[/!]/.test(text)) throw new Error(`a ${tag} that could end itself`)
    return new Markup(`<${tag}>${text}</${tag}>`)
  }
}

/** An element with its content. */
export const el = Markup.element

/** A text of several lines. */
export const block = Markup.block

/** A text of several lines, each with a class of its own. */
export const colouredBlock = Markup.colouredBlock

/** The whole document. */
export const documentOf = (head: ReadonlyArray<Markup>, body: ReadonlyArray<Markup>): string =>
  `<!doctype html>\n${el("html", { lang: "en" }, el("head", {}, head), el("body", {}, body)).text}\n`

// The shared parts of a report's sections: marks, facts, tables, texts that may be cut, folded details.

/** A text on one line, cut if it is longer than `most`; secrets are removed before the cut. */
export const short = (text: string, most = 300): string => brief(redact(text), most)

/** A text of several lines, cut as carefully. */
export const words = (text: string, most: number): Markup => {
  const safe = redact(text)
  return block(safe.length <= most ? safe : `${cut(safe, most)}...`)
}

/** A few words with a colour, which repeats what the words say. */
export const mark = ({ text, tone }: Verdict, size = ""): Markup =>
  el("span", { class: `mark ${tone}${size === "" ? "" : ` ${size}`}` }, text)

/** Names with their values. */
export const facts = (all: ReadonlyArray<Fact>): Markup | null =>
  all.length === 0
    ? null
    : el("dl", {}, all.map(({ name, value }) => [el("dt", {}, name), el("dd", {}, short(value, 2000))]))

/** A part that is folded until somebody opens it. */
export const folded = (title: Child, content: Child, attributes: { readonly class?: string } = {}): Markup =>
  el("details", attributes, el("summary", {}, title), content)

/** A text of several lines, and where the rest of it is. */
export const excerptBlock = ({ rest, text }: Excerpt): Child =>
  text === "" && rest === null
    ? null
    : [block(text), rest === null ? null : el("p", { class: "quiet" }, `Cut here; ${rest}.`)]

/** A cell of a table: a text or markup, and whether it is a number or the name of its row. */
interface Cell {
  readonly content: Child
  readonly kind?: "number" | "name" | "short"
}

const cell = ({ content, kind }: Cell): Markup =>
  kind === "name"
    ? el("th", { scope: "row" }, content)
    : el("td", kind === undefined ? {} : { class: kind }, content)

/** A table that scrolls by itself if the page is too narrow. */
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
