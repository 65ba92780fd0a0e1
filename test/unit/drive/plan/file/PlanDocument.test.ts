// PlanDocument: plan files read from bytes and texts, and the one line of each that cannot be read.
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { readPlan } from "../../../../../src/drive/plan/file/Document.ts"
import { pendingTasks } from "../../../../../src/drive/plan/file/Plan.ts"

const one = "tasks:\n  - title: A\n    description: a\n"

describe("a plan file", () => {
  it("that a person wrote has eleven tasks to do, and keeps its bytes", () => {
    const bytes = readFileSync(new URL("../../../../../fixtures/plans/agent-loop.md", import.meta.url))
    const document = Result.getOrThrow(readPlan(bytes))
    assert.lengthOf(pendingTasks(document.plan), 11)
    assert.isTrue(bytes.equals(Buffer.from(document.text)))
  })

  it.each([one, `---\n${one}---\nb`, `\ufeff---\r\n${one}---\r\nb`])(
    "%j is read from its bytes and its text",
    (text) => {
      const document = Result.getOrThrow(readPlan(text))
      assert.strictEqual(document.text, text)
      assert.strictEqual(document.plan.tasks[0]?.title, "A")
      assert.deepStrictEqual(Result.getOrThrow(readPlan(Buffer.from(document.text))), document)
    }
  )

  const broken: ReadonlyArray<readonly [Uint8Array | string, string]> = [
    ["", "line 1, column 1: the plan is empty [write its tasks, each with title and description]"],
    [`---\n${one}`, "line 1, column 1: the front matter has no end [write a line --- below its YAML]"],
    [
      `\ufeff---\r\ntasks: []\r\ntasks: []\r\n---\r\n`,
      'line 3, column 1: the key "tasks" is there twice [keep one]'
    ],
    [
      "tasks:\r\n  - title: A\r\n    description: a\r\n    done: yes\r\n",
      'line 4, column 11: tasks[0].done is "yes" [write true or false]'
    ],
    [Uint8Array.of(0x61, 0x0d, 0x0a, 0x62, 0xff), "line 2, column 2: this is not UTF-8 [save the file as UTF-8]"],
    [
      new Uint8Array(2 ** 26),
      "line 1, column 1: a plan file has at most 8388608 characters [move what is long into other files]"
    ]
  ]
  it.each(broken)("is refused in one line", (file, line) => {
    const read = readPlan(file)
    assert.strictEqual(Result.isFailure(read) ? read.failure.message : "", line)
    assert.strictEqual(Result.isFailure(read) ? read.failure.reason._tag : "", "Malformed")
  })
})
