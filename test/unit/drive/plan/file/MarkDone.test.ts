// MarkDone: tasks and plans that are marked, in files as people write them.
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { markDone, markPlanDone } from "../../../../../src/drive/plan/file/Edit.ts"
import { readPlan } from "../../../../../src/drive/plan/file/Document.ts"

const read = (text: string) => Result.getOrThrow(readPlan(text))
const now = Date.UTC(2030, 0, 1)

describe("a task", () => {
  const files: ReadonlyArray<readonly [string, string, ReadonlyArray<number>, string]> = [
    [
      "with a flag",
      "tasks:\n  - title: A\n    done: false # not yet\n    description: a\n",
      [0],
      "tasks:\n  - title: A\n    done: true # not yet\n    description: a\n"
    ],
    [
      "without a flag",
      "# c\r\ntasks:\r\n- title: 'A' # d\r\n  # e\r\n  description: a\r\n- title: B\r\n  description: b\r\n",
      [1, 0],
      "# c\r\ntasks:\r\n- title: 'A' # d\r\n  done: true\r\n  # e\r\n  description: a\r\n- title: B\r\n" +
      "  done: true\r\n  description: b\r\n"
    ],
    [
      "of JSON",
      '{"tasks":[{"title":"A","description":"a"},{"done":false,"title":"B","description":"b"}]}',
      [0, 1, 0],
      '{"tasks":[{"done": true, "title":"A","description":"a"},{"done":true,"title":"B","description":"b"}]}'
    ],
    [
      "that is done",
      "tasks: [{title: A, description: a, done: true}]\nupdatedAt: x",
      [0],
      "tasks: [{title: A, description: a, done: true}]\nupdatedAt: x"
    ],
    ["of none", "tasks: []\nupdatedAt: x", [], "tasks: []\nupdatedAt: x"]
  ]
  it.each(files)(
    "%s is marked",
    (_, text, indexes, expected) =>
      assert.strictEqual(Result.getOrThrow(markDone(read(text), indexes, now)).text, expected)
  )

  it("of a long plan changes its own line and the time", () => {
    const text = readFileSync(new URL("../../../../../fixtures/plans/agent-loop.md", import.meta.url), "utf8")
    const lines = text.split("\n")
    const changed = Result.getOrThrow(markDone(read(text), [1], now)).text.split("\n")
    assert.deepStrictEqual(
      changed.flatMap((line, i) => line === lines[i] ? [] : [[lines[i], line]]),
      [
        ["updatedAt: 2025-09-12T19:39:12.583Z", "updatedAt: 2030-01-01T00:00:00.000Z"],
        ["    done: false", "    done: true"]
      ]
    )
  })

  it.each([2, -1, 0.5, NaN])("%d of two is none", (index) => {
    const document = read("tasks: [{title: A, description: a}, {title: B, description: b}]")
    const marked = markDone(document, [0, index], now)
    assert.deepStrictEqual(Result.isFailure(marked) ? marked.failure.reason : null, {
      _tag: "NoSuchTask",
      index,
      count: 2
    })
  })
})

describe("a plan", () => {
  const task = (done: boolean) => `tasks: [{title: A, description: a, done: ${done}}]\n`
  const files: ReadonlyArray<readonly [string, string]> = [
    [`status: pending\n${task(true)}`, `status: done\n${task(true)}`],
    [`status: complete\n${task(true)}`, `status: complete\n${task(true)}`],
    [`title: A\ngoal: g\n${task(true)}`, `title: A\nstatus: done\ngoal: g\n${task(true)}`],
    [`updatedAt: x\n${task(true)}`, `status: done\nupdatedAt: 2030-01-01T00:00:00.000Z\n${task(true)}`],
    ['{"tasks":[]}', '{"status": "done", "tasks":[]}']
  ]
  it.each(files)(
    "of %j is done",
    (text, expected) => assert.strictEqual(Result.getOrThrow(markPlanDone(read(text), now)).text, expected)
  )

  it("with a pending task is not", () => {
    const marked = markPlanDone(read(task(false)), now)
    assert.deepStrictEqual(Result.isFailure(marked) ? marked.failure.reason : null, {
      _tag: "StillPending",
      tasks: [0]
    })
  })
})
