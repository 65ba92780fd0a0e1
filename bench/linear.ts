// linear: what reading a message and judging a body, however hostile, and merging findings cost as they grow.
// Only the growth of processor time within one run is judged; a step that is quadratic ends with 1.
import { parseFailedReport } from "../src/agent/AgentEnding.ts"
import { looksLikePlanOnly } from "../src/agent/Recovery.ts"
import { decodeResult } from "../src/agent/Result.ts"
import { parseVerdictLine, readReview } from "../src/agent/PlanReview.ts"
import { parseAnswers } from "../src/drive/converge/Answers.ts"
import { parseHookVerdict } from "../src/hook/Verdict.ts"
import { claims } from "../src/drive/plan/Claims.ts"
import { parsePlan } from "../src/drive/plan/file/Document.ts"
import { kindOf } from "../src/run/FailureKind.ts"
import { findingOf } from "../src/review/findings/Finding.ts"
import { mergeFindings } from "../src/review/findings/Merge.ts"
import { redact } from "../src/text/redaction/Redaction.ts"
import { complaintOf, lastWords } from "../src/agent/CodexFailure.ts"
import { markedBody } from "../src/review/verdict/Transcript.ts"
import { classifyBody } from "../src/review/verdict/Verdict.ts"
import { shapes } from "../property/redactionShapes.ts"

const least = (run: () => void): number => {
  const costs = [0, 1, 2].map(() => {
    const before = process.cpuUsage()
    run()
    const spent = process.cpuUsage(before)
    return (spent.user + spent.system) / 1000
  })
  return Math.min(...costs)
}

const factor = 6
// Garbage collection and the compiler make small runs uneven; a quadratic step of this factor costs 36 times as much.
const tolerated = 3 * factor
const floor = 40

/** How much more the larger input cost, and whether that is more than its size accounts for. */
const growth = (make: (length: number) => () => void, length: number) => {
  const small = make(length)
  const large = make(factor * length)
  const [short, long] = [least(small), least(large)]
  return { short, long, isLinear: long <= tolerated * short + floor }
}

const repeated = (unit: string) => (length: number): string => unit.repeat(Math.ceil(length / unit.length))

const units = [
  "a",
  " ",
  "\n",
  ".",
  "`",
  '"',
  "'",
  "{",
  '{"',
  "{}",
  '{"a":1}',
  "[",
  "(",
  "(a ",
  "|",
  "#",
  "*",
  "_",
  "-",
  "/",
  "@",
  "\r",
  "🔴",
  "word ",
  "no ",
  "not ",
  "any ",
  "issues ",
  "no issues ",
  "could not read the diff ",
  "`git diff` ",
  "bwrap failed ",
  "as documented ",
  ", ",
  "and the ",
  "but x ",
  "if x ",
  "- a\n",
  "- [P1] x\n",
  "Review comment:\n",
  "x — ",
  "a/",
  "a.a.",
  "a:1 ",
  "| P1 | x |\n",
  "high: ",
  "verdict: x\n",
  "diff is empty ",
  "\u001b[",
  "\u001b]",
  "a\r\n",
  "```\n",
  "ERROR: x\n",
  "~~~\n",
  "```js\n",
  "—",
  " — ",
  "– ",
  "=",
  "-".repeat(999) + "\n",
  "> x\n",
  "# x\n",
  "1. x\n",
  "- x\n  - y\n    - z\n",
  "[P",
  "[P1]",
  "- [P1]",
  "<!--",
  "\u2028",
  "\u202e",
  "\ud800",
  "\0",
  "\ufeff",
  "C:\\a\\b.ts:1 ",
  "../",
  "+ a\n- b\n@@ -1 +1 @@\n",
  "Verdict: ",
  '"findings":[',
  '"title":"a',
  '"findings":[]"overall_explanation":"',
  "codex\n",
  "問題",
  "nicht ",
  "der die "
]

