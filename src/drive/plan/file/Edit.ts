// Edit: the smallest edits of a plan file.
import { Equal, Result } from "effect"
import { jsonText } from "../../../text/Json.ts"
import { excerpt, fence } from "../../../text/Untrusted.ts"
import { type PlanDocument, PlanError, readPlan } from "./Document.ts"
import { normalOf } from "./Parse.ts"
import { pendingTasks, type Plan } from "./Plan.ts"
import type { Mapping, Node, Scalar } from "./Yaml.ts"

// Changes of a text at places that count its line ends as one character each; all other text stays.

/** Text that replaces what is there from `from` to `to`. Its line ends are `\n`. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Edits a file at places in its normal text (see `normalOf`). What is not touched stays as it is: byte order mark, line
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

const isFlow = (yaml: string, { at }: Mapping): boolean => yaml[at] === "{"

/** A value as it is written after its key: bare in a block, or in quotes of either kind. */
export interface Written {
  readonly bare: string
  readonly single: string
  readonly double: string
}

/** A word that needs no quotes, and takes those of the value that stood there. */
export const wordOf = (word: string): Written => ({ bare: word, single: `'${word}'`, double: `"${word}"` })

/** A value that is written in one way everywhere. */
export const alwaysAs = (written: string): Written => ({ bare: written, single: written, double: written })

const styled = (old: string, empty: boolean, { bare, double, single }: Written, flow: boolean): string => {
  if (old.startsWith("'")) return single
  // Inside brackets the text may be JSON, which knows only double quotes.
  return old.startsWith('"') || (empty && flow) ? double : bare
}

/** Writes another value in the place of one. What follows it stays apart, whether it was empty or had many lines. */
const replaceValue = (yaml: string, mapping: Mapping, old: Scalar, value: Written): TextEdit => {
  const source = yaml.slice(old.at, old.end)
  const text = styled(source, old.value === null, value, isFlow(yaml, mapping))
  const before = source === "" && /\S/.test(yaml[old.at - 1] ?? " ") ? " " : ""
  const after = source.endsWith("\n") ? "\n" : yaml[old.end] === "#" ? " " : ""
  return { from: old.at, to: old.end, text: `${before}${text}${after}` }
}

/** Where the line of a mapping's first key begins, and how many characters its keys are indented. */
const lineOf = (yaml: string, { at }: Mapping): { readonly start: number; readonly column: number } => {
  const start = yaml.lastIndexOf("\n", at - 1) + 1
  // The key itself may have an anchor or a tag before it.
  return { start, column: /^(?: |[-?:](?=\s))*/.exec(yaml.slice(start, at))?.[0].length ?? 0 }
}

/** How many characters the keys of a mapping are indented. */
export const columnOf = (yaml: string, mapping: Mapping): number => lineOf(yaml, mapping).column

// The new key goes below the line of a key with one value, or else first. Within braces it always goes first.
const addField = (yaml: string, mapping: Mapping, key: string, value: Written, below: string | null): TextEdit => {
  const { at } = mapping
  if (isFlow(yaml, mapping)) {
    const space = /^[ \t\n]*/.exec(yaml.slice(at + 1))?.[0] ?? ""
    const like = yaml[at + 1 + space.length] === '"' ? `"${key}"` : key
    const text = `${like}: ${value.double},`
    return { from: at + 1, to: at + 1, text: space === "" ? `${text} ` : `${space}${text}` }
  }
  const { column, start } = lineOf(yaml, mapping)
  const indent = " ".repeat(column)
  const entry = `${key}: ${value.bare}`
  const above = below === null ? undefined : mapping.fields.get(below)
  if (above?._tag !== "Scalar") {
    return { from: start + column, to: start + column, text: `${entry}\n${indent}` }
  }
  if (above.end > 0 && yaml[above.end - 1] === "\n") {
    return { from: above.end, to: above.end, text: `${indent}${entry}\n` }
  }
  const end = yaml.indexOf("\n", above.end)
  const place = end < 0 ? yaml.length : end
  return { from: place, to: place, text: `\n${indent}${entry}` }
}

