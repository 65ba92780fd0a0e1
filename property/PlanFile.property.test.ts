// PlanFile: laws of edited plan files. An edit changes what it should and keeps every other byte, and any file is read.
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type CreateNodeOptions, Document, isMap, isScalar, isSeq, type ToStringOptions, visit } from "yaml"
import { isDone, type Plan } from "../src/drive/plan/file/Plan.ts"
import { markDone, markPlanDone, writeUnresolved } from "../src/drive/plan/file/Edit.ts"
import { type PlanDocument, readPlan } from "../src/drive/plan/file/Document.ts"
import { unprintable } from "./hostile.ts"

const got = <A, E extends Error>(result: Result.Result<A, E>): A =>
  Result.isSuccess(result) ? result.success : assert.fail(result.failure.message)

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom(
    "yes",
    "~",
    "- a",
    "a: b",
    "#",
    "a # b",
    "---\n",
    "\n\n x\n",
    "a\n\n\n",
    "*a",
    "{",
    "}",
    "\t",
    " a ",
    "x".repeat(99)
  )
).map((text) => text.replaceAll("\r", "\n"))
const maybe = <A>(one: fc.Arbitrary<A>) => fc.option(one, { nil: undefined })

const task = (index: number) =>
  fc.tuple(
    fc.record({
      title: words,
      description: words,
      done: maybe(fc.boolean()),
      dependencies: maybe(fc.array(fc.nat({ max: Math.max(0, index - 1) }), { maxLength: index === 0 ? 0 : 2 })),
      steps: maybe(fc.array(fc.record({ prompt: words, done: fc.boolean() }), { maxLength: 2 })),
      note: maybe(words)
    }),
    fc.nat()
  ).map(([fields, turn]) => turned(fields, turn))

/** The same fields in another order. */
const turned = (fields: Readonly<Record<string, unknown>>, by: number): Record<string, unknown> => {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined)
  const at = by % all.length
  return Object.fromEntries([...all.slice(at), ...all.slice(0, at)])
}

const content = fc.nat({ max: 4 }).chain((count) =>
  fc.tuple(
    fc.record({
      title: maybe(fc.option(words)),
      goal: maybe(words),
      status: maybe(fc.constantFrom(null, "pending", "in_progress", "complete")),
      updatedAt: maybe(fc.constantFrom(null, "2025-09-12T19:39:12.583Z")),
      unresolved: maybe(words),
      tasks: fc.tuple(...Array.from({ length: count }, (_, i) => task(i)))
    }),
    fc.nat()
  )
).map(([fields, turn]) => turned(fields, turn))

const written = fc.record({
  defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
  indent: fc.integer({ min: 1, max: 5 }),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20, 80),
  flowCollectionPadding: fc.boolean(),
  collectionStyle: fc.constantFrom("any", "any", "block", "flow")
}) satisfies fc.Arbitrary<ToStringOptions>

/** A YAML text of some style, with comments, blank lines and braces here and there. */
const yamlText = (value: unknown, style: ToStringOptions, salt: ReadonlyArray<number>): string => {
  const options: CreateNodeOptions = { aliasDuplicateObjects: false }
  const document = new Document(value, options)
  let turn = 0
  const next = () => salt[turn++ % salt.length] ?? 0
  visit(document, {
    Node: (_, node) => {
      const dice = next() % 12
      if (dice === 0) node.commentBefore = " above: it"
      if (dice === 1 && isScalar(node)) node.comment = " beside: it"
      if (dice === 2) node.spaceBefore = true
      if ((isMap(node) || isSeq(node)) && dice === 3) node.flow = true
      if (dice === 4 && isScalar(node)) node.tag = typeof node.value === "boolean" ? "!!bool" : node.tag ?? ""
    }
  })
  return document.toString(style)
}

/** Files of plans, in every way to write them; each can be read. */
const documents: fc.Arbitrary<PlanDocument> = fc.tuple(
  content,
  written,
  fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
  fc.constantFrom("yaml", "json", "markdown"),
  fc.constantFrom("\n", "\r\n", "\r"),
  fc.boolean(),
  fc.constantFrom("", "a", "\n# A\n\nText.\n", "\n---\n## Unresolved\n\nBy hand.\n")
).map(([value, style, salt, kind, end, mark, below]) => {
  const yaml = kind === "json" ? JSON.stringify(value, null, style.indent) : yamlText(value, style, salt)
  const text = kind === "markdown" ? `---\n${yaml}${yaml.endsWith("\n") ? "" : "\n"}---\n${below}` : yaml
  return readPlan(new TextEncoder().encode(`${mark ? "\ufeff" : ""}${text.replaceAll("\n", end)}`))
}).filter(Result.isSuccess).map(({ success }) => success)

const now = Date.UTC(2030, 0, 1)
const stamp = new Date(now).toISOString()

/** The differing middle parts of two texts with a common beginning and end. */
const difference = (one: string, other: string): readonly [string, string] => {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let end = 0
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)]
}

const hasTime = ({ normal }: PlanDocument): boolean => /updatedAt/.test(normal)

const expected = (document: PlanDocument, change: Partial<Plan>): Plan => ({
  ...document.plan,
  ...change,
  ...(hasTime(document) ? { updatedAt: stamp } : {})
})

