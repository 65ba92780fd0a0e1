// Present.live: what a review of a target would see now, as one value to record and compare.
//
// The identity covers everything that a copy is made from: the frozen tree, HEAD, the index, the repositories within,
// the commit to compare with, and whatever decides how git shows all that. Two moments with the same identity give the
// same copy. If a target has a base, committing exactly what was reviewed changes nothing that reviewers see.
import { createHash } from "node:crypto"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { removeTree } from "../platform/Files.ts"
import type { Identity, KnownIdentity } from "../run/Identity.ts"
import { takeFitting } from "../run/LongText.ts"
import type { BranchName, Target } from "../run/Target.ts"
import { type Base, baseOf, commitOf, mergeBaseOf, noBase } from "./Base.live.ts"
import { type CodeFailed, refused } from "./CodeFailed.ts"
import { changedFrom } from "./Committed.live.ts"
import { viewSettings } from "./CopyGit.live.ts"
import { freeze, type FreezeOptions } from "./Freeze.live.ts"
import { type Frozen, indexEntry, isAbsent, mayHoldCode, skipText } from "./Frozen.ts"
import { type Name, shownName } from "./Names.ts"
import { latin1Of, pathOf, withIndex } from "./Nested.live.ts"
import { plainText, type Repository } from "./Repository.live.ts"
import { ours, parts } from "./SafeGit.live.ts"
import { entriesOf, quotedAlternate, scratchPath, type Store, treeOf, tryFiles } from "./Store.live.ts"
import { cut } from "../text/Untrusted.ts"

const sha256 = (texts: Iterable<string>): string => {
  const sum = createHash("sha256")
  // The length before each text keeps adjacent texts apart.
  for (const text of texts) sum.update(`${text.length}:`).update(text, "latin1")
  return sum.digest("hex")
}

/** Whether the files of a submodule differ from its index. */
const dirtySubmodules = Effect.fnUntraced(function*(store: Store, { nested, tree }: Frozen) {
  const submodules = nested.filter(({ head, isSubmodule }) => isSubmodule && head !== null)
  if (submodules.length === 0) return false
  const entries = yield* entriesOf(store, tree)
  return submodules.some(({ index, path }) => {
    const lines = index.filter((line) => !line.startsWith("160000", 2))
    const isSame = (line: string) => {
      const tab = line.indexOf("\t")
      const [, mode, id] = line.slice(0, tab).split(" ")
      const found = entries.get(`${path}/${line.slice(tab + 1)}`)
      return found !== undefined && found.id === id && found.mode === mode
    }
    const files = [...entries.keys()].filter((name) => name.startsWith(`${path}/`)).length
    return files !== lines.length || !lines.every(isSame)
  })
})

/** Whether the index holds exactly what HEAD does. */
const isUnstaged = (store: Store, head: string) =>
  withIndex(store, latin1Of(store.repository.index), (index) =>
    index === null
      ? Effect.succeed(false)
      : Effect.map(
        ours({ gitDirectory: store.dir, index }, ["diff-index", "--cached", "--quiet", head, "--"], {
          accept: [0, 1]
        }),
        ({ code }) => code === 0
      ))

/**
 * The frozen code of a commit: its files, and an index that holds them. Its author chose their names: no name may be
 * one that some file system takes for `.git`.
 */
export const frozenCommit = Effect.fnUntraced(function*(store: Store, sha: string) {
  const commit = yield* commitOf(store, sha)
  if (commit === null) return yield* refused(`commit ${sha} is not in this repository [fetch it first]`)
  const tree = yield* treeOf(store, commit)
  const own = { gitDirectory: store.dir, index: scratchPath(store, "index") }
  const names = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]
  yield* ours(own, [...names, "read-tree", commit], { input: "" })
  const listed = yield* ours(own, ["ls-files", "--stage", "-v", "-z"], { input: "" })
  yield* tryFiles(store.dir, () => removeTree(own.index))
  return {
    tree,
    head: commit,
    on: null,
    index: parts(listed.out),
    nested: [],
    untracked: false,
    rules: new Map(),
    skipped: [],
    refusedByGit: [],
    gitDirectories: [],
    otherWorktrees: [],
    ignored: []
  } satisfies Frozen
})

