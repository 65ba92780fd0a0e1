// Plan: plan files as users write them, and the exact message for each broken one.
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parsePlan, readPlan } from "../../../../../src/drive/plan/file/Document.ts"
import { circleOf, isDone, type Plan, type PlanTask, unknownKeys } from "../../../../../src/drive/plan/file/Plan.ts"

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
  it("of a user has all its tasks, and none is done", () => {
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
    ["with an empty text below its front matter", `---\ndetails: \n${one}---\n\nc`, { ...plan, details: "\nc" }],
    ["with blank lines below its front matter", `---\n${one}details: d\n---\n \n`, { ...plan, details: "d" }],
    ["with text and borders below", `--- \n${one}---\t\n\na\n---\nb`, { ...plan, details: "\na\n---\nb" }],
    ["with a byte order mark", `\ufeff---\n${one}---\nb`, { ...plan, details: "b" }],
    ["with other line ends", `---\n${one}---\na\nb\n`.replaceAll("\n", "\r\n"), { ...plan, details: "a\nb\n" }],
    ["with old line ends", one.replaceAll("\n", "\r"), plan],
    ["with the marks of a YAML document", `# c\n---\n${one}...\n`, plan],
    ["of YAML 1.1, where yes is still a text", `%YAML 1.1\n---\n${one}a: yes\n`, { ...plan, a: "yes" }],
    ["without tasks to do", "tasks: []\n", { ...plan, tasks: [] }],
    ["with all keys empty", "title:\nid: ~\nissue:\nstatus: null\n" + one, plan],
    ["with numbers and texts as references", `id: 7\nparent: a\nissue: [1, b]\n${one}`, {
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
    ["with unknown keys", `a: {b: [1, x, ~, true]}\n${one}    c: 1\n    steps: [{prompt: p, d: 2}]\n`, {
      ...plan,
      a: { b: [1, "x", null, true] },
      tasks: [{ ...task, c: 1, steps: [{ prompt: "p", done: false, d: 2 }] }]
    }],
    ["with keys that are not texts", `1: a\nnull: b\n0x1F: c\n${one}`, { ...plan, 1: "a", null: "b", "0x1F": "c" }],
    ["with keys without a value", "{tasks: [], title, a}", { ...plan, tasks: [], a: null }],
    ["with the same key in two mappings", `a: {b: 1}\nc: {b: 2}\n${one}`, { ...plan, a: { b: 1 }, c: { b: 2 } }],
    ["with tags", `a: !b 1\nc: !!binary aGk=\nd: !!str 5\n${one}`, { ...plan, a: "1", c: "aGk=", d: "5" }],
    ["with an anchor without an alias", `a: &b [1]\n${one}`, { ...plan, a: [1] }]
  ]
  it.each(files)(
    "%s is read",
    (_, text, expected) => assert.deepStrictEqual(parsePlan(text), { ok: true, plan: expected })
  )

  it("cannot set the prototype of a plan", () => {
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
  const noPlan = "a plan begins with a line --- and its tasks in YAML " +
    "[ooda-codex-review implement --init FILE writes one to fill in]"
  const plans: ReadonlyArray<readonly [string, string]> = [
    ["", `line 1, column 1: ${empty}`],
    ["\ufeff\r\n\t", `line 1, column 1: ${empty}`],
    ["# a\n", `line 1, column 1: ${empty}`],
    ["---\n---\n", `line 2, column 1: ${empty}`],
    ["---\n", "line 1, column 1: the front matter has no end [write a line --- below its YAML]"],
    [`---\n${one} ---\n--- a`, "line 1, column 1: the front matter has no end [write a line --- below its YAML]"],
    ["# a\n\nText.\n", `line 1, column 1: ${noPlan}`],
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
    [
      `status: "a\\n\u202e${"x".repeat(99)}"\n${one}`,
      `line 1, column 9: status is "a\\n\\u202e${
        "x".repeat(47)
      }... [write one of pending, in_progress, needs_review, reviewed, done, cancelled, deferred]`
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
    ["# To do\n\n- [ ] A\n- [x] B\n", `line 1, column 1: ${noPlan}`],
    ["- [ ] A\n", `line 1, column 1: ${noPlan}`],
    [`"a\u202e": 1\n"a\u202e": 2\n${one}`, 'line 2, column 1: the key "a\\u202e" is there twice [keep one]']
  ]
  it.each(plans)("%j is refused", (text, problem) => assert.deepStrictEqual(parsePlan(text), { ok: false, problem }))

  const quotes = "[write a text, in quotes where it looks like something else]"
  const other = "[write the index of another task, from 0 to 1, or nothing]"
  const tasks: ReadonlyArray<readonly [string, string]> = [
    ["x", 'line 3, column 5: tasks[1] is "x" [write its keys, with title and description among them]'],
    ["[]", "line 3, column 5: tasks[1] is a list [write its keys, with title and description among them]"],
    ["description: b", "line 3, column 5: tasks[1] has no title [add the key title]"],
    ["title: B", "line 3, column 5: tasks[1] has no description [add the key description]"],
    ["{}", "line 3, column 5: tasks[1] has no title [add the key title]"],
    ["{title, description: b}", `line 3, column 6: tasks[1].title is empty ${quotes}`],
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

  it("whose tasks depend on each other names the circle", () => {
    const items = [[1], [2], [1], []].map((needed) => `  - {title: A, description: a, dependencies: [${needed}]}\n`)
    assert.deepStrictEqual(parsePlan(`tasks:\n${items.join("")}`), {
      ok: false,
      problem: "line 3, column 5: these tasks wait for each other: 1 -> 2 -> 1 [remove one of these dependencies]"
    })
  })

  it("has a message of bounded length on one line, whatever it quotes", () => {
    const count = 200
    const items = Array.from(
      { length: count },
      (_, i) => `{title: A, description: a, dependencies: [${(i + 1) % count}]}`
    )
    const read = parsePlan(`tasks: [${items.join(", ")}]`)
    assert.match(
      read.ok ? "" : read.problem,
      /^line 1, column 9: these tasks .{283,285}\.\.\. \[remove one of these dependencies\]$/
    )
  })

  it("is reported with its first fault", () => {
    const text = `tasks:\n  - {title: A, description: 1}\n  - {title: B}\npriority: x\ntitle: 1\n`
    assert.deepStrictEqual(parsePlan(text), {
      ok: false,
      problem:
        "line 2, column 29: tasks[0].description is 1 [write a text, in quotes where it looks like something else]"
    })
  })

  it("that is too long is not parsed", () => {
    const most = 8 * 1024 * 1024
    assert.isTrue(parsePlan(`${one}#${" ".repeat(most - one.length - 1)}`).ok)
    assert.deepStrictEqual(parsePlan(`${one}#${" ".repeat(most - one.length)}`), {
      ok: false,
      problem: `line 4, column ${
        most - one.length + 1
      }: a plan file has at most 8388608 characters [move what is long into other files]`
    })
  })
})

describe("the bytes of a plan file", () => {
  it.each([one, `---\n${one}---\nb`, `\ufeff---\r\n${one}---\r\nb\u{1f600}`])("are kept in its text: %j", (text) => {
    const document = Result.getOrThrow(readPlan(new TextEncoder().encode(text)))
    assert.deepStrictEqual([document.text, document.plan.tasks[0]?.title], [text, "A"])
  })

  const notUtf8 = "this is not UTF-8 [save the file as UTF-8]"
  const broken: ReadonlyArray<readonly [string, Uint8Array, string]> = [
    [
      "are not a plan",
      Buffer.from("tasks:\r\n  - title: A\r\n    title: a\r\n"),
      'line 3, column 5: the key "title" is there twice [keep one]'
    ],
    [
      "hold more faults than a call takes arguments",
      Buffer.from(`tasks: [${"a,".repeat(130_000)}a]\n`),
      'line 1, column 9: tasks[0] is "a" [write its keys, with title and description among them]'
    ],
    ["are UTF-16", Uint8Array.of(0xff, 0xfe, 0x61, 0), `line 1, column 1: ${notUtf8}`],
    [
      "are broken after a letter of two bytes",
      Uint8Array.of(0x61, 0xc3, 0xa4, 0x0d, 0x0a, 0x62, 0x80, 0x63),
      `line 2, column 2: ${notUtf8}`
    ],
    [
      "are broken after letters only",
      Uint8Array.of(0xc3, 0xa4, 0xc3, 0xa4, 0xc3, 0xa4, 0xff),
      `line 1, column 4: ${notUtf8}`
    ],
    ["end in the middle of a letter", Uint8Array.of(0x61, 0xe2, 0x82), `line 1, column 2: ${notUtf8}`],
    [
      "end within the bytes of a replacement character",
      Uint8Array.of(0x61, 0xef, 0xbf),
      `line 1, column 2: ${notUtf8}`
    ],
    [
      "are too many to be decoded",
      new Uint8Array(2 ** 25 + 1).fill(0xff),
      "line 1, column 1: a plan file has at most 8388608 characters [move what is long into other files]"
    ]
  ]
  it.each(broken)(
    "that %s are refused in one line",
    (_, file, line) =>
      assert.strictEqual(
        Result.match(readPlan(file), { onFailure: ({ message }) => message, onSuccess: () => "" }),
        line
      )
  )
})

describe("tasks", () => {
  const orders: ReadonlyArray<readonly [ReadonlyArray<ReadonlyArray<number>>, ReadonlyArray<number> | null]> = [
    [[], null],
    [[[], [0], [0, 1], [2, 0]], null],
    [[[1], [2], []], null],
    [[[1, 1], []], null],
    [[[1], [0]], [0, 1]],
    [[[1], [2], [3], [1]], [1, 2, 3]],
    [[[3, 1], [2], [0], []], [0, 1, 2]],
    [[[], [0], [4], [2], [3]], [2, 4, 3]]
  ]
  it.each(orders)(
    "with dependencies %j have the circle %j",
    (dependencies, circle) => assert.deepStrictEqual(circleOf(dependencies), circle)
  )

  it("in a chain of thousands are followed to its end", () => {
    const row = Array.from({ length: 50_000 }, (_, i) => i === 0 ? [] : [i - 1])
    assert.isNull(circleOf(row))
    assert.lengthOf(circleOf(row.map((needed, i) => i === 0 ? [row.length - 1] : needed)) ?? [], row.length)
  })

  it("that are all done make a plan done, whatever its status", () => {
    const done = { ...task, done: true }
    assert.deepStrictEqual(
      [[], [done], [done, task], [task]].map((tasks) => isDone({ ...plan, status: "pending", tasks })),
      [true, true, false, false]
    )
  })
})

it("unknown keys are listed with the known keys that were probably meant", () => {
  const read = parsePlan(`tilte: a\nxy: 1\n${one}    depends: [0]\n    steps: [{prompt: p, "don\u202e": true}]\n`)
  assert.deepStrictEqual(read.ok ? unknownKeys(read.plan) : [], [
    "unknown key tilte of the plan (did you mean title?)",
    "unknown key xy of the plan",
    "unknown key depends of task 0 (did you mean dependencies?)",
    "unknown key don\\u202e of step 0 of task 0 (did you mean done?)"
  ])
})
