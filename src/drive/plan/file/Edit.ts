// Edit: the smallest edits of a plan file.
import { Equal, Result } from "effect"
import { isMap, isScalar, isSeq } from "yaml"
import { jsonText } from "../../../text/Json.ts"
import { brief, excerpt, fence } from "../../../text/Untrusted.ts"
import { type PlanDocument, PlanError, readPlan } from "./Document.ts"
import { isDone, type Plan } from "./Plan.ts"
import { fieldOf, keyOf, type Mapping, type Node, type Value } from "./Yaml.ts"

// Changes of a text at places that count its line ends as one character each; all other text stays.

/** Text that replaces what is there from `from` to `to`. Its line ends are `\n`. */
interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Edits a file at places in its normal text. What is not touched stays as it is: byte order mark, line
 * ends of any kind. New lines end as the first line of the file does. Edits do not overlap.
 */
export const edited = (text: string, edits: ReadonlyArray<TextEdit>): string => {
  const end = /\r\n?|\n/.exec(text)?.[0] ?? "\n"
  const mark = text.startsWith("\ufeff") ? 1 : 0
  // The places at which the normal text has one character less than the file.
  const shorter = Array.from(text.matchAll(/\r\n/g), ({ index }, before) => index - before - mark)
  let passed = 0
  const placeOf = (normal: number): number => {
    while ((shorter[passed] ?? Infinity) < normal) passed++
    return normal + passed + mark
  }
  const kept: Array<string> = []
  let last = 0
  for (const { from, text: added, to } of edits.toSorted((a, b) => a.from - b.from)) {
    kept.push(text.slice(last, placeOf(from)), added.replaceAll("\n", end))
    last = placeOf(to)
  }
  return kept.join("") + text.slice(last)
}

// The smallest edits that give a key of a YAML mapping a value, in the style of the text around it.

/** A value as it is written after its key: bare in a block, or in quotes of either kind. */
type Written = (quote: "" | "'" | '"') => string

/** A word that needs no quotes, and keeps the quotes of the value that it replaces. */
const word = (text: string): Written => (quote) => `${quote}${text}${quote}`

const isFlow = (text: string, { range: [at] }: Mapping): boolean => text[at] === "{"

/** Writes another value in the place of one. What follows it stays apart, whether it was empty or had many lines. */
const replaceValue = (text: string, mapping: Mapping, { range: [from, to], value }: Value, now: Written): TextEdit => {
  const source = text.slice(from, to)
  const [first = ""] = source
  // Inside brackets the text may be JSON, which knows only double quotes.
  const isEmptyInFlow = value === null && isFlow(text, mapping)
  const written = now(first === "'" || first === '"' ? first : isEmptyInFlow ? '"' : "")
  const before = source === "" && /\S/.test(text[from - 1] ?? " ") ? " " : ""
  const after = source.endsWith("\n") ? "\n" : text[to] === "#" ? " " : ""
  return { from, to, text: `${before}${written}${after}` }
}

/** Where the line of a mapping's first key begins, and how many characters its keys are indented. */
const lineOf = (text: string, { range: [at] }: Mapping): { readonly start: number; readonly column: number } => {
  const start = text.lastIndexOf("\n", at - 1) + 1
  // The key itself may have an anchor or a tag before it.
  return { start, column: /^(?: |[-?:](?=\s))*/.exec(text.slice(start, at))?.[0].length ?? 0 }
}

// The new key goes below the line of a key with one value, or else first. Within braces it always goes first.
const addField = (text: string, mapping: Mapping, key: string, value: Written, below: string | null): TextEdit => {
  const insert = (at: number, added: string): TextEdit => ({ from: at, to: at, text: added })
  if (isFlow(text, mapping)) {
    const at = mapping.range[0] + 1
    const space = /^[ \t\n]*/.exec(text.slice(at))?.[0] ?? ""
    const like = text[at + space.length] === '"' ? `"${key}"` : key
    const entry = `${like}: ${value('"')},`
    return insert(at, space === "" ? `${entry} ` : `${space}${entry}`)
  }
  const { column, start } = lineOf(text, mapping)
  const indent = " ".repeat(column)
  const entry = `${key}: ${value("")}`
  const above = below === null ? null : fieldOf(mapping, below)
  if (above === null || !isScalar(above)) return insert(start + column, `${entry}\n${indent}`)
  const [, last] = above.range
  if (last > 0 && text[last - 1] === "\n") return insert(last, `${indent}${entry}\n`)
  const end = text.indexOf("\n", last)
  return insert(end < 0 ? text.length : end, `\n${indent}${entry}`)
}