/**
 * Whether HEAD holds the present code, so that nothing is uncommitted except within submodules: exactly, or as far as
 * git would show.
 */
const isCommitted = Effect.fnUntraced(
  function*(store: Store, frozen: Frozen, headTree: string | null, which: "Exact" | "Shown") {
    if (headTree === null || frozen.untracked || !(yield* isUnstaged(store, headTree))) return false
    return frozen.tree === headTree || (yield* changedFrom(store, frozen, headTree, which)).length === 0
  }
)

/** The tree of HEAD; null before the first commit. */
const headTreeOf = (store: Store, { head }: Frozen) =>
  head === null ? Effect.succeed<string | null>(null) : treeOf(store, head)

/** The paths whose present content HEAD lacks, or the HEAD of the submodule that they are in, whatever an index says. */
export const uncommittedIn = Effect.fnUntraced(function*(store: Store, frozen: Frozen) {
  const headTree = yield* headTreeOf(store, frozen)
  const left = headTree === null
    ? []
    : [...yield* changedFrom(store, frozen, headTree, "Shown")].map(({ path }) => path)
  const within: Array<Name> = []
  for (const { head, isSubmodule, objects, path } of frozen.nested) {
    if (!isSubmodule || head === null || objects === null) continue
    const alternates = join(store.dir, "objects/info/alternates")
    yield* tryFiles(alternates, () => appendFileSync(alternates, `${quotedAlternate(pathOf(objects).toString())}\n`))
    const changed = yield* changedFrom(store, frozen, head, "Shown", path)
    if (changed.length > 0) within.push(path)
    left.push(...changed.map((one) => one.path))
  }
  return { left, within }
})

/** Whether a review of uncommitted changes has something to look at. */
export const isUnchanged = Effect.fnUntraced(function*(store: Store, frozen: Frozen) {
  if (frozen.head === null) return (yield* entriesOf(store, frozen.tree)).size === 0
  return (yield* isCommitted(store, frozen, yield* headTreeOf(store, frozen), "Shown")) &&
    !(yield* dirtySubmodules(store, frozen))
})

/** Whether git would show no difference from a commit. Untracked files do not count. */
export const isSameAs = Effect.fnUntraced(function*(store: Store, frozen: Frozen, commit: string) {
  const changed = yield* changedFrom(store, frozen, commit, "Shown")
  const tracked = new Set(frozen.index.map((line) => indexEntry(line).path))
  return !changed.some(({ path, status }) => status !== "A" || tracked.has(path)) &&
    !(yield* dirtySubmodules(store, frozen))
})

// The identity

/** What decides how git shows code, beside the code itself. */
const viewOf = ({ attributes, common, excludes, settings }: Repository): string =>
  sha256([
    ...viewSettings.map((name) => `${name}=${settings.get(name) ?? ""}`),
    ...[excludes, join(common, "info/exclude"), attributes, join(common, "info/attributes")].map(plainText)
  ])

/**
 * The lines of an index without flags: a flag hides changes and is not in a copy. Files absent on purpose stay absent.
 */
const linesOf = (index: ReadonlyArray<string>): ReadonlyArray<string> =>
  index.map((line) => `${isAbsent(line) ? "S" : " "}${line.slice(2)}`)

/**
 * Whether git may hide a difference between the files and the index: files are absent on purpose, or their modes are
 * not kept. A commit may then hold what no reviewer saw.
 */
const hidesChanges = ({ repository: { settings } }: Store, { index }: Frozen): boolean =>
  settings.get("filemode") === "false" || settings.get("symlinks") === "false" ||
  index.some(isAbsent)

/** The repositories within; a submodule that is not checked out holds nothing. */
const nestedOf = (frozen: Frozen): string => {
  const nested = frozen.nested.filter(({ head, index }) => head !== null || index.length > 0)
  return nested.length === 0
    ? ""
    : sha256(nested.flatMap(({ head, index, isSubmodule, path }) => [
      path,
      head ?? "",
      String(isSubmodule),
      ...(isSubmodule ? linesOf(index) : [])
    ]))
}

