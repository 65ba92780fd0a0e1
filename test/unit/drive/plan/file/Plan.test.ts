// Plan: the words for the status and the priority of a plan.
import { assert, it } from "vitest"
import { priorities, statuses } from "../../../../../src/drive/plan/file/Plan.ts"

it("a plan has one of seven statuses and one of five priorities", () => {
  assert.deepStrictEqual([...statuses], [
    "pending",
    "in_progress",
    "needs_review",
    "reviewed",
    "done",
    "cancelled",
    "deferred"
  ])
  assert.deepStrictEqual([...priorities], ["low", "medium", "high", "urgent", "maybe"])
})
