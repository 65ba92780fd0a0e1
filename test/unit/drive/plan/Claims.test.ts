// Claims: the `DONE:` line of each task, with any Markdown around it; nothing else is a claim.
import { assert, describe, it } from "vitest"
import { claims, founded } from "../../../../src/drive/plan/Claims.ts"

const read = (line: string) => claims(`role: worker\nstatus: pass\n\nWell.\n${line}\nBye.`, [0, 2, 3, 11])
const silent = "no line says `DONE: <index>` of a task"

describe("the tasks that an implementer claims", () => {
  it.each([
    "DONE: 2",
    "done: 2",
    "* **DONE:** 2",
    "**DONE: 2**",
    "1. DONE: `2`.",
    "- [x] DONE: task 2",
    "DONE: #2",
    "DONE: [2]",
    "DONE: 2\r",
    "DONE: 2 - the parser, without a test of its colours",
    "DONE: 2 \u2014 Handle missing files",
    "DONE: 2: the parser",
    "DONE: 2 (the parser)"
  ])("are read from %j", (line) => assert.deepStrictEqual(read(line), { tasks: [2], problems: [] }))

  it.each([
    "DONE: 11,0 , 3",
    "DONE: tasks 0, 3 and 11",
    "DONE: 3\n\nDONE: 11\nDONE: 0",
    "DONE: 0; 11, and #3."
  ])(
    "are several in %j, in ascending order",
    (line) => assert.deepStrictEqual(read(line), { tasks: [0, 3, 11], problems: [] })
  )

  it.each([
    "",
    "DONE",
    "DONE:",
    "DONE: <index>",
    "DONE: none",
    "DONE: all tests pass",
    "NOT DONE: 2",
    "I am DONE: 2",
    "UNDONE: 2",
    "| DONE: 2",
    "index 2 is done"
  ])("are not claimed in %j", (line) => assert.deepStrictEqual(read(line), { tasks: [], problems: [silent] }))

  it.each([
    "DONE: 2 of 3",
    "DONE: 2/11",
    "DONE: 2-3",
    "DONE: 2 - 3",
    "DONE: 2.5",
    "DONE: 0 3",
    "DONE: 2, the rest later",
    "DONE: 2 - not yet",
    "DONE: 2 (partly)",
    "DONE: 2: in progress",
    "DONE: 1234567890"
  ])("cannot be read in %j, which is a problem", (line) => {
    const { problems, tasks } = read(line)
    assert.deepStrictEqual(tasks, [])
    assert.deepStrictEqual(problems, [`this line names no task index: ${line}`])
  })

  it("exclude tasks that were not asked for, with one problem each", () => {
    assert.deepStrictEqual(read("DONE: 1, 2, 7\nDONE: 7"), {
      tasks: [2],
      problems: ["1 is the index of no task that was asked for", "7 is the index of no task that was asked for"]
    })
    const many = Array.from({ length: 50 }, (_, i) => `DONE: ${i + 20}`).join("\n")
    assert.lengthOf(read(many).problems, 5)
    assert.isAtMost((read(`DONE: 2 ${"x".repeat(5000)}`).problems[0] ?? "").length, 200)
  })

  it.each([
    ["marks", "*".repeat(200_000)],
    ["keys", "DONE:".repeat(50_000)],
    ["indexes without an end", `DONE: ${"2, ".repeat(90_000)}`],
    ["points of lists", "\n- ".repeat(100_000)],
    ["blanks before an index", `DONE:${" ".repeat(200_000)}2`]
  ])("are not found in a huge text of %s", (_, text) => {
    assert.deepStrictEqual(claims(text, [2]).tasks, [])
  })
})

describe("claims of a plan's tasks", () => {
  const task = (dependencies: ReadonlyArray<number>, done = false) => ({
    title: "t",
    description: "d",
    done,
    dependencies,
    files: [],
    docs: [],
    steps: []
  })
  const tasks = [task([], true), task([0]), task([1]), task([2]), task([])]

  it("are valid if all dependencies of a task are done, or claimed too", () => {
    assert.deepStrictEqual(founded({ tasks }, { tasks: [1, 2, 4], problems: [] }), { tasks: [1, 2, 4], problems: [] })
    assert.deepStrictEqual(founded({ tasks }, { tasks: [2, 3, 4], problems: ["before"] }), {
      tasks: [4],
      problems: [
        "before",
        "task 2 waits for task 1, which no line names as done",
        "task 3 waits for task 2, which no line names as done"
      ]
    })
  })
})
