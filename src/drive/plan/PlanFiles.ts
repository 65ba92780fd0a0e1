// PlanFiles: the port to plan files, and to the documents of a repository that prompts name.
// A plan file is replaced as a whole, never edited in place.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import { brief } from "../../text/Untrusted.ts"
import { SystemFault, systemFaultText } from "../../platform/SystemFault.ts"

/** Why a plan file could not be read or written. */
export const PlanFileReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoPlanFile", {}),
  /** It holds no plan: `problem` names the place and what to do. */
  Schema.TaggedStruct("NoPlan", { problem: Schema.String }),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int }),
  Schema.TaggedStruct("ChangedMeanwhile", {})
])
export type PlanFileReason = typeof PlanFileReason.Type

/** The reason, for people. */
export const planFileReasonText = (reason: PlanFileReason): string => {
  switch (reason._tag) {
    case "NoPlanFile":
      return "no such file [ooda-codex-review implement --init FILE writes a plan to fill in]"
    case "NoPlan":
      return reason.problem
    case "TooLarge":
      return `it is larger than ${reason.most} bytes [move what is long into other files]`
    case "ChangedMeanwhile":
      return "another process changed it at the same moment [call again]"
    default:
      return `${systemFaultText(reason)} [fix this, then call again]`
  }
}

/** A plan file could not be read or written; it is unchanged. */
export class PlanFileFailed extends Schema.TaggedError<PlanFileFailed>()("PlanFileFailed", {
  path: Schema.String,
  reason: PlanFileReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 500)}: ${planFileReasonText(this.reason)}`
  }
}

export class PlanFiles extends Context.Service<PlanFiles, {
  /**
   * A plan file as a person names it, under the one name by which it is known: absolute, without links. An interrupted
   * undo may have left its directory without it.
   */
  readonly locate: (plan: string, cwd: string) => Effect.Effect<string, PlanFileFailed>
  readonly read: (plan: string) => Effect.Effect<Uint8Array, PlanFileFailed>
  /** Replaces what it holds, durably and whole. ChangedMeanwhile where that is not `before` any more. */
  readonly replace: (plan: string, before: Uint8Array, now: Uint8Array) => Effect.Effect<void, PlanFileFailed>
  /** Removes what a killed `replace` has left. Only for the process that holds the plan's lock. */
  readonly tidy: (plan: string) => Effect.Effect<void, PlanFileFailed>
  /** The names among `names` that are files of a worktree, in the same order. */
  readonly present: (worktree: string, names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** The text of a document of a worktree, cut after `most` characters; null if it is missing. */
  readonly document: (worktree: string, name: string, most: number) => Effect.Effect<string | null>
}>()("ooda-codex-review/services/PlanFiles") {}
