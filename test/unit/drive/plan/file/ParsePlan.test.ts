// ParsePlan: plan files as people write them, and for each broken one the exact line that says what is wrong.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parsePlan } from "../../../../../src/drive/plan/file/Parse.ts"
import type { Plan, PlanTask } from "../../../../../src/drive/plan/file/Plan.ts"

const one = "tasks:\n  - title: A\n    description: a\n"
const task: PlanTask = { title: "A", description: "a", done: false, files: [], docs: [], dependencies: [], steps: [] }
const plan: Plan = {
  title: null,
  goal: null,
  details: null,
  id: null,
  status: null,
  priority: null,
  dependencies: [],
  parent: null,
  issue: [],
  docs: [],
  baseBranch: null,
  changedFiles: [],
  createdAt: null,
  updatedAt: null,
  tasks: [task]
}

describe("a plan file", () => {
  it("that a person wrote has all its tasks, and none is done", () => {
    const file = readFileSync(new URL("../../../../../fixtures/plans/agent-loop.md", import.meta.url), "utf8")
    const read = parsePlan(file)
    if (!read.ok) assert.fail(read.problem)
    const { createdAt, details, id, planGeneratedAt, rmfilter, status, tasks, title } = read.plan
    assert.deepStrictEqual([title, id, status], ["better codex agent loop", 118, "pending"])
    assert.lengthOf(tasks, 11)
    assert.deepStrictEqual(tasks.filter(({ done }) => done), [])
    assert.deepStrictEqual(tasks.map(({ steps }) => steps.length > 0), tasks.map(() => true))
    assert.strictEqual(tasks[0]?.files[1], "src/rmplan/executors/codex_cli/format.test.ts")
    assert.deepStrictEqual(rmfilter, ["src/rmplan/executors", "--with-imports"])
    assert.deepStrictEqual([createdAt, planGeneratedAt], ["2025-09-12T18:50:35.986Z", "2025-09-12T19:31:52.587Z"])
    assert.strictEqual(`\n${details}`, file.slice(file.indexOf("\n---\n", 4) + "\n---".length))
  })

  const files: ReadonlyArray<readonly [string, string, Plan]> = [
    ["of YAML", one, plan],
    ["of JSON", JSON.stringify({ tasks: [task] }), plan],
    ["with front matter alone", `---\n${one}---`, plan],
    ["with blank lines below its front matter", `---\n${one}details: d\n---\n \n`, { ...plan, details: "d" }],
    ["with text and borders below", `--- \n${one}---\t\n\na\n---\nb`, { ...plan, details: "\na\n---\nb" }],
    ["with a mark of byte order", `\ufeff---\n${one}---\nb`, { ...plan, details: "b" }],
    ["with other line ends", `---\n${one}---\na\nb\n`.replaceAll("\n", "\r\n"), { ...plan, details: "a\nb\n" }],
    ["with old line ends", one.replaceAll("\n", "\r"), plan],
    ["with the marks of a YAML document", `# c\n---\n${one}...\n`, plan],
    ["of YAML 1.1, where yes is a text all the same", `%YAML 1.1\n---\n${one}a: yes\n`, { ...plan, a: "yes" }],
    ["without tasks to do", "tasks: []\n", { ...plan, tasks: [] }],
    ["with every key of its own left empty", "title:\nid: ~\nissue:\nstatus: null\n" + one, plan],
    ["with numbers and names of others", `id: 7\nparent: a\nissue: [1, b]\n${one}`, {
      ...plan,
      id: 7,
      parent: "a",
      issue: [1, "b"]
    }],
    ["with the status complete", `status: complete\n${one}`, { ...plan, status: "done" }],
    ["with the status completed", `status: completed\npriority: maybe\n${one}`, {
      ...plan,
      status: "done",
      priority: "maybe"
    }],
    ["with keys that nobody knows", `a: {b: [1, x, ~, true]}\n${one}    c: 1\n    steps: [{prompt: p, d: 2}]\n`, {
      ...plan,
      a: { b: [1, "x", null, true] },
      tasks: [{ ...task, c: 1, steps: [{ prompt: "p", done: false, d: 2 }] }]
    }],
    ["with tags", `a: !b 1\nc: !!binary aGk=\nd: !!str 5\n${one}`, { ...plan, a: "1", c: "aGk=", d: "5" }],
    ["with an anchor that nothing names", `a: &b [1]\n${one}`, { ...plan, a: [1] }]
  ]
  it.each(files)(
    "%s is read",
    (_, text, expected) => assert.deepStrictEqual(parsePlan(text), { ok: true, plan: expected })
  )

  it("cannot give a plan another nature", () => {
    const read = parsePlan(
      `__proto__: {done: true}\nconstructor: 1\nat: 1\nsays: 2\n${one}    __proto__: {done: true}\n`
    )
    if (!read.ok) assert.fail(read.problem)
    assert.deepStrictEqual(Object.entries(read.plan).slice(0, 2), [["__proto__", { done: true }], ["constructor", 1]])
    assert.strictEqual(Object.getPrototypeOf(read.plan), Object.prototype)
    assert.strictEqual(Object.getPrototypeOf(read.plan.tasks[0]), Object.prototype)
    assert.strictEqual(read.plan.tasks[0]?.done, false)
  })
})

