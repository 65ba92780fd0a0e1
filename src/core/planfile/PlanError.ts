// PlanError: why a plan file cannot be read, or not be edited as asked.
import { Schema } from "effect"
import { problemAt } from "../plan/Fault.ts"
import { brief } from "../text/Untrusted.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const PlanReason = Schema.Union([
  /** The text at this place of the file is no part of a plan. Lines and columns count from 1. */
  Schema.TaggedStruct("Malformed", {
    line: Schema.Int,
    column: Schema.Int,
    says: Schema.String,
    remedy: Schema.String
  }),
  Schema.TaggedStruct("NoSuchTask", { index: Schema.Number, count: Count }),
  /** The plan is not done, because of these tasks. */
  Schema.TaggedStruct("StillPending", { tasks: Schema.Array(Count) }),
  /** Nothing could be written there that changes this alone. */
  Schema.TaggedStruct("NotWritable", { what: Schema.String })
])
export type PlanReason = typeof PlanReason.Type

/** A plan file that cannot be read, or not be edited as asked. Its message is one line and does not name the file. */
export class PlanError extends Schema.TaggedError<PlanError>()("PlanError", { reason: PlanReason }) {
  override get message() {
    const { reason } = this
    switch (reason._tag) {
      case "Malformed":
        return problemAt(reason, reason.says, reason.remedy)
      case "NoSuchTask":
        return reason.count === 0
          ? `the plan has no task ${reason.index} [it has no tasks]`
          : `the plan has no task ${reason.index} [name one from 0 to ${reason.count - 1}]`
      case "StillPending":
        return `the plan is not done: tasks are pending: ${brief(reason.tasks.join(", "), 200)} [mark them done first]`
      case "NotWritable":
        return `${brief(reason.what, 200)} cannot be written without a change to what stands around it ` +
          "[write it by hand, or each key on a line of its own]"
    }
  }
}
