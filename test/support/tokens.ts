// tokens: a page taken apart as the HTML standard does it, but strictly: what is not plainly of our making throws.
// It reads only the few forms that the builder writes, so that anything else is seen.

/** An element's opening tag, with the texts directly in it. */
export interface Element {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly inside: ReadonlyArray<string>
  text: string
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** A text without its character references; any other `&` throws. */
const decoded = (text: string): string =>
  text.replace(/&([^;]{0,8});?/g, (whole, name: string) => {
    const character = named[name]
    if (character === undefined || !whole.endsWith(";")) throw new Error(`a reference that we do not write: ${whole}`)
    return character
  })

const empty = new Set(["meta", "input"])
const raw = new Set(["style", "script"])

/** The elements of a page in the order in which they are opened. */
export const elementsOf = (html: string): ReadonlyArray<Element> => {
  const all: Array<Element> = []
  const open: Array<Element> = []
  let at = "<!doctype html>\n".length
  if (!html.startsWith("<!doctype html>\n")) throw new Error("no document")
  while (at < html.length) {
    const next = html.indexOf("<", at)
    const text = html.slice(at, next < 0 ? html.length : next)
    const top = open.at(-1)
    if (/[>"']/.test(text)) throw new Error(`a text contains a mark: ${text.slice(0, 80)}`)
    if (top === undefined && text.trim() !== "") throw new Error(`a text outside of the page: ${text}`)
    if (top !== undefined) top.text += decoded(text)
    if (next < 0) break
    const [whole = "", slash, tag = "", given = ""] =
      /^<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+(?:="[^"<>]*")?)*)>/.exec(html.slice(next, next + 100_000)) ?? []
    if (whole === "") throw new Error(`no tag of ours: ${html.slice(next, next + 80)}`)
    at = next + whole.length
    if (slash === "/") {
      const closed = open.pop()
      if (closed?.tag !== tag || given !== "") throw new Error(`</${tag}> closes ${closed?.tag ?? "nothing"}`)
      continue
    }
    const attributes = new Map<string, string>()
    for (const [, name = "", value = ""] of given.matchAll(/ ([a-zA-Z0-9-]+)(?:="([^"]*)")?/g)) {
      if (attributes.has(name)) throw new Error(`${name} twice`)
      attributes.set(name, decoded(value))
    }
    const element = { tag, attributes, inside: open.map((one) => one.tag), text: "" }
    all.push(element)
    if (raw.has(tag)) {
      const end = html.indexOf(`</${tag}>`, at)
      element.text = html.slice(at, end)
      at = end + `</${tag}>`.length
    } else if (!empty.has(tag)) open.push(element)
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.tag ?? ""}> is left open`)
  return all
}

/** The elements and attributes of a page without any text or value: its form. */
export const formOf = (html: string): ReadonlyArray<string> =>
  elementsOf(html).map(({ attributes, inside, tag }) =>
    `${"  ".repeat(inside.length)}${tag} ${[...attributes.keys()].join(" ")}`
  )
