// BrokenJson: reads what it can from a review object that does not parse.
// A list counts as empty only if that can be seen.
import { priorityFrom, splitTag, type Written } from "../findings/Finding.ts"
import { linesFrom } from "../findings/Place.ts"

const listed = /"findings"\s{0,200}:\s{0,200}\[/
const listedEmpty = /"findings"\s{0,200}:\s{0,200}\[\s{0,200}\]/
const chars = (most: number): string => `"((?:[^"\\\\\\n]|\\\\.){0,${most}})`
const field = (name: string, value: string, flags = ""): RegExp =>
  new RegExp(`"${name}"\\s{0,200}:\\s{0,200}${value}`, flags)
const titles = field("title", chars(4000), "g")
const path = field("absolute_file_path", `${chars(4000)}"`)
const start = field("start", "(\\d{1,10})")
const end = field("end", "(\\d{1,10})")
const priorityField = field("priority", "([0-3])\\b")
const bodyField = field("body", chars(20000))
const unquote = (raw: string): string => {
  try {
    const value: unknown = JSON.parse(`"${raw}"`)
    return typeof value === "string" ? value.trim() : raw
  } catch {
    return raw
  }
}

const numberIn = (pattern: RegExp, part: string): number => Number(pattern.exec(part)?.[1] ?? Number.NaN)

const saved = (raw: string, part: string): Written => {
  const { priority, title } = splitTag(unquote(raw))
  const file = path.exec(part)?.[1]
  const first = numberIn(start, part)
  const last = numberIn(end, part)
  return {
    title,
    body: unquote(bodyField.exec(part)?.[1] ?? ""),
    priority: priorityFrom(numberIn(priorityField, part)) ?? priority,
    place: file === undefined
      ? null
      : { path: unquote(file), lines: linesFrom(first, Number.isNaN(last) ? first : last) }
  }
}

/**
 * Saves titles and places from an object with a `findings` list that does not parse: a quote left bare, the end cut
 * off. Such an object is never clean. Null when the body has no such list.
 */
export const salvageJsonReview = (
  body: string
): { readonly findings: ReadonlyArray<Written>; readonly listEmpty: boolean } | null => {
  const at = body.search(listed)
  if (at < 0) return null
  const list = body.slice(at)
  const found = [...list.matchAll(titles)]
  const findings = found.map((title, i) => saved(title[1] ?? "", list.slice(title.index, found[i + 1]?.index)))
  return { findings, listEmpty: listedEmpty.test(list) || /"findings"\s{0,200}:\s{0,200}\[\s{0,200}$/.test(list) }
}
