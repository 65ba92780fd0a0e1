// Plan: laws of plan files. Any text is a plan or has a problem on one line; a plan that is written is read again.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { stringify } from "yaml"
import { parsePlan } from "../src/drive/plan/file/Document.ts"
import { circleOf, type Plan, type PlanTask, priorities, statuses } from "../src/drive/plan/file/Plan.ts"
import { unprintable } from "./hostile.ts"

const pieces = fc.constantFrom(
  "tasks:",
  "title: a",
  "description: b",
  "done: ",
  "dependencies: [",
  "steps:",
  "true",
  "yes",
  "---",
  "...",
  "\n",
  "\r\n",
  "\r",
  "\t",
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
  "<<: ",
  "!!map ",
  "!x ",
  "%YAML 1.1",
  "|\n",
  ">-\n",
  '"',
  "'",
  "\\",
  "# ",
  "__proto__: ",
  "0",
  "1",
  "\ufeff",
  "\u2028",
  "\u202e",
  "\ud800",
  "\0"
)
const soup = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(""))
const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => new TextDecoder().decode(all))
const anything = fc.oneof(soup, fc.string({ unit: "binary", maxLength: 200 }), bytes)

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("yes", "~", "1", "- a", "a: b", "#", "---\n", "\n\n x\n", "*a", "&a b", "{", "\t", " a ", "__proto__")
).map((text) => text.replaceAll("\r", "\n"))
const ref = fc.oneof(fc.integer(), words)
const some = <A>(one: fc.Arbitrary<A>) => fc.array(one, { maxLength: 3 })
const data = fc.oneof(ref, fc.boolean(), fc.constant(null), some(words), fc.dictionary(words, ref, { maxKeys: 2 }))
/** Keys that no plan, task or step knows. */
const others = fc.dictionary(
  fc.oneof(fc.constantFrom("__proto__", "constructor", "references"), words.map((word) => `x${word}`)),
  data,
  { maxKeys: 2 }
)

const orNull = <A>(one: fc.Arbitrary<A>) => fc.option(one)
const steps = some(
  fc.tuple(others, fc.record({ prompt: words, done: fc.boolean() })).map(([more, step]) => ({ ...more, ...step }))
)
const task = (index: number): fc.Arbitrary<PlanTask> =>
  fc.tuple(
    others,
    fc.record({
      title: words,
      description: words,
      done: fc.boolean(),
      files: some(words),
      docs: some(words),
      dependencies: index === 0 ? fc.constant([]) : some(fc.nat({ max: index - 1 })),
      steps
    })
  ).map(([more, known]) => ({ ...more, ...known }))
const tasks = fc.nat({ max: 4 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => task(i))))

const plan: fc.Arbitrary<Plan> = fc.tuple(
  others,
  fc.record({
    title: orNull(words),
    goal: orNull(words),
    details: orNull(words),
    id: orNull(ref),
    status: orNull(fc.constantFrom(...statuses)),
    priority: orNull(fc.constantFrom(...priorities)),
    dependencies: some(ref),
    parent: orNull(ref),
    issue: some(ref),
    docs: some(words),
    baseBranch: orNull(words),
    changedFiles: some(words),
    createdAt: orNull(words),
    updatedAt: orNull(words),
    tasks
  })
).map(([more, known]) => ({ ...more, ...known }))

/** What a plan without a prototype problem looks like once more: fast-check's dictionaries may have none. */
const asRead = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a plan file", () => {
  it("of any text is a plan without a circle, or has a problem on one line with its place", () =>
    fc.assert(
      fc.property(anything, (text) => {
        const read = parsePlan(text)
        if (read.ok) return assert.isNull(circleOf(read.plan.tasks.map(({ dependencies }) => dependencies)))
        assert.match(read.problem, /^line [1-9]\d*, column [1-9]\d*: [^\n]+ \[[^\n]+\]$/)
        assert.notMatch(read.problem, unprintable)
        assert.isAtMost(read.problem.length, 700)
      }),
      { numRuns: 2000 }
    ))

  it("reads back what was written, as YAML, JSON and Markdown", () =>
    fc.assert(fc.property(plan, (written) => {
      const expected = { ok: true, plan: asRead(written) }
      const reread = (text: string) => asRead(parsePlan(text))
      assert.deepStrictEqual(reread(stringify(written)), expected)
      assert.deepStrictEqual(reread(JSON.stringify(written)), expected)
      const details = `# ${written.details}\n`
      const markdown = `---\n${stringify({ ...written, details: null })}---\n${details}`
      const below = { ok: true, plan: asRead({ ...written, details }) }
      assert.deepStrictEqual(reread(markdown), below)
      assert.deepStrictEqual(reread(`\ufeff${markdown.replaceAll("\n", "\r\n")}`), below)
    })))
})