describe("a broken plan file", () => {
  const empty = "the plan is empty [write its tasks, each with title and description]"
  const keys =
    "[write its keys, with tasks among them, as YAML or between two lines --- at the head of a Markdown file]"
  const notYaml = "this is not YAML"
  const plans: ReadonlyArray<readonly [string, string]> = [
    ["", `line 1, column 1: ${empty}`],
    ["\ufeff\r\n\t", `line 1, column 1: ${empty}`],
    ["# a\n", `line 1, column 1: ${empty}`],
    ["---\n---\n", `line 2, column 1: ${empty}`],
    ["---\n", "line 1, column 1: the front matter has no end [write a line --- below its YAML]"],
    [`---\n${one} ---\n--- a`, "line 1, column 1: the front matter has no end [write a line --- below its YAML]"],
    ["# a\n\nText.\n", `line 3, column 1: the plan is "Text." ${keys}`],
    ["- a", `line 1, column 1: the plan is a list ${keys}`],
    ["title: a", "line 1, column 1: the plan has no tasks [add the key tasks]"],
    ["tasks:", "line 1, column 7: tasks is empty [write a list of tasks]"],
    ["tasks: {a: 1}", "line 1, column 8: tasks is a mapping [write a list of tasks]"],
    [`title: 5\n${one}`, "line 1, column 8: title is 5 [write a text, in quotes where it looks like something else]"],
    [
      `status: Done\n${one}`,
      'line 1, column 9: status is "Done" [write one of pending, in_progress, needs_review, reviewed, done, cancelled, deferred]'
    ],
    [
      `status: constructor\n${one}`,
      'line 1, column 9: status is "constructor" [write one of pending, in_progress, needs_review, reviewed, done, cancelled, deferred]'
    ],
    [`priority: 1\n${one}`, "line 1, column 11: priority is 1 [write one of low, medium, high, urgent, maybe]"],
    [`parent: true\n${one}`, "line 1, column 9: parent is true [write a number or a text]"],
    [`id: .nan\n${one}`, "line 1, column 5: id is NaN [write a number or a text]"],
    [`issue: a\n${one}`, 'line 1, column 8: issue is "a" [write a list of numbers or texts]'],
    [`docs: {}\n${one}`, "line 1, column 7: docs is a mapping [write a list of texts]"],
    [
      `---\ndetails: a\n${one}---\nb`,
      "line 2, column 10: details are both here and below the front matter [keep one of them]"
    ],
    [`a: 1\nb:\n  c: 1\n  "c": 2\n${one}`, 'line 4, column 3: the key "c" is there twice [keep one]'],
    [`---\r\n${one}tasks: []\r\n---\r\n`, 'line 5, column 1: the key "tasks" is there twice [keep one]'],
    [`a: &b [1]\nc: *b\n${one}`, "line 2, column 4: an alias is not allowed [write out its value]"],
    [`a: &b [*b]\n${one}`, "line 1, column 8: an alias is not allowed [write out its value]"],
    [`a: ${"[".repeat(9000)}`, "line 1, column 67: the plan nests more than 64 levels deep [write it with fewer]"],
    [`${one}---\n${one}`, "line 4, column 1: a second document begins here [keep one in a plan file]"],
    [`${one}...\na: 1\n`, "line 5, column 1: a second document begins here [keep one in a plan file]"],
    [
      "tasks:\n\t- title: A\n",
      `line 2, column 1: ${notYaml}: Tabs are not allowed as indentation [indent with spaces]`
    ],
    [
      `title: a: b\n${one}`,
      `line 1, column 8: ${notYaml}: Nested mappings are not allowed in compact mappings [put the value in quotes, or on lines of its own]`
    ],
    ['tasks: "a\n', `line 2, column 1: ${notYaml}: Missing closing "quote [write what is missing, here or before]`],
    [
      `a: "\\q"\n${one}`,
      `line 1, column 5: ${notYaml}: Invalid escape sequence \\q [write \\\\ for a backslash between double quotes]`
    ],
    [
      `? [a]\n: 1\n${one}`,
      `line 1, column 3: ${notYaml}: With stringKeys, all keys must be strings [write a text as key]`
    ],
    [
      "tasks: []\n]\n",
      `line 2, column 1: ${notYaml}: Unexpected flow-seq-end token in YAML stream: "]" [fix it here]`
    ],
    [`"a\u202e": 1\n"a\u202e": 2\n${one}`, 'line 2, column 1: the key "a\\u202e" is there twice [keep one]']
  ]
  it.each(plans)("%j is refused", (text, problem) => assert.deepStrictEqual(parsePlan(text), { ok: false, problem }))

  const other = "[write the index of another task, from 0 to 1, or nothing]"
  const tasks: ReadonlyArray<readonly [string, string]> = [
    ["x", 'line 3, column 5: tasks[1] is "x" [write its keys, with title and description among them]'],
    ["[]", "line 3, column 5: tasks[1] is a list [write its keys, with title and description among them]"],
    ["description: b", "line 3, column 5: tasks[1] has no title [add the key title]"],
    ["title: B", "line 3, column 5: tasks[1] has no description [add the key description]"],
    [
      "{title: , description: b}",
      "line 3, column 13: tasks[1].title is empty [write a text, in quotes where it looks like something else]"
    ],
    ...["yes", '"true"', "0"].map((done) =>
      [
        `{title: B, description: b, done: ${done}}`,
        `line 3, column 38: tasks[1].done is ${done === "yes" ? '"yes"' : done} [write true or false]`
      ] as const
    ),
    ["{done: null, title: B, description: b}", "line 3, column 12: tasks[1].done is empty [write true or false]"],
    [
      "{files: [a, 1], title: B, description: b}",
      "line 3, column 17: tasks[1].files[1] is 1 [write a text, in quotes where it looks like something else]"
    ],
    [
      "{steps: [x], title: B, description: b}",
      'line 3, column 14: tasks[1].steps[0] is "x" [write its keys, with prompt among them]'
    ],
    [
      "{steps: [{done: true}], title: B, description: b}",
      "line 3, column 14: tasks[1].steps[0] has no prompt [add the key prompt]"
    ],
    [
      "{steps: [{prompt: p, done: on}], title: B, description: b}",
      'line 3, column 32: tasks[1].steps[0].done is "on" [write true or false]'
    ],
    [
      "{steps: 2, title: B, description: b}",
      "line 3, column 13: tasks[1].steps is 2 [write a list of steps, each with a prompt]"
    ],
    [
      "{dependencies: 0, title: B, description: b}",
      "line 3, column 20: tasks[1].dependencies is 0 [write a list of indexes of tasks]"
    ],
    ...["2", "1", "-1", "0.5"].map((index) =>
      [
        `{dependencies: [${index}], title: B, description: b}`,
        `line 3, column 21: tasks[1].dependencies[0] is ${index} ${other}`
      ] as const
    ),
    ['{dependencies: ["0"], title: B, description: b}', `line 3, column 21: tasks[1].dependencies[0] is "0" ${other}`]
  ]
  it.each(tasks)("with the task %s is refused", (item, problem) =>
    assert.deepStrictEqual(
      parsePlan(`tasks:\n  - {title: A, description: a, dependencies: [1]}\n  - ${item}\n`),
      { ok: false, problem }
    ))

  it("whose tasks wait for each other is told the circle", () => {
    const items = [[1], [2], [1], []].map((needed) => `  - {title: A, description: a, dependencies: [${needed}]}\n`)
    assert.deepStrictEqual(parsePlan(`tasks:\n${items.join("")}`), {
      ok: false,
      problem: "line 3, column 5: these tasks wait for each other: 1 -> 2 -> 1 [remove one of these dependencies]"
    })
  })

  it("is told of the first fault in it", () => {
    const text = `tasks:\n  - {title: A, description: 1}\n  - {title: B}\npriority: x\ntitle: 1\n`
    assert.deepStrictEqual(parsePlan(text), {
      ok: false,
      problem:
        "line 2, column 29: tasks[0].description is 1 [write a text, in quotes where it looks like something else]"
    })
  })

  it("that is too long is not looked into", () => {
    const most = 8 * 1024 * 1024
    assert.isTrue(parsePlan(`${one}#${" ".repeat(most - one.length - 1)}`).ok)
    assert.deepStrictEqual(parsePlan(`${one}#${" ".repeat(most - one.length)}`), {
      ok: false,
      problem: `line 4, column ${
        most - one.length + 1
      }: a plan file has at most 8388608 characters [move what is long into other files]`
    })
  })

  it("that would grow when it is read does not", () => {
    const doubled = Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)
    assert.deepStrictEqual(parsePlan(`a0: &a0 [x]\n${doubled.join("")}${one}`), {
      ok: false,
      problem: "line 2, column 10: an alias is not allowed [write out its value]"
    })
  })
})
