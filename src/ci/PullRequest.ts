// PullRequest: what the event of a workflow says about its pull request, if it has one.
// In doubt the change is a stranger's: a head whose repository is unknown counts as a fork.
import { Result, Schema } from "effect"
import { exits } from "../platform/Failure.ts"

const Name = Schema.String.check(Schema.isPattern(/^[\w.-]{1,100}\/[\w.-]{1,100}$/))
const Sha = Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}$/))
const Number = Schema.Int.check(Schema.isGreaterThan(0))

const Event = Schema.Struct({
  pull_request: Schema.Struct({
    number: Number,
    head: Schema.Struct({ repo: Schema.NullOr(Schema.Struct({ full_name: Name })) }),
    base: Schema.Struct({ ref: Schema.String, sha: Sha, repo: Schema.Struct({ full_name: Name }) })
  })
})

/** A pull request: its repository, its base, and whether it comes from a fork. */
export interface PullRequest {
  readonly number: number
  readonly repository: string
  readonly base: { readonly branch: string; readonly sha: string }
  readonly isFork: boolean
}

const decode = Schema.decodeUnknownResult(Event)
const isAbout = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "pull_request" in event && event.pull_request !== null

/** The pull request of an event, null if it has none, or one line why it cannot be read. */
export const pullRequestOf = (event: unknown): Result.Result<PullRequest | null, string> => {
  if (!isAbout(event)) return Result.succeed(null)
  return Result.mapBoth(decode(event), {
    onFailure: () => "the event is about a pull request, but does not hold its number, base and repositories",
    onSuccess: ({ pull_request: { base, head, number } }) => ({
      number,
      repository: base.repo.full_name,
      base: { branch: base.ref, sha: base.sha },
      isFork: head.repo?.full_name !== base.repo.full_name
    })
  })
}

/** A step of a workflow that cannot do what it was called for. */
export class JobRefused extends Schema.TaggedError<JobRefused>()("JobRefused", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}
