// WorkingTrees: the port to the working trees in which a fleet's reviewers read submissions.
// A tree shows one head against one base for its whole life; nothing of its authors runs.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Submission } from "./Submission.ts"
import { brief, oneLine } from "../text/Untrusted.ts"
import { ProgramFault, programFaultText, SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/** Why there is no working tree. `what` names the question to git, or the difference. */
export const TreeReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("WorkElsewhere", { recorded: Schema.String }),
  Schema.TaggedStruct("CommitMissing", {}),
  Schema.TaggedStruct("BranchMissing", { branch: Schema.String }),
  Schema.TaggedStruct("BaseElsewhere", { branch: Schema.String }),
  Schema.TaggedStruct("GitRefused", { what: Schema.String, fault: ProgramFault }),
  Schema.TaggedStruct("FetchTooLarge", { most: Schema.Number }),
  Schema.TaggedStruct("TreeTooLarge", {}),
  Schema.TaggedStruct("TreeChanged", { what: Schema.String }),
  Schema.TaggedStruct("TreeReplaced", {}),
  Schema.TaggedStruct("TreeUnknown", { what: Schema.String, fault: ProgramFault })
])
export type TreeReason = typeof TreeReason.Type

const reasonText = (reason: TreeReason, path: string): string => {
  switch (reason._tag) {
    case "WorkElsewhere":
      return `the fleet works in ${
        brief(reason.recorded, 300)
      } on every machine [work below that path, with no link on the way]`
    case "CommitMissing":
      return "the repository does not give its head commit [push it, and submit it again]"
    case "BranchMissing":
      return `the repository has no branch ${brief(reason.branch, 200)} [name its base branch with --branch]`
    case "BaseElsewhere":
      return `its base commit is not on the branch ${brief(reason.branch, 200)} ` +
        "[submit it again with the commit that the branch has now]"
    case "GitRefused":
      return `${reason.what}: ${brief(oneLine(programFaultText(reason.fault)), 300)} ` +
        "[look whether the repository is there, and whether the token may read it]"
    case "FetchTooLarge":
      return `with this fetch, the mirror of its repository would hold more than ${
        Math.ceil(reason.most / 1024 ** 2)
      } ` +
        "MiB [review it by hand, or remove the mirror and its trees while no worker of this machine runs]"
    case "TreeTooLarge":
      return "its head lays out more than 500000 files, 8 GiB or 100 directories in each other [review it by hand]"
    case "TreeChanged":
      return `${brief(reason.what, 200)} is not what was pinned [the tree is made anew when it is asked for again]`
    case "TreeReplaced":
      return "it was made anew while it was reviewed [the review is asked for anew]"
    case "TreeUnknown":
      return `${reason.what}: ${brief(oneLine(programFaultText(reason.fault)), 300)} ` +
        "[where that stays so, remove it while no worker of this machine runs]"
    default:
      return systemFaultText(reason, path)
  }
}

/** A submission has no working tree, or its tree is not what was pinned. */
export class TreeFailed extends Schema.TaggedError<TreeFailed>()("TreeFailed", {
  path: Schema.String,
  reason: TreeReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 300)}: ${reasonText(this.reason, this.path)}`
  }
}

export class WorkingTrees extends Context.Service<WorkingTrees, {
  /**
   * The working tree of a submission: the existing one if it is as pinned, or a new one. Several may ask at once. A
   * tree that differs, or that git repeatedly cannot read, is made anew; if its state is unknown it stays, because
   * others may be reading it.
   */
  readonly open: (submission: Submission) => Effect.Effect<string, TreeFailed>
  /** The identity of a tree; one that was made anew has another. Read before a review begins. */
  readonly which: (submission: Submission) => Effect.Effect<string, TreeFailed>
  /** Fails if this is not the tree that `which` named, or does not show the pinned code. Checked after each review. */
  readonly check: (submission: Submission, which: string) => Effect.Effect<void, TreeFailed>
  readonly remove: (submission: Submission) => Effect.Effect<void, TreeFailed>
}>()("ooda-codex-review/services/WorkingTrees") {}