describe("tasks that are marked", () => {
  const marking = documents.chain((document) =>
    fc.tuple(fc.constant(document), fc.subarray([...document.plan.tasks.keys()]))
  )

  it("are done, and the plan is the same otherwise, whether they are marked at once or one by one", () =>
    fc.assert(
      fc.property(marking, ([document, indexes]) => {
        const marked = got(markDone(document, indexes, now))
        const pending = indexes.filter((index) => document.plan.tasks[index]?.done === false)
        const tasks = document.plan.tasks.map((one, i) => indexes.includes(i) ? { ...one, done: true } : one)
        assert.deepStrictEqual(marked.plan, pending.length > 0 ? expected(document, { tasks }) : document.plan)
        if (pending.length === 0) assert.strictEqual(marked.text, document.text)
        assert.deepStrictEqual(got(readPlan(new TextEncoder().encode(marked.text))), marked)
        const oneByOne = pending.toReversed().reduce((last, index) => got(markDone(last, [index], now)), document)
        assert.strictEqual(oneByOne.text, marked.text)
      }),
      { numRuns: 60 }
    ))

  it("take the place of false, or are one key more: every other byte stays", () =>
    fc.assert(
      fc.property(documents, (document) => {
        fc.pre(!hasTime(document))
        for (const index of document.plan.tasks.keys()) {
          const marked = got(markDone(document, [index], now))
          const [gone, come] = difference(document.text, marked.text)
          assert.include("false", gone)
          assert.match(come, gone === "" ? /^[\sdone"]*:? [true,\s]*[done"\s]*$|^$/ : /^tru?$/)
        }
      }),
      { numRuns: 60 }
    ))
})

it("a plan that is done says so in its status, and loses nothing", () =>
  fc.assert(fc.property(documents, (document) => {
    const closed = markPlanDone(document, now)
    const changed = isDone(document.plan) && document.plan.status !== "done"
    assert.deepStrictEqual(got(closed).plan, changed ? expected(document, { status: "done" }) : document.plan)
    if (!changed) assert.strictEqual(got(closed).text, document.text)
  })))

const reviews = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.array(
    fc.constantFrom(
      "---",
      "\n",
      "\r\n",
      "```",
      "````text",
      "## Unresolved",
      "| a",
      "\n\n",
      "  ",
      "\t",
      "'",
      '"',
      "# x",
      "}",
      "a: b",
      "\u202e"
    ),
    { maxLength: 20 }
  ).map((parts) => parts.join(""))
)

describe("an unresolved review", () => {
  it("changes no task and no word of the author, and the last one takes the place of all others", () =>
    fc.assert(
      fc.property(documents, reviews, reviews, (document, first, last) => {
        fc.pre(first.trim() !== "" && last.trim() !== "")
        const once = got(writeUnresolved(document, last, now))
        const twice = got(writeUnresolved(got(writeUnresolved(document, first, now)), last, now))
        assert.strictEqual(twice.text, once.text)
        const { details, unresolved, updatedAt, ...rest } = once.plan
        const { details: before, unresolved: had, updatedAt: _, ...others } = document.plan
        assert.deepStrictEqual(rest, others)
        if (details === before) assert.isString(unresolved)
        else assert.isTrue(unresolved === had && details?.startsWith(before ?? ""))
        const [gone] = difference(document.text, once.text)
        if (!hasTime(document) && had === undefined) assert.strictEqual(gone, "")
        const without = got(writeUnresolved(once, " ", now))
        assert.strictEqual((without.plan.details ?? "").trimEnd(), (before ?? "").trimEnd())
      }),
      { numRuns: 60 }
    ))
})

it("any file is a plan that can be edited, or an error on one line with its remedy", () => {
  const pieces = fc.constantFrom(
    ...["tasks:", "title: a", "description: b", "done: ", "status: ", "updatedAt: ", "unresolved: ", "true", "false"],
    ...[
      "---",
      "\n",
      "\r\n",
      "\r",
      "  ",
      "- ",
      "? ",
      ": ",
      "{",
      "}",
      "[",
      "]",
      ", ",
      "&a ",
      "*a",
      "!!bool ",
      "!x ",
      "|\n",
      ">-\n"
    ],
    ...[
      "tasks:\n- title: a\n  description: b\n",
      "{title: a, description: b}",
      "# c",
      "\ufeff",
      "\ud800",
      "\0",
      '"',
      "'"
    ]
  )
  const soup = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""))
  const file = fc.oneof(soup.map((text) => new TextEncoder().encode(text)), fc.uint8Array({ maxLength: 99 }))
  fc.assert(
    fc.property(file, reviews, (anything, review) => {
      const read = readPlan(anything)
      const results = Result.isFailure(read) ? [read] : [
        markDone(read.success, [...read.success.plan.tasks.keys()], now),
        markDone(read.success, [7, -1, NaN], now),
        markPlanDone(read.success, now),
        writeUnresolved(read.success, review, now)
      ]
      for (const result of results) {
        if (Result.isSuccess(result)) continue
        assert.match(result.failure.message, /^[^\n]+ \[[^\n]+\]$/)
        assert.notMatch(result.failure.message, unprintable)
      }
    }),
    { numRuns: 300 }
  )
})