/**
 * Gives a key of a mapping a value: where it is or, if it is missing, below the key `below`, or before all others
 * where that has no value but a collection. No edits where the key itself has a collection.
 */
const setField = (
  { normal }: PlanDocument,
  node: Node | null | undefined,
  key: string,
  value: Written,
  below: string | null
): ReadonlyArray<TextEdit> => {
  if (!isMap(node)) return []
  const old = node.items.find((item) => keyOf(item.key) === key)
  if (old === undefined) return [addField(normal, node, key, value, below)]
  return isScalar(old.value) ? [replaceValue(normal, node, old.value, value)] : []
}

// A document with edits, read again to prove that they change what they should and nothing else.

/** A change of a document: edits at places in its normal text, and the plan that they must give. */
interface Change {
  readonly plan: Plan
  readonly edits: ReadonlyArray<TextEdit>
}

/**
 * The document with a change; `now`, in milliseconds since 1970, becomes the plan's `updatedAt`, if the plan has one.
 * An author may write YAML in ways that our edits do not foresee: if the new file does not give the expected plan, the
 * change fails, and the error names `what` was to be written.
 */
const rewritten = (
  document: PlanDocument,
  { edits, plan }: Change,
  now: number,
  what: string
): Result.Result<PlanDocument, PlanError> => {
  const { root } = document
  const isDated = isMap(root) && root.items.some(({ key }) => keyOf(key) === "updatedAt")
  const updatedAt = new Date(now).toISOString()
  const dated = isDated ? { ...plan, updatedAt } : plan
  const stamp = isDated ? setField(document, root, "updatedAt", word(updatedAt), null) : []
  const read = readPlan(new TextEncoder().encode(edited(document.text, [...edits, ...stamp])))
  if (Result.isSuccess(read) && Equal.equals(read.success.plan, dated)) return read
  const message = `${what} cannot be written without a change to what is around it ` +
    "[write it by hand, or each key on a line of its own]"
  return Result.fail(new PlanError({ message }))
}

// Tasks of a plan, and the plan itself, marked as done in the plan's file.

/**
 * Marks tasks as done, by their indexes. `now` is in milliseconds since 1970; it becomes the plan's `updatedAt`, if the
 * plan has one. A document whose tasks are done already stays as it is.
 */
export const markDone = (
  document: PlanDocument,
  indexes: ReadonlyArray<number>,
  now: number
): Result.Result<PlanDocument, PlanError> => {
  const { plan, root } = document
  const stray = indexes.find((index) => plan.tasks[index] === undefined)
  if (stray !== undefined) {
    const { length } = plan.tasks
    const remedy = length === 0 ? "it has no tasks" : `name one from 0 to ${length - 1}`
    return Result.fail(new PlanError({ message: `the plan has no task ${stray} [${remedy}]` }))
  }
  const marked = new Set(indexes.filter((index) => plan.tasks[index]?.done === false))
  if (marked.size === 0) return Result.succeed(document)
  const list = isMap(root) ? fieldOf(root, "tasks") : null
  const nodes = isSeq(list) ? list.items : []
  const edits = [...marked].flatMap((index) => setField(document, nodes[index], "done", () => "true", "title"))
  const tasks = plan.tasks.map((task, index) => marked.has(index) ? { ...task, done: true } : task)
  const what = brief([...marked].map((index) => `tasks[${index}].done`).join(", "), 200)
  return rewritten(document, { plan: { ...plan, tasks }, edits }, now, what)
}

