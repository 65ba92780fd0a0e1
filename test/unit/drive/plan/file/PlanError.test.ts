// PlanError: each reason on one line, with what to do.
import { assert, it } from "vitest"
import { PlanError, type PlanReason } from "../../../../../src/drive/plan/file/Document.ts"

const reasons: ReadonlyArray<readonly [PlanReason, string]> = [
  [
    { _tag: "Malformed", line: 2, column: 3, says: "title is 5", remedy: "write a text" },
    "line 2, column 3: title is 5 [write a text]"
  ],
  [{ _tag: "NoSuchTask", index: 4, count: 4 }, "the plan has no task 4 [name one from 0 to 3]"],
  [{ _tag: "NoSuchTask", index: 0, count: 0 }, "the plan has no task 0 [it has no tasks]"],
  [
    { _tag: "StillPending", tasks: [1, 2] },
    "the plan is not done: tasks are pending: 1, 2 [mark them done first]"
  ],
  [
    { _tag: "NotWritable", what: "tasks[0].done" },
    "tasks[0].done cannot be written without a change to what is around it " +
    "[write it by hand, or each key on a line of its own]"
  ]
]

it.each(reasons)("%j is one line", (reason, line) => assert.strictEqual(new PlanError({ reason }).message, line))
