// eval-verdicts: measures the classifier on a file of labelled review bodies: `npm run eval:verdicts -- FILE`.
// It prints ids, labels and reasons, never a text; labelled sets may be private.
import { readFileSync } from "node:fs"
import { type Verdict, classifyBody } from "../src/review/verdict/Verdict.ts"

type Label = Verdict["_tag"]

const labels: Readonly<Record<string, Label>> = { clean: "Clean", "has-issues": "HasIssues", indeterminate: "NoReview" }
const classes: ReadonlyArray<Label> = ["Clean", "HasIssues", "NoReview"]

interface Item {
  readonly id: string
  readonly label: Label
  readonly text: string
}

const itemFrom = (value: unknown, index: number): Item => {
  if (typeof value !== "object" || value === null || !("text" in value) || !("label" in value)) {
    throw new Error(`entry ${index} is no { id, label, text }`)
  }
  const label = labels[String(value.label)]
  if (label === undefined || typeof value.text !== "string") {
    throw new Error(`entry ${index} has no known label or no text`)
  }
  return { id: "id" in value ? String(value.id) : String(index), label, text: value.text }
}

const read = (path: string): ReadonlyArray<Item> => {
  const parsed: unknown = JSON.parse(readFileSync(path, "utf8"))
  if (!Array.isArray(parsed)) throw new Error(`${path} is no JSON array`)
  return parsed.map(itemFrom)
}

const report = (items: ReadonlyArray<Item>): string => {
  const judged = items.map((item) => ({ item, verdict: classifyBody(item.text) }))
  const count = (label: Label, got: Label) =>
    judged.filter(({ item, verdict }) => item.label === label && verdict._tag === got).length
  const row = (name: string, cells: ReadonlyArray<string | number>) =>
    name.padEnd(18) + cells.map((cell) => String(cell).padStart(11)).join("")
  const right = judged.filter(({ item, verdict }) => item.label === verdict._tag).length
  const cleanTotal = items.filter((item) => item.label === "Clean").length
  const cleanMissed = cleanTotal - count("Clean", "Clean")
  const falseClean = count("HasIssues", "Clean") + count("NoReview", "Clean")
  const wrong = judged.filter(({ item, verdict }) => item.label !== verdict._tag)
  return [
    row("labelled \\ classed", classes),
    ...classes.map((label) => row(label, classes.map((got) => count(label, got)))),
    "",
    `bodies       ${items.length}`,
    `accuracy     ${(right / Math.max(1, items.length)).toFixed(4)}`,
    `false clean  ${falseClean}`,
    `clean missed ${cleanMissed} of ${cleanTotal}`,
    `wrong        ${wrong.length}`,
    ...wrong.map(({ item, verdict }) => `  ${item.id}: ${item.label} classed ${verdict._tag} (${verdict.reason})`)
  ].join("\n")
}

const [, , path] = process.argv
if (path === undefined) {
  process.stderr.write("usage: npm run eval:verdicts -- FILE\n")
  process.exitCode = 64
} else {
  process.stdout.write(`${report(read(path))}\n`)
}
