// Submission: a pull request submitted to the fleet, as pure data, or one line why it is refused.
//
// A fleet is many workers over one PostgreSQL database. Nothing a worker knows is only in its memory, so it may die at
// any moment. What it does is one of two things, each taken from a queue that offers it again until it is done:
// - A turn (Turn) is a step of the run that does not wait. It reads the log, commits what it decides and ends. Two
//   turns at once are two steps at once: one statement moves the log's head from where the decision was made and
//   inserts the line. If the head is elsewhere it does nothing, and the turn is taken again.
// - A review (Executor) is delivered under a token. Taking it makes a new token, so only the newest holder can hand in.
//   The transcript, the verdict's files, the end and the wake-up of the run are one transaction under that token. A
//   delivery that is silent for a lease is offered to others; a review whose machine dies three times is lost.
//   (ReviewTaking takes one only when an account and this machine have a place for it.)
//
// The code is pinned (PinnedCode): what the submitted commits show is computed once and answers every question about
// the code from then on. A review counts only if its frozen copy (WorkingTrees) still shows exactly that. Strangers
// wrote the code: git runs without hooks, filters and settings, a fetch is bounded in bytes and time (Mirror), and
// reviewers see no secret of the fleet.
//
// Places of an account are locks of the database, freed by the server when a worker dies; the same death ends the
// reviewer, because its wrapper is tied to the worker. Nothing reaches git, a path or the database before it has passed
// here, and no refusal repeats a URL, which may hold a password.
import { Context, type Effect, Exit, Result, Schema, SchemaIssue } from "effect"
import { TargetProblem } from "../code/Git.ts"
import { exits } from "../platform/Failure.ts"
import type { TargetRef } from "../log/Refs.ts"
import { Identity } from "../run/Identity.ts"
import { Level } from "../run/Level.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import { bounds, defaults, isUpsideDown } from "../run/Settings.ts"
import { BranchName, CommitSha, PrNumber, targetKey } from "../run/Target.ts"
import { sha256 } from "../platform/Sha256.ts"
import { brief, cut } from "../text/Untrusted.ts"

const longestUrl = 500
const longestBranch = 200
/** The most reviews in parallel: more than any machine of a fleet has places for. */
export const mostReviewers = 32
const expectedUrl = "the URL of a repository, such as https://github.com/owner/name"

// A name whose last part begins with a letter is a domain; an address or a bare name is internal.
const host = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
const inside = /\.(local|localhost|internal|intranet|lan|home|corp|arpa)$/
const part = /^[A-Za-z0-9_~+@][A-Za-z0-9._~+@-]*$/

const pathProblem = (path: string): string | null =>
  path.split("/").every((one) => part.test(one))
    ? null
    : "the path of the URL has a part that is empty, begins with '.' or '-', or holds others than A-Z a-z 0-9 ._~+@-"

const httpsProblem = (rest: string): string | null => {
  const [authority = "", ...path] = rest.split("/")
  if (authority.includes("@")) return "a URL cannot hold a name or a password; give the token by the environment"
  const [name = "", port, ...more] = authority.split(":")
  if (!host.test(name) || inside.test(name)) return "the URL needs the domain name of a public host"
  if (more.length > 0 || (port !== undefined && (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > 65_535))) {
    return "the URL has no valid port"
  }
  return path.length === 0 ? "the URL names a host and no repository" : pathProblem(path.join("/"))
}

/** What is wrong with the canonical URL of a repository, or null. No answer repeats a part of it. */
export const urlProblem = (url: string): string | null => {
  if (url.length > longestUrl) return `a URL has at most ${longestUrl} characters`
  if (!/^[\x21-\x7e]*$/.test(url)) return "a URL cannot hold spaces, control characters or letters beyond ASCII"
  const [, scheme, rest = ""] = /^(https|file):\/\/(.*)$/.exec(url) ?? []
  switch (scheme) {
    case "https":
      return httpsProblem(rest)
    case "file":
      return rest.startsWith("/")
        ? pathProblem(rest.slice(1))
        : "a local repository is named from the root: file:///path"
    default:
      return "only https:// is fetched; the fleet runs no program that a URL names"
  }
}

/** The canonical form of a URL: its host in lower case, without redundant parts. */
export const canonicalUrl = (url: string): string => {
  const [, scheme, authority, path = ""] = /^(https):\/\/([^/]*)(\/.*)?$/i.exec(url) ?? []
  if (scheme === undefined || authority === undefined) return url.replace(/(?<=[^/:])\/+$/, "")
  return `https://${authority.toLowerCase().replace(/:443$/, "")}${path.replace(/\/+$/, "")}`
}

const RepositoryUrl = Schema.String.annotate({ expected: expectedUrl }).check(
  Schema.makeFilter((url: string) => urlProblem(url) ?? undefined)
)

// The commit id that servers report for a deleted branch.
const isNothing = (sha: string): boolean => /^0+$/.test(sha)

const Commit = CommitSha.annotate({ expected: "a full commit id of 40 hexadecimal digits in lower case" }).check(
  Schema.makeFilter((sha: string) => isNothing(sha) ? "names no commit" : undefined)
)

const Branch = BranchName.annotate({ expected: "the name of a branch" }).check(
  Schema.makeFilter((name: string) =>
    name.length > longestBranch
      ? `a branch name has at most ${longestBranch} characters`
      // Git would compare with that commit, and a review of a head against itself is clean.
      : /^([A-Z_]*HEAD|[0-9a-f]{40}|refs\/.*)$/.test(name)
      ? "git takes this name for a commit, not for a branch"
      : undefined
  )
)

const reviewers = `a whole number from ${bounds.reviewers.least} to ${mostReviewers}`
const Rung = Level.annotate({ expected: "low, medium, high or xhigh" })

