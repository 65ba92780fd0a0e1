// PrivateKeys: takes the bodies of PEM and PGP private keys out of a text, also of keys of which a part is cut off.
// The lines that begin and end a key stay, so that a reader sees what was there.
import { marker } from "./Marker.ts"

const edge = /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
// A text that begins in the midst of a line that begins a key.
const cutEdge = /^(?!-----BEGIN)[A-Z0-9 -]{0,50}-----(?=\s|\\)/

// What stands between the lines of a key: breaks, also escaped ones, quotes and signs around them, numbers of lines.
const between = /(?:\\+[rnt]|[^A-Za-z0-9\\]|\\+(?=["'`])){0,80}(?:\d{1,6}[\t:|→] ?)?/y
const header = /[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y
const row = /[A-Za-z0-9+/=]{16,4000}/y
const lastRow = /[A-Za-z0-9+/=]{1,80}(?=\s{0,80}(?:\\+[rn]|[\r\n"'`]|$|-----))/y
const longRow = /[A-Za-z0-9+/=]{40}/
const mostBack = 20_000
const mostBetween = 200_000

/** How much of a text's end is only a break and the beginning of another line. */
const trailing = (text: string): number => /(?:[\s"'`,+>|*#-]|\\+[rn])*$/.exec(text)?.[0].length ?? 0

const past = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** Where the rows of a key end that begin at `from`; null where there are none. */
const endOfRows = (text: string, from: number): number | null => {
  let end: number | null = null
  for (let at = past(between, text, from);;) {
    const next = past(row, text, at)
    if (next > at) end = next
    const after = next > at ? next : past(header, text, at)
    if (after === at) {
      const last = past(lastRow, text, at)
      return end !== null && last > at ? last : end
    }
    at = past(between, text, after)
  }
}

/** Where the breaks begin that stand in front of `to`, also escaped ones. */
const beforeBreaks = (text: string, from: number, to: number): number => {
  let end = to
  while (end > from) {
    if (/\s/.test(text[end - 1] ?? "")) end--
    else if (/^\\[rn]$/.test(text.slice(end - 2, end))) end -= 2
    else if (text[end - 1] === "\\") end--
    else break
  }
  return end
}

/** Where the rows of a key begin that end at `to`; null where there are none. */
const beginOfRows = (text: string, from: number, to: number): number | null => {
  const start = Math.max(from, to - mostBack)
  const rows = [...text.slice(start, to).matchAll(/(?:[^\n\\]|\\+(?![\\rn]))+/g)]
  let begin: number | null = null
  let whole = false
  for (const { 0: line, index } of rows.reverse()) {
    if (line.includes(marker)) break
    const body = line.replace(/^[^A-Za-z0-9/]{0,20}(?:\d{1,6}[\t:|→] ?)?/, "").replace(/[^A-Za-z0-9+/=]{1,40}$/, "")
    // An escape that ends a row leaves its letter to the next one.
    const bare = body.replace(/^[rn](?=[A-Za-z0-9+/=]{16})/, "")
    if (bare !== "" && (!/^[A-Za-z0-9+/=]+$/.test(bare) || (bare.length < 16 && begin !== null && index > 0))) break
    if (bare !== "") begin = start + index + line.indexOf(body)
    whole ||= bare.length >= 16
  }
  return whole ? begin : null
}

/** The text without the bodies of private keys. */
export const withoutPrivateKeys = (text: string): string => {
  const cut = cutEdge.exec(text)?.[0]
  const edges = [...text.matchAll(edge)].map(({ 0: line, 1: kind, index }) => ({
    begins: kind === "BEGIN",
    from: index,
    to: index + line.length
  }))
  if (cut !== undefined && edges[0]?.from !== 0) edges.unshift({ begins: true, from: 0, to: cut.length })
  const kept: Array<string> = []
  let done = 0
  const replace = (from: number, to: number): void => {
    kept.push(text.slice(done, from), marker)
    done = to
  }
  for (const [i, { begins, from, to }] of edges.entries()) {
    const next = edges[i + 1]
    if (!begins) {
      const begin = edges[i - 1]?.begins === true
        ? null
        : beginOfRows(text, Math.max(done, edges[i - 1]?.to ?? 0), from)
      if (begin === null) continue
      // The body ends where the last of it stands, so that the break before the closing line stays.
      replace(begin, beforeBreaks(text, begin, from))
      continue
    }
    const first = past(between, text, to)
    const end = endOfRows(text, to)
    const limit = next?.from ?? text.length
    // Whatever else stands in a key: where a long row is left, all of it goes.
    const left = next !== undefined && !next.begins ? text.slice(end ?? to, limit) : ""
    if (left.length <= mostBetween && longRow.test(left)) {
      replace(first, limit - trailing(text.slice(Math.max(first, limit - 80), limit)))
    } else if (end !== null) replace(first, Math.min(end, limit))
  }
  kept.push(text.slice(done))
  return kept.join("")
}
