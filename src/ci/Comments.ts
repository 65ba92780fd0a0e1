// Comments: the port to the one comment that this program has on a pull request.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { ProgramFault, programFaultText } from "../platform/SystemFault.ts"

/** Why the comment could not be written. */
export const CommentReason = Schema.Union([ProgramFault, Schema.TaggedStruct("Unreadable", {})])
export type CommentReason = typeof CommentReason.Type

const remedy = ({ _tag }: CommentReason, why: string): string => {
  if (_tag === "ProgramMissing") return "install gh"
  if (/rate limit/i.test(why)) return "post it again later: ooda-codex-review ci post"
  const [, status = ""] = /\bHTTP (\d{3})\b/.exec(why) ?? []
  if (status === "403" || status === "404") return "the job's token needs pull-requests: write"
  if (status === "401" || why.includes("gh auth login")) {
    return "check the token: github-token of the action, or GH_TOKEN"
  }
  return "post it again: ooda-codex-review ci post"
}

/** The comment could not be looked for or written. */
export class CommentFailed extends Schema.TaggedError<CommentFailed>()("CommentFailed", {
  number: Schema.Int,
  reason: CommentReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const { reason } = this
    const why = reason._tag === "Unreadable" ? "gh returned no list of comments" : programFaultText(reason)
    return `no comment on pull request ${this.number}: ${why} [${remedy(reason, why)}]`
  }
}

/**
 * The comment to write: its pull request, its author, the first line that identifies it, and the file with its text.
 */
export interface Comment {
  readonly repository: string
  readonly number: number
  readonly author: string
  readonly marker: string
  readonly file: string
}

export class Comments extends Context.Service<Comments, {
  /** Writes the comment, or replaces the author's comment that begins with the marker. */
  readonly put: (comment: Comment, cwd: string) => Effect.Effect<"created" | "updated", CommentFailed>
}>()("ooda-codex-review/services/Comments") {}
