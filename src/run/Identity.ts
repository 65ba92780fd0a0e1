// Identity: the input of a reviewer at one moment, and whether two moments show the same.
import { Schema } from "effect"
import { oneLine, someNames } from "../text/Untrusted.ts"

const Id = Schema.NullOr(Schema.String)

/**
 * The input of a reviewer. What git could not find out is missing. Commits and trees are git's ids. Logs of earlier
 * versions lack the optional fields: `sameInput` skips a field that is missing on one side, `undisturbed` does not.
 */
const seen = {
  /** The tree of HEAD; null before the first commit. */
  headTree: Schema.optionalKey(Id),
  /** sha256 of `git ls-files --stage`. */
  index: Schema.optionalKey(Schema.String),
  /** The tree that the index would commit; null while paths are unmerged. */
  indexTree: Schema.optionalKey(Id),
  /** Whether the working copy has untracked files, or may differ from the index unseen. */
  untracked: Schema.optionalKey(Schema.Boolean),
  /** sha256 over the submodules and nested repositories, each with its own HEAD, index and files; "" for none. */
  nested: Schema.optionalKey(Schema.String),
  /** Other worktrees of the repository inside of this one, which are left out; absent without any. */
  otherWorktrees: Schema.optionalKey(Schema.Array(Schema.String)),
  /** sha256 over the instructions that reviewers obey in a copy, as they were before the change; "" for none. */
  instructions: Schema.optionalKey(Schema.String),
  /** The commit that codex compares with; present only for targets with a base branch, null if missing. */
  mergeBase: Schema.optionalKey(Id),
  /** The base branch of a pull request, which may change. */
  branch: Schema.optionalKey(Schema.String),
  /**
   * sha256 over the inodes and times of all files and of their directories, so that a change that was undone gives
   * another digest. Earlier versions left the directories out.
   */
  stamps: Schema.optionalKey(Schema.String),
  /**
   * sha256 of git's note on the last move of HEAD, or, if git keeps none, of the times of the file that names its
   * commit.
   */
  moved: Schema.optionalKey(Schema.String),
  /** The same for the move before that; present only if git keeps notes. */
  movedBefore: Schema.optionalKey(Schema.String),
  /** sha256 of the times of the files that name HEAD's commit. */
  held: Schema.optionalKey(Schema.String),
  /** sha256 of the last moves of the base branch and of its upstream. */
  baseMoved: Schema.optionalKey(Schema.String),
  /** sha256 over everything that decides how git shows code: settings, attributes, replaced objects. */
  view: Schema.optionalKey(Schema.String),
  /** sha256 of the times of the files with those settings. */
  viewMoved: Schema.optionalKey(Schema.String),
  /** sha256 of the times of the index, whose flags hide changes of files. */
  indexMoved: Schema.optionalKey(Schema.String)
}

/** The reviewed input: the commits, the index and the files at one moment, or why git could not find them all. */
export const Identity = Schema.TaggedUnion({
  Known: { head: Id, tree: Id, base: Id, ...seen },
  Unknown: {
    why: Schema.String,
    head: Schema.optionalKey(Id),
    tree: Schema.optionalKey(Id),
    base: Schema.optionalKey(Id),
    ...seen
  }
})
export type Identity = typeof Identity.Type

/** A completely known identity. */
export type KnownIdentity = Extract<Identity, { readonly _tag: "Known" }>

/** The result of comparing two identities. `Unknown`: no difference is known, but not everything is known. */
type Sameness = "Same" | "Different" | "Unknown"

type Field = Exclude<keyof Extract<Identity, { readonly _tag: "Unknown" }>, "_tag" | "why">

const both = (then: Identity, now: Identity, field: Field): boolean =>
  then[field] !== undefined && now[field] !== undefined

const apart = (then: Identity, now: Identity, field: Field): boolean =>
  both(then, now, field) && then[field] !== now[field]

/** Whether the reviewed code has since been committed unchanged. Then the index differs, but shows nothing new. */
const committed = (then: Identity, now: Identity): boolean =>
  then.untracked === false && typeof then.tree === "string" &&
  now.headTree === then.tree && now.indexTree === then.tree && now.tree === then.tree

const compared = (then: Identity, now: Identity): ReadonlyArray<Field> => {
  // A version that recorded no index compared the commits themselves.
  if (!both(then, now, "index")) return ["head", "tree", "base", "branch", "view", "instructions"]
  if (!both(then, now, "mergeBase")) {
    return ["head", "index", "tree", "nested", "base", "branch", "view", "instructions"]
  }
  // Without a recorded merge base codex looks for one by itself, so only the commit of the branch can be compared.
  const base: Field = then.mergeBase === null && now.mergeBase === null ? "base" : "mergeBase"
  const fields: ReadonlyArray<Field> = [base, "branch", "tree", "nested", "view", "instructions"]
  return committed(then, now) ? fields : [...fields, "index"]
}