/** Fails for the first path that may hold code and is not in the tree. */
const checkWhole = ({ skipped }: Frozen) => {
  const [first, ...more] = skipped.filter(mayHoldCode)
  if (first === undefined) return Effect.void
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`
  const remedy = first.reason._tag === "Unreadable" ? "make it readable, or have git ignore it" : "have git ignore it"
  return Effect.fail(refused(`${shownName(first.path)}${others}: ${skipText(first.reason)} [${remedy}]`))
}

/** The branch that a target is compared with; `base` is a pull request's resolved base. */
export const comparedBranch = (target: Target, base: BranchName | null): BranchName | null =>
  target._tag === "Base" ? target.branch : base

/** The code now, and what reviewers of a target would see in a copy of it. */
export interface Present {
  readonly frozen: Frozen
  readonly base: Base
  readonly identity: KnownIdentity
}

/** Freezes a worktree: the code, and what reviewers of a target would see. */
export const presentOf = Effect.fn("Present.presentOf")(function*(
  store: Store,
  target: Target,
  branch: BranchName | null,
  options: FreezeOptions
) {
  const base = branch === null ? noBase : yield* baseOf(store, branch)
  const frozen = yield* freeze(store, { ...options, having: [base.commit, base.mergeBase] })
  yield* checkWhole(frozen)
  const headTree = yield* headTreeOf(store, frozen)
  const committed = yield* isCommitted(store, frozen, headTree, "Exact")
  const identity: KnownIdentity = {
    _tag: "Known",
    head: frozen.head,
    tree: frozen.tree,
    // The committed form of a file may differ, so that trees differ though nothing is changed.
    headTree: committed ? frozen.tree : headTree,
    index: sha256(linesOf(frozen.index)),
    indexTree: committed ? frozen.tree : null,
    untracked: frozen.untracked || hidesChanges(store, frozen),
    nested: nestedOf(frozen),
    view: viewOf(store.repository),
    ...(frozen.otherWorktrees.length === 0
      ? {}
      : { otherWorktrees: takeFitting(frozen.otherWorktrees.map(shownName), 4_000) }),
    ...basePart(target, branch, base)
  }
  return { frozen, base, identity } satisfies Present
})

const basePart = (target: Target, branch: BranchName | null, { commit, mergeBase }: Base) =>
  branch === null
    ? { base: null }
    : { base: commit, mergeBase, ...(target._tag === "PullRequest" ? { branch } : {}) }

/** What reviewers would see in a copy of `head` whose branch `branch` is at `commit`: the same in every repository. */
export const presentAt = Effect.fn("Present.presentAt")(
  function*(store: Store, target: Target, branch: BranchName, head: string, commit: string) {
    const frozen = yield* frozenCommit(store, head)
    const { tree } = frozen
    const index = sha256(linesOf(frozen.index))
    const base: Base = { commit, compared: commit, mergeBase: yield* mergeBaseOf(store, head, commit) }
    const identity: KnownIdentity = {
      _tag: "Known",
      head,
      tree,
      headTree: tree,
      index,
      indexTree: tree,
      untracked: false,
      nested: "",
      view: viewOf(store.repository),
      ...basePart(target, branch, base)
    }
    return { frozen, base, identity } satisfies Present
  }
)

// The longest reason of an unknown identity, in characters.
const longest = 300

/** The identity if `problem` leaves the code unknown: the commits still count. */
export const partlyKnown = Effect.fnUntraced(
  function*(store: Store, target: Target, branch: BranchName | null, { message }: CodeFailed) {
    const base = branch === null
      ? noBase
      : yield* Effect.catch(baseOf(store, branch), () => Effect.succeed(noBase))
    return {
      _tag: "Unknown",
      why: cut(message, longest),
      head: store.repository.head,
      ...(branch !== null && base.commit === null ? {} : basePart(target, branch, base))
    } satisfies Identity
  }
)

/**
 * The identity of a commit: the commit, which never changes, and how git shows it. Unknown if the commit is missing.
 */
export const commitIdentity = Effect.fnUntraced(function*(store: Store, sha: string) {
  const head = yield* commitOf(store, sha)
  if (head === null) return { _tag: "Unknown", why: `commit ${sha} is not in this repository` } satisfies Identity
  return { _tag: "Known", head, tree: null, base: null, view: viewOf(store.repository) } satisfies Identity
})
