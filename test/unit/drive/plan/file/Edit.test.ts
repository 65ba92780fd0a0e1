// Edit: tasks and plans are marked, and reviews are written, in files as users write them.
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type PlanError, readPlan } from "../../../../../src/drive/plan/file/Document.ts"
import { markDone, markPlanDone, writeUnresolved } from "../../../../../src/drive/plan/file/Edit.ts"

const read = (text: string) => Result.getOrThrow(readPlan(new TextEncoder().encode(text)))
const messageOf = (result: Result.Result<unknown, PlanError>): string =>
  Result.isFailure(result) ? result.failure.message : ""
const notWritable = (what: string) =>
  `${what} cannot be written without a change to what is around it [write it by hand, or each key on a line of its own]`
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
      "that is already done",
      "tasks: [{title: A, description: a, done: true}]\nupdatedAt: x",
      [0],
      "tasks: [{title: A, description: a, done: true}]\nupdatedAt: x"
    ],
    ["of an empty list", "tasks: []\nupdatedAt: x", [], "tasks: []\nupdatedAt: x"]
  ]
  it.each(files)(
    "%s is marked",
    (_, text, indexes, expected) =>
      assert.strictEqual(Result.getOrThrow(markDone(read(text), indexes, now)).text, expected)
  )

  it("of a long plan changes only its own line and the time", () => {
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

  it.each([2, -1, 0.5, NaN])("%d of two does not exist", (index) => {
    const document = read("tasks: [{title: A, description: a}, {title: B, description: b}]")
    assert.strictEqual(
      messageOf(markDone(document, [0, index], now)),
      `the plan has no task ${index} [name one from 0 to 1]`
    )
  })

  it("of a plan without tasks does not exist", () =>
    assert.strictEqual(messageOf(markDone(read("tasks: []"), [0], now)), "the plan has no task 0 [it has no tasks]"))
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

  it("with a pending task is not changed", () =>
    assert.strictEqual(Result.getOrThrow(markPlanDone(read(task(false)), now)).text, task(false)))
})

describe("an existing key", () => {
  const files: ReadonlyArray<readonly [string, string]> = [
    ["goal: g\nstatus:   pending   # c\ntasks: []\n", "goal: g\nstatus:   done   # c\ntasks: []\n"],
    ["status: 'pending'\ntasks: []\n", "status: 'done'\ntasks: []\n"],
    ['status: "pending"\ntasks: []\n', 'status: "done"\ntasks: []\n'],
    ["status: !!str &b pending\ntasks: []\n", "status: !!str &b done\ntasks: []\n"],
    ["status: |-\n  pending\ntasks: []\n", "status: done\ntasks: []\n"],
    ["status:\ntasks: []\n", "status: done\ntasks: []\n"],
    ["status: \ntasks: []\n", "status: done\ntasks: []\n"],
    ["status: # c\ntasks: []\n", "status: done # c\ntasks: []\n"],
    ["tasks: []\nstatus:", "tasks: []\nstatus: done"],
    ["status: ~\ntasks: []\n", "status: done\ntasks: []\n"],
    ["{status: pending, tasks: []}", "{status: done, tasks: []}"],
    ['{"status":null,"tasks":[]}', '{"status":"done","tasks":[]}'],
    ["{status: , tasks: []}", '{status: "done", tasks: []}'],
    ["? status\n: pending\n? tasks\n: []\n", "? status\n: done\n? tasks\n: []\n"],
    [
      "updatedAt: '2020' # c\nstatus: pending\ntasks: []\n",
      "updatedAt: '2030-01-01T00:00:00.000Z' # c\nstatus: done\ntasks: []\n"
    ],
    [
      '{"updatedAt":null,"tasks":[],"status":""}'.replace('""', "null"),
      '{"updatedAt":"2030-01-01T00:00:00.000Z","tasks":[],"status":"done"}'
    ]
  ]
  it.each(files)(
    "is changed in %j",
    (text, expected) => assert.strictEqual(Result.getOrThrow(markPlanDone(read(text), now)).text, expected)
  )

  it.each(["{status, tasks: []}"])(
    "is not changed in %j",
    (text) => assert.strictEqual(messageOf(markPlanDone(read(text), now)), notWritable("status"))
  )
})

describe("a missing key", () => {
  const plans: ReadonlyArray<readonly [string, string]> = [
    ["title: t # c\n# d\ngoal: g\ntasks: []\n", "title: t # c\nstatus: done\n# d\ngoal: g\ntasks: []\n"],
    ["tasks: []\ntitle: t", "tasks: []\ntitle: t\nstatus: done"],
    ["title: |\n  x\n\ntasks: []\n", "title: |\n  x\nstatus: done\n\ntasks: []\n"],
    ["title:\n  x\n  y\ntasks: []\n", "title:\n  x\n  y\nstatus: done\ntasks: []\n"],
    ["title: |+\n  x\n\ntasks: []\n", "title: |+\n  x\n\nstatus: done\ntasks: []\n"],
    ["title:\ntasks: []\n", "title:\nstatus: done\ntasks: []\n"],
    ["# c\ntasks: []\n", "# c\nstatus: done\ntasks: []\n"],
    ["&x tasks: []\n", "status: done\n&x tasks: []\n"],
    ["# c\n  tasks: []\n  goal: g\n", "# c\n  status: done\n  tasks: []\n  goal: g\n"],
    ["{title: t, tasks: []}", '{status: "done", title: t, tasks: []}'],
    ['{\n  "title": "t",\n  "tasks": []\n}', '{\n  "status": "done",\n  "title": "t",\n  "tasks": []\n}'],
    ["{ # c\n title: t, tasks: []}", '{ status: "done", # c\n title: t, tasks: []}']
  ]
  it.each(plans)(
    "is added in %j",
    (text, expected) => assert.strictEqual(Result.getOrThrow(markPlanDone(read(text), now)).text, expected)
  )

  const tasks: ReadonlyArray<readonly [string, string]> = [
    ["- &x title: t\n  description: b\n", "- &x title: t\n  done: true\n  description: b\n"],
    ["-\n    description: b\n    title: t", "-\n    description: b\n    title: t\n    done: true"],
    ["- title: |\n    t\n  description: b\n", "- title: |\n    t\n  done: true\n  description: b\n"],
    ["- &x description: b\n  title: t\n", "- &x description: b\n  title: t\n  done: true\n"]
  ]
  it.each(tasks)(
    "is added in the task %j",
    (text, expected) =>
      assert.strictEqual(Result.getOrThrow(markDone(read(`tasks:\n${text}`), [0], now)).text, `tasks:\n${expected}`)
  )
})

