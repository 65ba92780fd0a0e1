// GitHub: the port to a pull request's base branch.
// The answer is held to the same rules as a branch from the command line.
import { Context, type Effect, Schema } from "effect"
import type { BranchName, PrNumber } from "../core/run/Target.ts"
import { ProgramFault, programFaultText } from "./ProgramFault.ts"

/** Why there is no base: `gh` gave no answer, or its answer is no usable branch name. */
export const GitHubReason = Schema.Union([
  ProgramFault,
  Schema.TaggedStruct("UnusableBase", { problem: Schema.String })
])
export type GitHubReason = typeof GitHubReason.Type

const gitHubReasonText = (reason: GitHubReason): string =>
  reason._tag === "UnusableBase"
    ? `answered with an unusable base branch: ${reason.problem}`
    : programFaultText(reason)

/** `gh` is missing, failed, took longer than 30 s, or named no usable branch. */
export class GitHubFailed extends Schema.TaggedError<GitHubFailed>()("GitHubFailed", {
  number: Schema.Int,
  reason: GitHubReason
}) {
  override get message() {
    return `gh pr view ${this.number}: ${gitHubReasonText(this.reason)} [see to gh, or review with --base BRANCH]`
  }
}

export class GitHub extends Context.Service<GitHub, {
  /** The base branch of a pull request of the repository at `root`. */
  readonly baseOf: (root: string, number: PrNumber) => Effect.Effect<BranchName, GitHubFailed>
}>()("ooda-codex-review/services/GitHub") {}