const bodies: ReadonlyArray<readonly [string, (length: number) => string]> = [
  ...units.map((unit) => [JSON.stringify(unit), repeated(unit)] as const),
  ["titles over many lines", (length) => `Review comment:\n\n- ${repeated("x\n")(length)}`],
  ["separators in a title", (length) => `Review comment:\n\n- ${repeated(" — ")(length)}`],
  ["many findings", (length) => `Full review comments:\n\n${repeated("- [P1] A — /r/a.ts:1-2\n  body\n\n")(length)}`],
  ["deep arrays", (length) => `{"findings":${"[".repeat(length / 2)}${"]".repeat(length / 2)}}`],
  ["an open object", (length) => `{"findings":["${repeated("\\\\")(length)}`],
  ["a denial that continues in dots", (length) => `Review comment:\n\n- no findings${repeated(".")(length)}\rx`],
  ["a denial that continues in blanks", (length) => `Review comment:\n\nno issues${repeated(" ")(length)}\u2028x`],
  [
    "places that end in marks",
    (length) => `Review comment:\n${repeated(`\n- a — a/b.ts${"`.,".repeat(900)}x`)(length)}`
  ],
  [
    "ever deeper bullets",
    (length) => Array.from({ length: Math.floor(Math.sqrt(length)) }, (_, i) => `${" ".repeat(i)}- x`).join("\n")
  ],
  ["findings without an end", (length) => `{"findings":[${repeated('{"title":"a","body":"b"},')(length)}`],
  [
    "a bare quote in a long explanation",
    (length) => `{"findings":[],"overall_explanation":"a"b${repeated('" , ')(length)}`
  ],
  ["blank lines around an object", (length) => `${"\n".repeat(length)}{"findings":[]}`]
]

const judging = (make: (length: number) => string) => (length: number) => {
  const body = make(length)
  return () => void classifyBody(body)
}

const searching = (unit: string) => (length: number) => {
  const text = repeated(unit)(length)
  return () => void [kindOf(complaintOf(text)), lastWords(text, false), markedBody(text)]
}

const expected = { role: "worker", taskId: "7" } as const
const fingerprint = "0123456789abcdef"

const reading = (make: (length: number) => string) => (length: number) => {
  const text = make(length)
  return () =>
    void [
      looksLikePlanOnly(text),
      parseVerdictLine(text),
      readReview(text),
      parseFailedReport(`FAILED: x\n${text}`),
      decodeResult(text, expected),
      parseAnswers(text, [fingerprint]),
      claims(text, [2])
    ]
}

/** Agents' messages: some of them once took time with the square of their length. */
const messages: ReadonlyArray<readonly [string, (length: number) => string]> = [
  ["dashes on lines of their own", repeated("-\n")],
  ["carriage returns", repeated("\r")],
  ["bare keys of a verdict", repeated("VERDICT:\n")],
  ["verdicts that cannot be read", repeated("VERDICT: x\n")],
  ["underscores in parentheses", (length) => `(${repeated("_")(length)}(`],
  ["underscores behind a verdict's key", (length) => `VERDICT: ${repeated("_")(length)}9`],
  ["fences that nothing ends", repeated("```x\n")],
  [
    "fences of growing length",
    (length) => Array.from({ length: Math.ceil(Math.sqrt(2 * length)) }, (_, ticks) => "~".repeat(ticks + 3)).join("\n")
  ],
  ["tags that nothing ends", repeated("<pre><q><!--")],
  ["quotations", repeated("> a\nb\n")],
  ["marks of lists", repeated("- 1. ")],
  ["prepositions behind a verdict", (length) => `VERDICT: ACCEPTABLE ${repeated("with ")(length)}`],
  ["severities", repeated("critical severity ")],
  ["findings without an answer", repeated("finding 0123456789abcdef ")],
  ["dots behind a verdict", (length) => `VERDICT: ACCEPTABLE ${repeated(".")(length)}b`],
  ["blanks within a line of a report", (length) => `a${repeated(" ")(length)}b`],
  ["passes in one sentence", repeated("APPROVED ")],
  ["passes that are taken back", repeated("not APPROVED, no issues found, ")],
  ["beginnings of an answer", repeated("finding ")],
  ["blanks within an answer", (length) => `finding ${fingerprint}${repeated(" ")(length)}:`],
  ["points of lists", repeated("\n- ")],
  ["keys of a claim", repeated("DONE:")],
  ["indexes of a claim", (length) => `DONE: ${repeated("2, ")(length)}`],
  ["blanks before the index of a claim", (length) => `DONE:${repeated(" ")(length)}2`],
  ["names of a review without an end", (length) => `"issues":${repeated('"issues" ')(length)}`],
  ["a plan that continues in marks", (length) => `${repeated("plan.")(length)}x`]
]

