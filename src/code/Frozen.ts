// Frozen: the code of a worktree at one moment, as a value.
//
// What reviewers read, what "unchanged since" means, and what undo brings back are about code as it was at one moment.
// That is a Frozen, which is made in one way (Freeze.live.ts):
//
// - Its paths come from walking the directories, its contents from reading the bytes. The user's index is believed for
//   no content, and no filter, line ending or encoding changes a byte. So `tree`, a git tree of raw blobs, is exactly
//   what lay there, and two moments have the same code if and only if they have the same tree.
// - Every path is frozen, skipped with a reason, or ignored by git's own rules. None is silently missing.
// - The objects lie in a private repository of the run, which borrows those of the user's. The worktree's settings are
//   not read there, so nothing that the code under review brings along runs.
//
// A Frozen can be laid out as a copy at a path of its own (Copy.live.ts). The reviewers of a strict run work there
// (Isolate.live.ts), and nothing changes it until they have ended. Then the copy is compared with what was laid out,
// and the worktree is frozen again: a verdict counts only if neither has changed. So reviewers cannot have read
// anything else, whatever happens in the worktree meanwhile.
//
// The rest of the folder:
// - `Git` is the port to all this. Its identity (Present.live) says what reviewers would see now, as one value to
//   record and compare. `Base.live` finds the commit to compare with, `GitHub` the base of a pull request.
// - `Snapshots` keeps a Frozen before and after each agent that may write, and `Undo` takes back what agents did, a
//   path at a time. `GitState.live` and `Protected.live` notice what else an agent changed.
// - `SafeGit.live` is how git is called so that nothing of the repository under review runs.
import type { CarriedRules } from "./Ignore.ts"
import type { Name } from "./Names.ts"

/** Why a path is not in the tree. Any reason but `Special` makes an undo incomplete. */
export type SkipReason =
  | { readonly _tag: "Unreadable"; readonly code: string }
  | { readonly _tag: "NameTooLong" }
  | { readonly _tag: "StillChanging" }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  | { readonly _tag: "Special"; readonly kind: string }

/** A path that is missing from the tree. */
export interface Skipped {
  readonly path: Name
  readonly reason: SkipReason
}

/** Why a path is skipped, in a few words. */
export const skipText = (reason: SkipReason): string => {
  switch (reason._tag) {
    case "Unreadable":
      return `it cannot be read (${reason.code})`
    case "NameTooLong":
      return "its path is too long"
    case "StillChanging":
      return "it changes while it is read"
    case "TooLarge":
      return `it is larger than 1 GiB (${reason.bytes} bytes)`
    case "Special":
      return `it is a ${reason.kind}`
  }
}

/** Whether a skipped path may hold code. Special files never do: they are only named. */
export const mayHoldCode = ({ reason }: Skipped): boolean => reason._tag !== "Special"

/** A repository within the worktree: a submodule, or one that git does not know. */
export interface NestedRepository {
  readonly path: Name
  /** The commit of its HEAD, read from its files; null if it has none or it cannot be read. */
  readonly head: string | null
  /** Its directory of objects; null without a git directory. */
  readonly objects: Name | null
  /** The entries of its index, in the form of `Frozen.index`. */
  readonly index: ReadonlyArray<string>
  /** Whether the worktree's index names it: a submodule. */
  readonly isSubmodule: boolean
}

/** The code of a worktree at one moment. */
export interface Frozen {
  /** The id of the tree, in hex. */
  readonly tree: string
  /** The commit of HEAD, null before the first one; and its branch's full name, null where it is detached. */
  readonly head: string | null
  readonly on: string | null
  /** The index, a line an entry as `git ls-files --stage -v` has it: `H 100644 <id> 0\t<path>`. */
  readonly index: ReadonlyArray<string>
  readonly nested: ReadonlyArray<NestedRepository>
  /** Whether the tree has a path that is in no index. */
  readonly untracked: boolean
  /** The ignore rules by their directory. */
  readonly rules: ReadonlyMap<Name, CarriedRules>
  readonly skipped: ReadonlyArray<Skipped>
  /** Paths in the tree whose names git's index refuses, such as `.GIT`. */
  readonly refusedByGit: ReadonlyArray<Name>
  /** The git directories and `.git` files within the worktree, except its own. */
  readonly gitDirectories: ReadonlyArray<Name>
  /** Other worktrees of the repository that lie in this one, and are no part of the code. */
  readonly otherWorktrees: ReadonlyArray<Name>
  /** Files and directories that engines obey although git ignores them. */
  readonly ignored: ReadonlyArray<Name>
}

/** One entry of an index. */
export interface IndexEntry {
  /**
   * `H`, or `S` for skip-worktree; lower case for assume-unchanged; others as in `git ls-files -t`; `I`: intent to add.
   */
  readonly flag: string
  readonly mode: string
  readonly id: string
  readonly stage: string
  readonly path: Name
}

/** Whether a line of an index is about a file that is absent on purpose, as in a sparse checkout (skip-worktree). */
export const isAbsent = (line: string): boolean => /^s/i.test(line)

/** Reads a line of an index. */
export const indexEntry = (line: string): IndexEntry => {
  const tab = line.indexOf("\t")
  const [flag = "", mode = "", id = "", stage = ""] = line.slice(0, tab).split(" ")
  return { flag, mode, id, stage, path: line.slice(tab + 1) }
}