/**
 * Gives a key of a mapping a value: where it is or, if it is missing, below the key `below`, or before all others
 * where that has no value but a collection. No edits where the key itself has a collection.
 */
export const setField = (
  yaml: string,
  node: Node | undefined,
  key: string,
  value: Written,
  below: string | null
): ReadonlyArray<TextEdit> => {
  if (node?._tag !== "Mapping") return []
  const old = node.fields.get(key)
  if (old === undefined) return [addField(yaml, node, key, value, below)]
  return old._tag === "Scalar" ? [replaceValue(yaml, node, old, value)] : []
}

// A document with edits, read again to prove that they change what they should and nothing else.

/** A change of a document: edits at places in its normal text, and the plan that they must give. */
export interface Change {
  readonly plan: Plan
  readonly edits: ReadonlyArray<TextEdit>
}

/** Edits of the YAML of a document as edits of its text. */
export const inText = ({ parts }: PlanDocument, edits: ReadonlyArray<TextEdit>): ReadonlyArray<TextEdit> =>
  edits.map(({ from, text, to }) => ({ from: from + parts.start, to: to + parts.start, text }))

/** The change with its time, which is written where the plan has a key `updatedAt`. */
const stamped = (document: PlanDocument, { edits, plan }: Change, now: number): Change => {
  const { parts, root } = document
  if (root._tag !== "Mapping" || !root.fields.has("updatedAt")) return { plan, edits }
  const updatedAt = new Date(now).toISOString()
  const stamp = setField(parts.yaml, root, "updatedAt", wordOf(updatedAt), null)
  return { plan: { ...plan, updatedAt }, edits: [...edits, ...inText(document, stamp)] }
}

/**
 * The document with a change that was made `now`, in milliseconds since 1970. An author may write YAML in ways that no
 * edit of ours foresees: unless the new file gives the expected plan, there is none, and the error says `what` it is
 * about.
 */
export const rewritten = (
  document: PlanDocument,
  change: Change,
  now: number,
  what: string
): Result.Result<PlanDocument, PlanError> => {
  const { edits, plan } = stamped(document, change, now)
  const read = readPlan(edited(document.text, edits))
  return Result.isSuccess(read) && Equal.equals(read.success.plan, plan)
    ? read
    : Result.fail(new PlanError({ reason: { _tag: "NotWritable", what } }))
}

// Tasks of a plan, and the plan itself, marked as done in the plan's file.

/** The mapping of each task. */
const taskNodes = ({ root }: PlanDocument): ReadonlyArray<Node> => {
  const tasks: Node | undefined = root._tag === "Mapping" ? root.fields.get("tasks") : undefined
  return tasks?._tag === "List" ? tasks.items : []
}

/**
 * Marks tasks as done, by their indexes. `now` is in milliseconds since 1970; it becomes the plan's `updatedAt`, if the
 * plan has one. A document whose tasks are done already stays as it is.
 */
export const markDone = (
  document: PlanDocument,
  indexes: ReadonlyArray<number>,
  now: number
): Result.Result<PlanDocument, PlanError> => {
  const { parts: { yaml }, plan } = document
  const stray = indexes.find((index) => plan.tasks[index] === undefined)
  if (stray !== undefined) {
    return Result.fail(new PlanError({ reason: { _tag: "NoSuchTask", index: stray, count: plan.tasks.length } }))
  }
  const marked = new Set(indexes.filter((index) => plan.tasks[index]?.done === false))
  if (marked.size === 0) return Result.succeed(document)
  const nodes = taskNodes(document)
  const edits = [...marked].flatMap((index) => setField(yaml, nodes[index], "done", alwaysAs("true"), "title"))
  const tasks = plan.tasks.map((task, index) => marked.has(index) ? { ...task, done: true } : task)
  const what = [...marked].map((index) => `tasks[${index}].done`).join(", ")
  return rewritten(document, { plan: { ...plan, tasks }, edits: inText(document, edits) }, now, what)
}

