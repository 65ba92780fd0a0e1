// Git: the port to the repository under review.
// It only reads: no question asked here writes into the repository.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { goInside, isNoRepository } from "../platform/GitComplaint.ts"
import { shellWord } from "../text/Phrases.ts"
import type { Identity, KnownIdentity } from "../run/Identity.ts"
import { BranchName, CommitSha, type Target } from "../run/Target.ts"
import type { Name } from "./Names.ts"
import { ProgramFault } from "../platform/SystemFault.ts"
import { type CodeFailed, gitFaultText } from "./CodeFailed.ts"
import type { RunRef } from "../log/Refs.ts"

/** git could not answer: not installed, not a repository, a broken one. `what` names the question. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  what: Schema.String,
  reason: ProgramFault
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return gitFaultText(this.what, this.reason)
  }
  get plain() {
    const isOutside = this.reason._tag === "ProgramFailed" && isNoRepository(this.reason.said)
    return isOutside ? `this directory is not in a git repository [${goInside}]` : this.message
  }
}

/** What is wrong with a target: it cannot be resolved here, or there is nothing to review. */
export const TargetProblem = Schema.Union([
  Schema.TaggedStruct("BaseUnknown", {}),
  Schema.TaggedStruct("BaseUnresolved", {
    branch: BranchName,
    /** Whether the repository has a remote, from which the branch may be fetched. */
    remote: Schema.Boolean,
    meant: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("NoCommonAncestor", { branch: BranchName }),
  Schema.TaggedStruct("SameAsBase", { branch: BranchName }),
  Schema.TaggedStruct("CommitUnresolved", { sha: CommitSha }),
  Schema.TaggedStruct("CommitEmpty", { sha: CommitSha }),
  Schema.TaggedStruct("NothingUncommitted", {})
])
export type TargetProblem = typeof TargetProblem.Type

/** The refspec that fetches a branch: a remote branch is kept where its name is looked up. */
const refspec = (branch: BranchName): string =>
  branch.startsWith("origin/") ? `${branch.slice("origin/".length)}:refs/remotes/${branch}` : `${branch}:${branch}`

/** The problem of a target in one line. */
export const targetProblemText = (problem: TargetProblem): string => {
  switch (problem._tag) {
    case "BaseUnknown":
      return "the pull request's base branch is not known [log in with gh, or review with --base BRANCH]"
    case "BaseUnresolved": {
      const { branch, meant, remote } = problem
      const hints = [
        ...(remote
          ? [`git fetch origin ${shellWord(refspec(branch))}`]
          : meant === undefined
          ? ["git branch lists all"]
          : []),
        ...(/^[0-9a-f]{4,39}$/.test(branch) ? ["of a commit, use the full id"] : [])
      ]
      return `base branch ${branch} cannot be resolved in this repository` +
        (meant === undefined ? "" : `; did you mean ${meant}?`) +
        (hints.length === 0 ? "" : ` [${hints.join("; ")}]`)
    }
    case "NoCommonAncestor":
      return `HEAD and base branch ${problem.branch} have no common ancestor ` +
        "[name another --base; where the clone is shallow: git fetch --unshallow]"
    case "SameAsBase":
      return `nothing to review: no difference from base branch ${problem.branch} [change something first]`
    case "CommitUnresolved":
      return `commit ${problem.sha} is not in this repository [fetch it first]`
    case "CommitEmpty":
      return `nothing to review: commit ${problem.sha} changes nothing [name another]`
    case "NothingUncommitted":
      return "nothing to review: the working tree has no uncommitted changes [change something first]"
  }
}

/**
 * A target to isolate: `base` is the branch it is compared with, `link` which ignored files are linked, `trust` the
 * commit whose instructions count, if the run names one.
 */
export interface ToIsolate {
  readonly target: Target
  readonly base: BranchName | null
  readonly link: ReadonlyArray<string>
  readonly trust: string | null
}

/**
 * A run for which an identity is computed, by its id in the open store. It has frozen this code before, so only files
 * are read whose times or sizes changed, or all with `rereads`.
 */
export interface AskingRun {
  readonly id: string
  readonly rereads?: boolean
  /** Whether its reviewers obey the instructions of a pull request's base, which may change while the run goes on. */
  readonly obeysBase?: boolean
}

/** A frozen copy: where it was made, and the identity of what reviewers see in it. */
export interface Isolated {
  readonly place: string
  readonly identity: KnownIdentity
}

/** What is shown of a target before it is reviewed. */
export interface Overview {
  /** How much is committed since the base; null without a base, or if git cannot say. */
  readonly extent: { readonly files: number; readonly added: number; readonly removed: number } | null
  /** The submodules that are not checked out, as text. */
  readonly absent: ReadonlyArray<string>
  /** Why git cannot read HEAD or the index of the repository, or null. */
  readonly problem: string | null
}

/** A repository as seen from one of its worktrees: the root of that worktree, and the `<repo-id>`. */
export interface Repository {
  readonly root: string
  readonly id: string
}

/** Whether an id names one repository only: without a remote, all directories of the same name share it. */
export const isUnique = ({ id }: Pick<Repository, "id">): boolean => !id.endsWith("-noremote")

export class Git extends Context.Service<Git, {
  /** The repository around a directory. */
  readonly repository: (cwd: string) => Effect.Effect<Repository, GitFailed>
  /** The id of the commit that a revision names, or null where it names none. Fails where a branch is ambiguous. */
  readonly commit: (root: string, revision: string) => Effect.Effect<string | null, GitFailed>
  /** The merge base of two commits by their ids, or null without one. */
  readonly mergeBase: (root: string, one: string, other: string) => Effect.Effect<string | null, GitFailed>
  /** The branch that is checked out in a worktree; null where HEAD is detached. */
  readonly branch: (root: string) => Effect.Effect<string | null>
  /** Whether a worktree still exists. */
  readonly exists: (worktree: string) => Effect.Effect<boolean>
  /** Whether the private repository of a batch still exists. */
  readonly isIsolated: (place: string) => Effect.Effect<boolean>
  /** What a target's review would see now, within IdentityTimeout; `base` is a pull request's resolved base. */
  readonly identity: (
    root: string,
    target: Target,
    base: BranchName | null,
    run?: AskingRun
  ) => Effect.Effect<Identity>
  /** The paths of which the index holds neither what HEAD does nor what the files do: code that nobody has seen. */
  readonly stagedApart: (root: string) => Effect.Effect<ReadonlyArray<Name>, GitFailed>
  /**
   * The files and links of a worktree whose content or mode was changed after a moment (epoch milliseconds), changed
   * back or not. Without such a file, the directories whose entries were. Empty also if that is unknown.
   */
  readonly changedAfter: (root: string, moment: number) => Effect.Effect<ReadonlyArray<string>>
  /** How large a change is, and which submodules no reviewer will see. Never fails. */
  readonly overview: (root: string, target: Target, base: BranchName | null) => Effect.Effect<Overview>
  /** Freezes what the worktree at `root` shows of a target now, and lays it out for reviewers to read. */
  readonly isolate: (root: string, run: RunRef, what: ToIsolate) => Effect.Effect<Isolated, CodeFailed>
  /** The paths where the copy at `place` differs from what was laid out; null without such a copy. */
  readonly changesIn: (
    root: string,
    run: RunRef,
    place: string
  ) => Effect.Effect<ReadonlyArray<string> | null, CodeFailed>
  /** Why code cannot be compared with a branch, or null. Fails where its name is ambiguous. */
  readonly baseProblem: (root: string, branch: BranchName) => Effect.Effect<TargetProblem | null, GitFailed>
  /** The same for a target with `--strict-target`, which must also hold something to review. */
  readonly targetProblem: (
    root: string,
    target: Target,
    base: BranchName | null
  ) => Effect.Effect<TargetProblem | null, GitFailed>
}>()("ooda-codex-review/services/Git") {}