/** A pull request at one head, against one commit of its base branch, and how far its reviews climb. */
export const Submission = Schema.Struct({
  repo: RepositoryUrl,
  pr: PrNumber.annotate({ expected: "the number of a pull request" }),
  head: Commit,
  base: Commit,
  /** The base branch, which reviewers find at `base`. */
  branch: Branch,
  floor: Rung.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.floor))),
  ceiling: Rung.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.ceiling))),
  batchSize: Schema.Number.annotate({ expected: reviewers }).check(
    Schema.makeFilter(
      (size: number) => Number.isInteger(size) && size >= bounds.reviewers.least && size <= mostReviewers,
      { expected: reviewers }
    )
  ).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.batchSize)))
}).check(
  Schema.makeFilter((one) =>
    isUpsideDown(one)
      ? "the ceiling lies below the floor"
      : one.head === one.base
      ? "head and base are the same commit; there is nothing to review"
      : undefined
  )
)
export type Submission = typeof Submission.Type

const decodeUnknown = Schema.decodeUnknownResult(Submission, { errors: "all", onExcessProperty: "error" })
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const withOneSpelling = (given: unknown): unknown =>
  typeof given === "object" && given !== null && "repo" in given && typeof given.repo === "string"
    ? { ...given, repo: canonicalUrl(given.repo) }
    : given

/** The submission, unless the fleet does not take it. `local`: whether it takes repositories on its own machines. */
export const allowed = (one: Submission, { local }: { readonly local: boolean }): Result.Result<Submission, string> =>
  local || !one.repo.startsWith("file:")
    ? Result.succeed(one)
    : Result.fail("repo: this fleet takes no repository of its own machines; only https:// is fetched")

/** A submission decoded from untrusted input, or one line that names every wrong field. */
export const decode = (given: unknown, rules: { readonly local: boolean }): Result.Result<Submission, string> =>
  decodeUnknown(withOneSpelling(given)).pipe(
    Result.mapError(({ issue }) =>
      issuesOf(issue).issues
        .map(({ message, path = [] }) => [...path.map((one) => brief(String(one), 40)), message].join(": "))
        .join("; ")
    ),
    Result.flatMap((one) => allowed(one, rules))
  )

/** The last part of a repository's URL, as a directory name. */
export const repoName = (repo: string): string => cut(/([^/]+?)(\.git)?$/.exec(repo)?.[1] ?? "repository", 60)

/** The `<repo-id>` of a repository, as clones compute it: the name, and digits of a digest of its URL. */
export const repoIdOf = (repo: string): string => `${repoName(repo)}-${sha256(repo).slice(0, 12)}`

/** The target of a submission in the store with this name. */
export const targetOf = (root: string, { pr, repo }: Submission): TargetRef => ({
  root,
  repoId: repoIdOf(repo),
  targetKey: targetKey({ _tag: "PullRequest", number: pr })
})

/** The name of a pull request, as `https://github.com/owner/name#12`. */
export interface TargetName {
  readonly repo: string
  readonly pr: number
}

/** The pull request that a text names, or what is wrong with it. No answer repeats a part of the text. */
export const targetNamed = (text: string): Result.Result<TargetName, string> => {
  const [, url = "", pr = ""] = /^(.*)#([1-9][0-9]{0,9})$/.exec(text) ?? []
  if (url === "") return Result.fail("expected a pull request, such as https://github.com/owner/name#12")
  const repo = canonicalUrl(url)
  const problem = urlProblem(repo)
  return problem === null ? Result.succeed({ repo, pr: Number(pr) }) : Result.fail(problem)
}

/** The target with that name in the store with this name. */
export const namedTarget = (root: string, { pr, repo }: TargetName): TargetRef => ({
  root,
  repoId: repoIdOf(repo),
  targetKey: targetKey({ _tag: "PullRequest", number: PrNumber.make(pr) })
})

/** A submission with its number among the submissions of its target, from 1, and its time in epoch milliseconds. */
export interface NumberedSubmission {
  readonly number: number
  readonly at: number
  readonly submission: Submission
}

/**
 * A submission with everything that its run asks of git. `worktree` is the path that the pull request's run has on
 * every machine, whatever head it reviews, and `tree` the path of this head's copy. `identity`, `problem` and the base
 * branch's `dismissals` follow from its commits.
 */
export const Pin = Schema.Struct({
  submission: Submission,
  worktree: Schema.String,
  tree: Schema.String,
  identity: Identity,
  problem: Schema.NullOr(TargetProblem),
  dismissals: Schema.String
})
export type Pin = typeof Pin.Type

/** The store does not accept this pull request. */
export class SubmissionRefused extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
  message: Schema.String
}) {
  readonly exitCode = exits.couldNot
}

export class Submissions extends Context.Service<Submissions, {
  /**
   * Submits to the store with this name. A repetition of the target's newest submission is not stored again, so a
   * duplicate message does no harm; `isNew` says whether it was stored. Durable when it returns.
   */
  readonly submit: (
    root: string,
    submission: Submission
  ) => Effect.Effect<NumberedSubmission & { readonly isNew: boolean }, StoreFailed>
  /** The submissions of a target, the newest first; at most `most`. */
  readonly of: (target: TargetRef, most: number) => Effect.Effect<ReadonlyArray<NumberedSubmission>, StoreFailed>
  /** Stores the pin of a target's submission with this number. The first pin stays. */
  readonly pin: (target: TargetRef, number: number, pinned: Pin) => Effect.Effect<void, StoreFailed>
  /** The pins of a target's submissions, the newest first. */
  readonly pins: (target: TargetRef) => Effect.Effect<ReadonlyArray<Pin>, StoreFailed>
}>()("ooda-codex-review/services/Submissions") {}