/** Plan files, most of them broken: what a parser could compare with all before it, nest, or repeat. */
const plans: ReadonlyArray<readonly [string, (length: number) => string]> = [
  ["tasks in a row", (length) => {
    const task = (_: unknown, i: number) => `  - {title: a, description: b, dependencies: [${i === 0 ? "" : i - 1}]}\n`
    return `tasks:\n${Array.from({ length: length / 50 }, task).join("")}`
  }],
  ["tasks in a circle", (length) => {
    const count = Math.floor(length / 50)
    const task = (_: unknown, i: number) => `  - {title: a, description: b, dependencies: [${(i + 1) % count}]}\n`
    return `tasks:\n${Array.from({ length: count }, task).join("")}`
  }],
  ["keys", (length) => Array.from({ length: length / 8 }, (_, i) => `k${i}: 1\n`).join("")],
  ["one key", repeated("k: 1\n")],
  ["borders", repeated("---\n")],
  ["brackets", repeated("[")],
  ["commas", (length) => `[${repeated(",")(length)}`],
  ["dashes", repeated("- ")],
  ["marks of keys", repeated("? ")],
  ["colons", repeated("a: ")],
  ["anchors", repeated("&a ")],
  ["aliases", (length) => `a: &a [x]\nb: [${repeated("*a, ")(length)}]`],
  ["directives", repeated("%A\n")],
  ["ends of documents", repeated("...\n")],
  ["escapes", (length) => `a: "${repeated("\\q")(length)}`],
  ["blank lines of a folded text", (length) => `a: >\n${repeated("  x\n\n   y\n")(length)}`]
]

const planning = (make: (length: number) => string) => (length: number) => {
  const text = make(length)
  return () => void parsePlan(text)
}

const redacting = (shape: string) => (length: number) => {
  const text = repeated(shape)(length)
  return () => void [redact(text), parseHookVerdict(text)]
}

/** Findings that all point at one place. */
const merging = (count: number) => {
  const findings = Array.from({ length: count }, (_, i) =>
    findingOf(
      {
        title: `Guard against ${i % 9} null`,
        body: `${i}`,
        priority: null,
        place: { path: "a.ts", lines: { start: 1, end: 900 } }
      },
      (i % 5) + 1,
      "/r"
    ))
  return () => void mergeFindings(findings)
}

const measured = [
  ...bodies.map(([name, make]) => ({ name: `judging ${name}`, ...growth(judging(make), 6_000) })),
  ...units.map((unit) => ({ name: `searching ${JSON.stringify(unit)}`, ...growth(searching(unit), 15_000) })),
  ...[...messages, ...units.map((unit) => [JSON.stringify(unit), repeated(unit)] as const)].map(([name, make]) => ({
    name: `reading ${name}`,
    ...growth(reading(make), 15_000)
  })),
  ...plans.map(([name, make]) => ({ name: `a plan of ${name}`, ...growth(planning(make), 15_000) })),
  ...[...shapes, ...units].map((shape) => ({
    name: `redacting ${JSON.stringify(shape)}`,
    ...growth(redacting(shape), 50_000)
  })),
  { name: "merging findings at one place", ...growth(merging, 400) }
]
const steepest = measured.toSorted((a, b) => b.long / (b.short + 1) - a.long / (a.short + 1)).slice(0, 5)
console.log(`cost of a text ${factor} times as long, of ${measured.length} kinds of text; the steepest:`)
for (const { long, name, short } of steepest) console.log(`  ${short.toFixed(1)} ms -> ${long.toFixed(1)} ms  ${name}`)
const bad = measured.filter(({ isLinear }) => !isLinear)
for (const { name } of bad) console.log(`NOT LINEAR: ${name}`)
process.exitCode = bad.length === 0 ? 0 : 1
