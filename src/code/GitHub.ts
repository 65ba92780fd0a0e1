// GitHub: the port to a pull request's base branch.
// The answer must satisfy the same rules as a branch on the command line.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { BranchName, PrNumber } from "../run/Target.ts"
import { ProgramFault, programFaultText } from "../platform/SystemFault.ts"

/** Why there is no base: `gh` gave no answer, no branch name, or a branch that differs on GitHub. */
export const GitHubReason = Schema.Union([
  ProgramFault,
  Schema.TaggedStruct("UnusableBase", { problem: Schema.String, fetch: Schema.optionalKey(Schema.String) })
])
export type GitHubReason = typeof GitHubReason.Type

const gitHubReasonText = (reason: GitHubReason): string =>
  reason._tag !== "UnusableBase"
    ? programFaultText(reason)
    : reason.fetch === undefined
    ? `answered with an unusable base branch: ${reason.problem}`
    : reason.problem

/** `gh` is missing, failed, took longer than 30 s, or named no usable branch. */
export class GitHubFailed extends Schema.TaggedError<GitHubFailed>()("GitHubFailed", {
  number: Schema.Int,
  reason: GitHubReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const advised = this.reason._tag === "UnusableBase" ? this.reason.fetch : undefined
    const remedy = advised ?? "check `gh auth status`, or review with --base BRANCH"
    return `gh pr view ${this.number}: ${gitHubReasonText(this.reason)} [${remedy}]`
  }
}

export class GitHub extends Context.Service<GitHub, {
  /** The base branch of a pull request. Fails if HEAD at `root` leaves it at another commit than on GitHub. */
  readonly baseOf: (root: string, number: PrNumber) => Effect.Effect<BranchName, GitHubFailed>
}>()("ooda-codex-review/services/GitHub") {}