const judged = (then: Identity, now: Identity, fields: ReadonlyArray<Field>): Sameness =>
  fields.some((field) => apart(then, now, field))
    ? "Different"
    : then._tag === "Known" && now._tag === "Known"
    ? "Same"
    : "Unknown"

/**
 * Whether a reviewer who saw `then` would see the same `now`: the commit to compare with, HEAD for uncommitted changes,
 * the index, the files, the repositories in it, the instructions. `then` and `now` cannot be swapped: committing what
 * was reviewed against a base changes nothing, but undoing that commit may.
 */
export const sameInput = (then: Identity, now: Identity): Sameness => judged(then, now, compared(then, now))

// If only a commit of the reviewed code moved HEAD, a reviewer who compares with a base sees nothing new.
const committedMeanwhile = (began: Identity, completed: Identity): boolean =>
  began.mergeBase !== undefined && committed(began, completed) &&
  began.moved !== undefined && completed.movedBefore === began.moved

/**
 * Whether a reviewer that read the worktree from `began` to `completed` saw the same input all the time: no file, HEAD
 * or base was changed and changed back. A note that only one of the two identities has counts as a change.
 */
export const undisturbed = (began: Identity, completed: Identity): boolean =>
  sameInput(began, completed) === "Same" && began.stamps === completed.stamps &&
  began.baseMoved === completed.baseMoved && !apart(began, completed, "viewMoved") &&
  ((began.moved === completed.moved && began.held === completed.held && !apart(began, completed, "indexMoved")) ||
    committedMeanwhile(began, completed))

/** Whether the files are the same, whatever was committed or staged meanwhile. */
export const sameContent = (then: Identity, now: Identity): Sameness => judged(then, now, ["tree", "nested"])

/** Whether a reviewer's input is known to differ from the present one, apart from staging and settings of git. */
export const differs = (then: Identity, now: Identity): boolean =>
  judged(then, now, compared(then, now).filter((field) => field !== "index" && field !== "view")) === "Different"

/** Whether there may be something to commit. An unknown identity counts as yes. */
export const isUncommitted = ({ _tag, headTree, indexTree = headTree, tree, untracked }: Identity): boolean =>
  _tag === "Unknown" || untracked === true || (headTree !== undefined && (tree !== headTree || indexTree !== headTree))

const objectId = /^[0-9a-f]{40}/
const short = (id: string): string => objectId.test(id) ? id.slice(0, 12) : oneLine(id)
const named = (name: string, id: string | null): string => id === null ? "" : `, ${name} ${short(id)}`

/** A line that names what a worktree holds and reviewers do not see; none without it. */
export const leftOut = ({ otherWorktrees: names }: Identity): ReadonlyArray<string> =>
  names === undefined ? [] : [`left out as another worktree of this repository: ${someNames(names.map(oneLine))}`]

/**
 * Whether a worktree inside of this one may come and go: other sessions of Claude Code put theirs there, and nothing of
 * the change.
 */
export const isSessionWorktree = (path: string): boolean => path.startsWith(".claude/worktrees/")

/**
 * How the code that reviewers compare with, or leave out, is now another than `began`; null if it is the same, or is not
 * known. `withHead`: they compare with HEAD, else with the merge base, if there is one.
 */
export const comparedMoved = (began: Identity, now: Identity, withHead: boolean) => {
  const [then, to] = [began, now].map(({ head, mergeBase }) => withHead ? head : mergeBase)
  const known = new Set(began.otherWorktrees)
  const gone = (now.otherWorktrees ?? []).filter((path) => !known.has(path) && !isSessionWorktree(path))
  const isSame = then === undefined || to === undefined || then === to
  if (isSame && gone.length === 0) return null
  return { from: then ?? "none", to: (to ?? "none") + gone.map((path) => ` without ${oneLine(path)}`).join("") }
}

/** An identity for people: the tree, its HEAD commit, and the base's commit. */
export const identityText = (identity: Identity): string => {
  if (identity._tag === "Unknown") return `unknown (${oneLine(identity.why)})`
  const { base, head, tree } = identity
  const text = named("tree", tree) + named(tree === null ? "commit" : "HEAD", head) + named("base", base)
  return text === "" ? "an empty repository" : text.slice(2)
}
