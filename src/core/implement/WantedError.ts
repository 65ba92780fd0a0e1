// WantedError: why what is wanted of a plan cannot be worked on.
import { Schema } from "effect"
import type { Plan } from "../plan/Plan.ts"
import { brief } from "../text/Untrusted.ts"
import { neededToo, unknownNames } from "./InPlay.ts"
import type { Wanted } from "./Settings.ts"

export const WantedReason = Schema.Union([
  /** No task has one of these names. */
  Schema.TaggedStruct("Unknown", { names: Schema.Array(Schema.String) }),
  /** Wanted tasks wait for these, which are pending and not wanted. */
  Schema.TaggedStruct("Waiting", { tasks: Schema.Array(Schema.Int) }),
  /** Nothing can be compared with the plan's `baseBranch`: `problem` says why and what to do. */
  Schema.TaggedStruct("NoBase", { problem: Schema.String })
])
export type WantedReason = typeof WantedReason.Type

/** What is wanted cannot be worked on. Its message is one line. */
export class WantedError extends Schema.TaggedError<WantedError>()("WantedError", { reason: WantedReason }) {
  override get message() {
    const { reason } = this
    switch (reason._tag) {
      case "Unknown": {
        const names = brief(reason.names.map((name) => brief(name, 80)).join(", "), 400)
        return `no task of the plan is called so: ${names} [name a title or an index from 0]`
      }
      case "Waiting":
        return `the tasks that are wanted wait for others that are pending: ${brief(reason.tasks.join(", "), 200)} ` +
          "[name these too, by --tasks]"
      case "NoBase":
        return `the plan's baseBranch: ${reason.problem}`
    }
  }
}

/** What stands against working on what is wanted; null for nothing. */
export const wantedError = (plan: Plan, wanted: Wanted): WantedError | null => {
  const names = unknownNames(plan, wanted)
  if (names.length > 0) return new WantedError({ reason: { _tag: "Unknown", names } })
  const tasks = neededToo(plan, wanted)
  return tasks.length > 0 ? new WantedError({ reason: { _tag: "Waiting", tasks } }) : null
}
