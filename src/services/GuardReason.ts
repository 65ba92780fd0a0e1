// GuardReason: why this machine could not start, look at or end a command that outlives its caller.
import { Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"
import { SystemFault, SystemRefused, systemFaultText } from "./SystemFault.ts"

/**
 * `NoDirectory` is about the directory of a command; `why` is null where the path exists but is no directory.
 * `CannotBeEnded` names the processes that live on.
 */
export const GuardReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoDirectory", { path: Schema.String, why: Schema.NullOr(SystemRefused) }),
  Schema.TaggedStruct("BeingStarted", {}),
  Schema.TaggedStruct("LockHeldUnseen", {}),
  Schema.TaggedStruct("CannotBeEnded", { pids: Schema.Array(Schema.Int) })
])
export type GuardReason = typeof GuardReason.Type

/** A reason in words for people. */
export const guardReasonText = (reason: GuardReason): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return reason.why === null ? "is not a directory" : guardReasonText(reason.why)
    case "BeingStarted":
      return "they are already being started; call again"
    case "LockHeldUnseen":
      return "a process that cannot be seen from here still holds its lock; end it where it runs"
    case "CannotBeEnded":
      return `cannot be ended: ${reason.pids.join(", ")}; end them as the user that owns them`
    case "SystemRefused":
      // Only node's own message names the file that was refused.
      return brief(reason.said, 500)
    default:
      return systemFaultText(reason)
  }
}