/** Gives a plan whose tasks are all done the status `done`. One that has it stays as it is. `now` is as above. */
export const markPlanDone = (document: PlanDocument, now: number): Result.Result<PlanDocument, PlanError> => {
  const { parts: { yaml }, plan, root } = document
  const pending = pendingTasks(plan)
  if (pending.length > 0) {
    const tasks = pending.map(({ index }) => index)
    return Result.fail(new PlanError({ reason: { _tag: "StillPending", tasks } }))
  }
  if (plan.status === "done") return Result.succeed(document)
  const edits = setField(yaml, root, "status", wordOf("done"), "title")
  return rewritten(document, { plan: { ...plan, status: "done" }, edits: inText(document, edits) }, now, "status")
}

// The review that the work on a plan could not satisfy, written into the plan's file for people to read.
// Nothing in such a review can leave its place: it is fenced in Markdown, and one value in YAML.

/** The most characters of a review that are written. */
const longestReview = 100_000

const section = /^## Unresolved\n\n(`{3,})text\n(?:\|.*\n)*\1(?:\n|$)/m

/** The line ends that a text lacks for a blank line between it and a heading below. */
const gapBelow = (text: string): string => {
  if (text.endsWith("\n\n")) return ""
  return text === "" || text.endsWith("\n") ? "\n" : "\n\n"
}

/** The section below the front matter: in the place of an earlier one, or at the end. Null where nothing changes. */
const inMarkdown = (document: PlanDocument, below: string, review: ReadonlyArray<string>): Change | null => {
  const found = section.exec(below)
  if (found === null && review.length === 0) return null
  const normal = normalOf(document.text)
  const from = found?.index ?? below.length
  const to = from + (found?.[0].length ?? 0)
  const written = review.length === 0 ? "" : `## Unresolved\n\n${fence(review)}\n`
  const text = found === null ? `${gapBelow(below)}${written}` : written
  // The line that ends the front matter may be the last one, without an end of its own.
  const end = below === "" && !normal.endsWith("\n") ? "\n" : ""
  const start = normal.length - below.length
  const details = `${below.slice(0, from)}${text}${below.slice(to)}`
  return {
    plan: { ...document.plan, details: details.trim() === "" ? null : details },
    edits: [{ from: start + from, to: start + to, text: `${end}${text}` }]
  }
}

/** The key: in the place of an earlier one, or before all others. Null where nothing changes. */
const inYaml = (document: PlanDocument, root: Mapping, review: ReadonlyArray<string>): Change | null => {
  const { parts: { yaml }, plan } = document
  const old = root.fields.get("unresolved")
  if (old === undefined && review.length === 0) return null
  const lines = review.map((line) => line.trimEnd())
  const unresolved = lines.join("\n")
  const quoted = jsonText(unresolved)
  const indent = " ".repeat(columnOf(yaml, root) + 2)
  const block = ["|2-", ...lines.map((line) => line === "" ? "" : `${indent}${line}`)].join("\n")
  // No comment can follow a value of many lines, so a new comment only takes the place of an older one.
  const many = review.length > 0 && (old === undefined || /[|>]/.test(yaml[old.at] ?? ""))
  const value = { ...alwaysAs(quoted), bare: many ? block : quoted }
  return {
    plan: { ...plan, unresolved },
    edits: inText(document, setField(yaml, root, "unresolved", value, null))
  }
}

/** Whether the details of a plan are in a key, so that there can be none below the front matter. */
const hasDetails = (root: Node): boolean => {
  const details: Node | undefined = root._tag === "Mapping" ? root.fields.get("details") : undefined
  return details?._tag === "Scalar" && details.value !== null
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
  const { parts: { below }, root } = document
  const lines = review.trim() === "" ? [] : excerpt(review, longestReview).lines
  const change = below !== null && !hasDetails(root)
    ? inMarkdown(document, below, lines)
    : root._tag === "Mapping"
    ? inYaml(document, root, lines)
    : null
  return change === null ? Result.succeed(document) : rewritten(document, change, now, "unresolved")
}