describe("line ends", () => {
  const files: ReadonlyArray<readonly [string, string]> = [
    ["title: a\rtasks: []\r", "title: a\rstatus: done\rtasks: []\r"],
    ["title: a\r\ngoal: g\ntasks: []\r\nstatus: pending", "title: a\r\ngoal: g\ntasks: []\r\nstatus: done"],
    [
      "\ufeff# c\r\nupdatedAt: x\ntasks: []\r\n",
      "\ufeff# c\r\nstatus: done\r\nupdatedAt: 2030-01-01T00:00:00.000Z\ntasks: []\r\n"
    ],
    ["\ufefftasks: []\r\n", "\ufeffstatus: done\r\ntasks: []\r\n"]
  ]
  it.each(files)(
    "are kept in %j",
    (text, expected) => assert.strictEqual(Result.getOrThrow(markPlanDone(read(text), now)).text, expected)
  )
})

const write = (text: string, review: string): string => Result.getOrThrow(writeUnresolved(read(text), review, 0)).text

const review = "a.ts:1 breaks\n\n---\n```\n## Unresolved\n  x: # y\t\n"
const section = "## Unresolved\n\n````text\n| a.ts:1 breaks\n|\n| ---\n| ```\n| ## Unresolved\n|   x: # y\n````\n"
const key = "unresolved: |2-\n  a.ts:1 breaks\n\n  ---\n  ```\n  ## Unresolved\n    x: # y\n"
const quoted = '"a.ts:1 breaks\\n\\n---\\n```\\n## Unresolved\\n  x: # y"'

const files: ReadonlyArray<readonly [string, string, string]> = [
  ["below the front matter", "---\ntasks: []\n---\n", `---\ntasks: []\n---\n\n${section}`],
  ["below a border without an end", "---\ntasks: []\n---", `---\ntasks: []\n---\n\n${section}`],
  ["below text", "---\ntasks: []\n---\n# A\n", `---\ntasks: []\n---\n# A\n\n${section}`],
  ["below a blank line", "---\ntasks: []\n---\n# A\n\n", `---\ntasks: []\n---\n# A\n\n${section}`],
  ["below a last line without an end", "---\ntasks: []\n---\n# A", `---\ntasks: []\n---\n# A\n\n${section}`],
  [
    "with the line ends of its file",
    "---\r\ntasks: []\r\n---\r\n",
    `---\ntasks: []\n---\n\n${section}`.replaceAll("\n", "\r\n")
  ],
  [
    "below a user's own section with the same heading",
    "---\ntasks: []\n---\n## Unresolved\n\nMine.\n",
    `---\ntasks: []\n---\n## Unresolved\n\nMine.\n\n${section}`
  ],
  [
    "as a key if the details are a key",
    "---\ndetails: d\ntasks: []\n---\n",
    `---\n${key}details: d\ntasks: []\n---\n`
  ],
  ["as the first key of YAML", "# c\ntasks: []\n", `# c\n${key}tasks: []\n`],
  ["in JSON", '{"tasks":[]}', `{"unresolved": ${quoted}, "tasks":[]}`],
  ["in place of a text", "tasks: []\nunresolved: b # c\n", `tasks: []\nunresolved: ${quoted} # c\n`],
  ["in place of a text of many lines", "unresolved: >\n  b\n  c\ntasks: []\n", `${key}tasks: []\n`]
]

describe("a review", () => {
  it.each(files)("is written %s", (_, text, expected) => assert.strictEqual(write(text, review), expected))

  it.each(files)(
    "is replaced when another review is written %s",
    (_, text, expected) => assert.strictEqual(write(write(text, "Earlier.\n```\n# b"), review), expected)
  )

  it("is removed by a blank one, which changes nothing else", () => {
    const markdown = "---\ntasks: []\n---\n# A\n\n"
    assert.strictEqual(write(write(markdown, review), "\n"), markdown)
    assert.strictEqual(write(write("tasks: []\n", review), ""), 'unresolved: ""\ntasks: []\n')
    for (const text of [markdown, "tasks: []\n"]) assert.strictEqual(write(text, " "), text)
  })

  it("keeps the text below an earlier one", () =>
    assert.strictEqual(
      write(`---\ntasks: []\n---\n\n${section}\n## B\n`, "New."),
      "---\ntasks: []\n---\n\n## Unresolved\n\n```text\n| New.\n```\n\n## B\n"
    ))

  it("shows hidden characters, and is cut if it is very long", () => {
    const text = write("---\ntasks: []\n---\n", `a\u202eb${"x".repeat(200_000)}`)
    assert.include(text, "| a\\u202ebxxx")
    assert.isBelow(text.length, 100_100)
  })

  it("does not replace a list", () =>
    assert.strictEqual(
      messageOf(writeUnresolved(read("unresolved: [a]\ntasks: []"), "b", 0)),
      notWritable("unresolved")
    ))
})