/** Gives a plan whose tasks are all done the status `done`. Any other one stays as it is. `now` is as above. */
export const markPlanDone = (document: PlanDocument, now: number): Result.Result<PlanDocument, PlanError> => {
  const { plan, root } = document
  if (!isDone(plan) || plan.status === "done") return Result.succeed(document)
  const edits = setField(document, root, "status", word("done"), "title")
  return rewritten(document, { plan: { ...plan, status: "done" }, edits }, now, "status")
}

// The review that the work on a plan could not satisfy, written into the plan's file for people to read.
// Nothing in such a review can leave its place: it is fenced in Markdown, and one value in YAML.

const longestReview = 100_000

const section = /^## Unresolved\n\n(`{3,})text\n(?:\|.*\n)*\1(?:\n|$)/m

/** The line ends that a text lacks for a blank line between it and a heading below. */
const gapBelow = (text: string): string => {
  if (text.endsWith("\n\n")) return ""
  return text === "" || text.endsWith("\n") ? "\n" : "\n\n"
}

/** The section below the front matter: in the place of an earlier one, or at the end. Null where nothing changes. */
const inMarkdown = ({ normal, plan }: PlanDocument, below: string, review: ReadonlyArray<string>): Change | null => {
  const found = section.exec(below)
  if (found === null && review.length === 0) return null
  const from = found?.index ?? below.length
  const to = from + (found?.[0].length ?? 0)
  const written = review.length === 0 ? "" : `## Unresolved\n\n${fence(review)}\n`
  const text = found === null ? `${gapBelow(below)}${written}` : written
  // The line that ends the front matter may be the last one, without an end of its own.
  const end = below === "" && !normal.endsWith("\n") ? "\n" : ""
  const start = normal.length - below.length
  const details = `${below.slice(0, from)}${text}${below.slice(to)}`
  return {
    plan: { ...plan, details: details.trim() === "" ? null : details },
    edits: [{ from: start + from, to: start + to, text: `${end}${text}` }]
  }
}

/** The key: in the place of an earlier one, or before all others. Null where nothing changes. */
const inYaml = (document: PlanDocument, root: Mapping, review: ReadonlyArray<string>): Change | null => {
  const { normal, plan } = document
  const old = root.items.find(({ key }) => keyOf(key) === "unresolved")
  if (old === undefined && review.length === 0) return null
  const lines = review.map((line) => line.trimEnd())
  const unresolved = lines.join("\n")
  const indent = " ".repeat(lineOf(normal, root).column + 2)
  const block = ["|2-", ...lines.map((line) => line === "" ? "" : `${indent}${line}`)].join("\n")
  // No comment can follow a value of many lines, so a new comment only takes the place of an older one.
  const isLong = review.length > 0 && (old === undefined || /[|>]/.test(normal[old.value?.range[0] ?? -1] ?? ""))
  const value: Written = (quote) => quote === "" && isLong ? block : jsonText(unresolved)
  return { plan: { ...plan, unresolved }, edits: setField(document, root, "unresolved", value, null) }
}

/**
 * Writes a review under the heading "Unresolved" below the front matter or, in a plan that has no text there, as the
 * key `unresolved`. It takes the place of what an earlier call wrote; a blank one takes that out. `now` is as in
 * `markDone`.
 */
export const writeUnresolved = (
  document: PlanDocument,
  review: string,
  now: number
): Result.Result<PlanDocument, PlanError> => {
  const { below, root } = document
  const lines = review.trim() === "" ? [] : excerpt(review, longestReview).lines
  const details = isMap(root) ? fieldOf(root, "details") : null
  // Where a key has the details there can be none below the front matter.
  const hasDetails = isScalar(details) && details.value !== null
  const change = below !== null && !hasDetails
    ? inMarkdown(document, below, lines)
    : isMap(root)
    ? inYaml(document, root, lines)
    : null
  return change === null ? Result.succeed(document) : rewritten(document, change, now, "unresolved")
}
