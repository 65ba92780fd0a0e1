// docs/plan-files.md: its example is a plan, its tables name every key, and its errors are the program's messages.
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { priorities, statuses } from "../../../src/drive/plan/file/Plan.ts"
import { markDone, markPlanDone } from "../../../src/drive/plan/file/Edit.ts"
import { readPlan } from "../../../src/drive/plan/file/Document.ts"

const page = readFileSync(new URL("../../../docs/plan-files.md", import.meta.url), "utf8")
const example = /^```markdown\n([^]*?)^```$/m.exec(page)?.[1] ?? assert.fail("the page has no example")
const read = (text: string) => readPlan(new TextEncoder().encode(text))
const document = Result.getOrThrow(read(example))

/** The problem of the example with other words in it. */
const problem = (from: string, to: string): string => {
  assert.include(example, from)
  const found = read(example.replace(from, to))
  return Result.isFailure(found) ? found.failure.message : assert.fail("it is a plan")
}

describe("the example", () => {
  it("has one task that is done and one that is pending", () => {
    assert.deepStrictEqual(document.plan.tasks.map(({ done }) => done), [true, false])
    assert.strictEqual(document.plan.details, "\nUploads fail on trains. Nothing but the upload is in scope.\n")
  })

  it("is written as the page says", () => {
    const done = Result.getOrThrow(markPlanDone(Result.getOrThrow(markDone(document, [1], 0)), 0))
    const expected = example
      .replace("title: Tell the user\n", "title: Tell the user\n    done: true\n")
      .replace("status: pending", "status: done")
      .replace("2026-01-05T09:00:00.000Z", "1970-01-01T00:00:00.000Z")
    assert.strictEqual(done.text, expected)
  })
})

describe("the page", () => {
  it("names every key that is known", () => {
    const known = [...Object.keys(document.plan), ...document.plan.tasks.flatMap(Object.keys)]
    for (const key of [...known, ...statuses, ...priorities]) assert.include(page, `\`${key}\``)
  })

  it("shows errors as they are printed", () => {
    assert.include(page, problem("    done: true", "    done: yes"))
    assert.include(page, problem("goal:", "title:"))
    assert.include(page, problem("---\n\nUploads", "Uploads"))
  })
})
