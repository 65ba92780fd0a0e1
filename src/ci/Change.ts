// Change: what the event of a workflow says about the change: what it is compared with, which commit is trusted, and
// whether it is a stranger's. In doubt it is: a head whose repository is unknown, and an event that does not say whose
// the change is, count as a fork's.
import { Option, Result, Schema } from "effect"
import { exits } from "../platform/Failure.ts"

const Name = Schema.String.check(Schema.isPattern(/^[\w.-]{1,100}\/[\w.-]{1,100}$/))
const Sha = Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}$/))
const Number = Schema.Int.check(Schema.isGreaterThan(0))

const OfPullRequest = Schema.Struct({
  pull_request: Schema.Struct({
    number: Number,
    head: Schema.Struct({ repo: Schema.NullOr(Schema.Struct({ full_name: Name })) }),
    base: Schema.Struct({ ref: Schema.String, sha: Sha, repo: Schema.Struct({ full_name: Name }) })
  })
})
const OfMergeGroup = Schema.Struct({
  merge_group: Schema.Struct({
    base_sha: Sha,
    base_ref: Schema.String.check(Schema.isPattern(/^refs\/heads\/./))
  })
})
const OfPush = Schema.Struct({ before: Sha })
const OfRepository = Schema.Struct({ repository: Schema.Struct({ default_branch: Schema.String }) })

/** A pull request, and its repository. */
export interface PullRequest {
  readonly number: number
  readonly repository: string
}

/** The change of a job. */
export interface Change {
  readonly pull: PullRequest | null
  /** Whether it counts as a stranger's. */
  readonly isFork: boolean
  /** The branch that it is compared with; null if the event names none. */
  readonly base: string | null
  /** The commit whose files are trusted: `Base` as the event names it, `Push` the one before a push, or the default branch. */
  readonly trusts: { readonly _tag: "Base" | "Push"; readonly sha: string } | null
  readonly defaultBranch: string | null
}

// Whoever starts these may write to the repository.
const own: ReadonlySet<string | null> = new Set(["push", "schedule", "workflow_dispatch", "repository_dispatch"])

const has = (event: unknown, field: string): boolean =>
  typeof event === "object" && event !== null &&
  (Object.entries(event).find(([name]) => name === field)?.[1] ?? null) !== null

/** The change that an event is about, by the name of the event, or one line why it cannot be read. */
export const changeOf = (name: string | null, event: unknown): Result.Result<Change, string> => {
  const read = <A>(schema: Schema.Codec<A, unknown>) => Option.getOrNull(Schema.decodeUnknownOption(schema)(event))
  const defaultBranch = read(OfRepository)?.repository.default_branch ?? null
  const other: Change = { pull: null, isFork: !own.has(name), base: null, trusts: null, defaultBranch }
  if (has(event, "pull_request")) {
    const { base, head, number } = read(OfPullRequest)?.pull_request ?? {}
    if (base === undefined || head === undefined || number === undefined) {
      return Result.fail("the event is about a pull request, but does not hold its number, base and repositories")
    }
    const repository = base.repo.full_name
    const isFork = head.repo?.full_name !== repository
    const trusts = { _tag: "Base", sha: base.sha } as const
    return Result.succeed({ ...other, pull: { number, repository }, isFork, base: base.ref, trusts })
  }
  if (name === "merge_group") {
    const group = read(OfMergeGroup)?.merge_group
    return group === undefined
      ? Result.fail("the event is about a merge group, but does not hold its base")
      : Result.succeed({
        ...other,
        base: group.base_ref.replace("refs/heads/", ""),
        trusts: { _tag: "Base", sha: group.base_sha }
      })
  }
  const before = name === "push" ? read(OfPush)?.before : undefined
  return Result.succeed(before === undefined ? other : { ...other, trusts: { _tag: "Push", sha: before } })
}

/** A step of a workflow that cannot do what it was called for. */
export class JobRefused extends Schema.TaggedError<JobRefused>()("JobRefused", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}
