// Unresolved: the review that the work on a plan could not satisfy, written into the plan's file for people to read.
// Nothing in such a review can leave its place: it is fenced in Markdown, and one value in YAML.
import { Result } from "effect"
import { normalOf } from "../plan/ParsePlan.ts"
import type { Mapping, Node } from "../plan/Yaml.ts"
import { jsonText } from "../text/JsonText.ts"
import { excerpt, fence } from "../text/Untrusted.ts"
import { alwaysAs, columnOf, setField } from "./Field.ts"
import type { PlanDocument } from "./PlanDocument.ts"
import type { PlanError } from "./PlanError.ts"
import { type Change, inText, rewritten } from "./Rewrite.ts"

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
  // No comment can stand behind a value of many lines, so a new comment only takes the place of an older one.
  const many = review.length > 0 && (old === undefined || /[|>]/.test(yaml[old.at] ?? ""))
  const value = { ...alwaysAs(quoted), bare: many ? block : quoted }
  return {
    plan: { ...plan, unresolved },
    edits: inText(document, setField(yaml, root, "unresolved", value, null))
  }
}

/** Whether the details of a plan stand in a key, so that there can be none below the front matter. */
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
