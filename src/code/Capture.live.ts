// Capture.live: a worktree at one moment, as trees.
import { createHash } from "node:crypto"
import { type BigIntStats, createReadStream, promises } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect, type Scope } from "effect"
import { whyNot } from "../platform/Exec.ts"
import { commitId, git } from "../platform/GitCommand.ts"
import { directoryStamps, factsOf, type Moves, movesOf, stampsIn } from "./Changes.live.ts"
import {
  directoriesIn,
  hasNewName,
  isRepository,
  type Listed,
  listIndex,
  nameOf,
  repositoriesIn,
  unhide
} from "./Index.live.ts"
import { roomIn, type Scratch, scratchOf } from "./Scratch.live.ts"
import { askView, type View, viewOf } from "./View.live.ts"

// A digest of the files of a worktree, used where git cannot make a tree of them.
// Every file that git would add is read as it is, without filters. Names and modes count too.

const fileDigest = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash("sha256")
  for await (const part of createReadStream(path, { signal })) hash.update(part)
  return hash.digest("hex")
}

/** The digest of files, and a mark that changes with every write of one, also where the write was undone. */
interface Contents {
  readonly digest: string
  readonly stamps: string
}

// These functions use `promises`, which node makes when it is first asked for: few calls need it.
const textOf = async (path: string, facts: BigIntStats, signal: AbortSignal): Promise<string | null> => {
  if (facts.isDirectory()) return null
  if (facts.isSymbolicLink()) return `link ${await promises.readlink(path)}`
  if (!facts.isFile()) return "special"
  return `${(facts.mode & 0o100n) === 0n ? "file" : "program"} ${await fileDigest(path, signal)}`
}

/** One path. For a file that cannot be read the error stands in the digest: it is the same each time. */
const entry = (path: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const facts = await promises.lstat(path, { bigint: true })
      const text = await textOf(path, facts, signal)
      return { text, stamp: text === null ? "" : `${facts.ino} ${facts.mtimeNs} ${facts.ctimeNs}` }
    },
    catch: (error) => error instanceof Error && "code" in error ? String(error.code) : "unreadable"
  }).pipe(Effect.catch((code) => Effect.succeed({ text: `none ${code}`, stamp: "" })))

const digestOfAll = Effect.fnUntraced(function*(root: string, names: ReadonlyArray<string>) {
  const [hash, stamps] = [createHash("sha256"), createHash("sha256")]
  for (const name of [...new Set(names)].sort()) {
    const path = join(root, name)
    const { stamp, text } = yield* entry(path)
    hash.update(`${name}\0${text ?? `repository ${yield* commitId(path, "HEAD")}`}\0`)
    stamps.update(`${name}\0${stamp}\0`)
  }
  const listed = { text: names.map((name) => `\t${Buffer.from(name).toString("latin1")}\0`).join("") }
  stamps.update(directoryStamps(root, directoriesIn(listed)))
  return { digest: `contents-${hash.digest("hex")}`, stamps: stamps.digest("hex") } satisfies Contents
})

/**
 * The digest of all files of a worktree, tracked or untracked, but for ignored ones; a repository in it counts by its
 * commit. Marked, so that it can never be taken for a tree of git's. Fails with one line why not.
 */
export const contentsOf = Effect.fn("Git.contents")(function*(root: string) {
  const listed = yield* git(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
  if (listed.code !== 0) return yield* Effect.fail(whyNot("git", listed))
  return yield* digestOfAll(root, listed.stdout.split("\0").filter((name) => name !== ""))
})

/** The same for a directory of which git can tell nothing, such as a submodule whose repository is gone: every file. */
export const everyFileOf = Effect.fn("Git.files")(function*(root: string) {
  const all = yield* Effect.tryPromise({
    try: () => promises.readdir(root, { recursive: true, withFileTypes: true }),
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
  const names = all.filter((one) => !one.isDirectory()).map((one) => relative(root, join(one.parentPath, one.name)))
  return yield* digestOfAll(root, names.filter((name) => name !== ".git" && !name.startsWith(`.git${sep}`)))
})

// A worktree at one moment: its HEAD, its index, its files, and the repositories in it with theirs.
// It is made in a scratch directory of our own. Where a part cannot be captured, it says so and captures the others.

/**
 * What was captured. `tree` is git's tree of the files, or a digest of them where git cannot make one (`contents-…`);
 * `scratch` holds the objects of the trees until the scope ends.
 */
export interface Captured extends Moves, View {
  readonly head: string | null
  readonly headTree: string | null
  readonly index: string
  readonly indexTree: string | null
  readonly tree: string
  readonly untracked: boolean
  readonly nested: string
  /** A mark that changes with every change of a file. */
  readonly stamps: string
  /** A mark that changes with every write of the index. */
  readonly indexMoved: string
  /** The submodules and nested repositories that are there, by their names in the index's own characters. */
  readonly repositories: ReadonlyArray<string>
  /** The index before and with all files added; the same where nothing was to be added. */
  readonly listed: { readonly before: Listed; readonly after: Listed }
  readonly scratch: Scratch
}

/** The commit of HEAD and its tree, by one question, so that they belong together; null before the first commit. */
export const headOf = Effect.fnUntraced(function*(root: string) {
  const done = yield* git(root, ["rev-list", "--max-count=1", "--format=%T", "HEAD", "--"])
  const [, head = null, headTree = null] = done.code === 0 ? /^commit (\S+)\n(\S+)/.exec(done.stdout) ?? [] : []
  return { head, headTree }
})

/**
 * How all files are added, the next way where one fails: also outside a sparse checkout (git 2.34); without what cannot
 * be added at all, such as a repository in it that has no commit.
 */
const ways: ReadonlyArray<ReadonlyArray<string>> = [
  ["--sparse"],
  ["--sparse", "--ignore-errors"],
  ["--ignore-errors"]
]

/** How files are added: with further settings, and without those that a file of pathspecs excludes. */
interface Adding {
  readonly settings: ReadonlyArray<string>
  readonly paths: string | null
}

// Variables that would change what pathspecs mean.
const plainPathspecs = {
  GIT_LITERAL_PATHSPECS: "0",
  GIT_GLOB_PATHSPECS: "0",
  GIT_NOGLOB_PATHSPECS: "0",
  GIT_ICASE_PATHSPECS: "0"
}

const everything: Adding = { settings: [], paths: null }

/** Adds all files to the scratch index; whether every one of them could be. Fails with one line why not. */
const addAll = Effect.fnUntraced(function*(root: string, { env }: Scratch, { paths, settings } = everything) {
  let why = ""
  // Without a pathspec where none is needed: at the top it is all there is.
  const chosen = paths === null ? [] : [`--pathspec-from-file=${paths}`, "--pathspec-file-nul"]
  const variables = paths === null ? env : { ...env, ...plainPathspecs }
  for (const way of ways) {
    const added = yield* git(root, [...settings, "add", "--all", ...way, ...chosen], variables, { leash: true })
    if (added.code === 0) return way === ways[0]
    if (added.code === 1 && way.includes("--ignore-errors")) return false
    if (added.problem !== null) return yield* Effect.fail(whyNot("git", added))
    why ||= whyNot("git", added)
  }
  return yield* Effect.fail(why)
})

/** The tree of the scratch index, or null where it holds unmerged paths or cannot be made into one. */
const treeOf = Effect.fnUntraced(function*(root: string, { env }: Scratch) {
  const tree = yield* git(root, ["write-tree"], env)
  return tree.code === 0 ? tree.stdout.trim() : null
})

/** The repositories that git lists as untracked directories: those without a commit cannot be added. */
const unaddable = Effect.fnUntraced(function*(root: string, { env }: Scratch) {
  const listed = yield* git(root, ["ls-files", "--others", "--exclude-standard", "-z"], env, { encoding: "latin1" })
  return listed.stdout.split("\0").filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1))
})

/** The files as git's tree, with what git says of them; or as a digest of their contents where git cannot. */
const filesOf = Effect.fnUntraced(function*(root: string, scratch: Scratch, before: Listed, indexTree: string | null) {
  const added = Effect.gen(function*() {
    yield* unhide(root, scratch, before)
    const whole = yield* addAll(root, scratch)
    const tree = yield* treeOf(root, scratch)
    if (tree === null) return yield* Effect.fail("git cannot make a tree of the working copy")
    const after = tree === indexTree ? before : yield* listIndex(root, scratch)
    const stamps = stampsIn(join(scratch.dir, "index"), tree.length / 2) ?? (yield* contentsOf(root)).stamps
    return { tree, after, stamps, others: whole ? [] : yield* unaddable(root, scratch) }
  })
  return yield* Effect.catch(added, (why) =>
    Effect.gen(function*() {
      yield* roomIn(scratch)
      const { digest: tree, stamps } = yield* Effect.mapError(contentsOf(root), () => why)
      return { tree, after: before, stamps, others: yield* unaddable(root, scratch) }
    }))
})

const nestedText = ({ head, index, nested, tree }: Captured): string => `${head ?? "-"}\0${index}\0${tree}\0${nested}`

const textDigest = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex")

/** What is told of a repository in a worktree: its digest, and its marks. */
interface Nested {
  readonly text: string
  readonly stamps: string
  readonly view: string
  readonly viewMoved: string
  readonly indexMoved: string
}

/** The repositories of a worktree, each captured in turn. */
const nestedOf = (root: string, names: ReadonlyArray<string>, outer: Scratch) =>
  Effect.forEach(names, (name) =>
    Effect.gen(function*() {
      const path = join(root, nameOf(name))
      const own = Effect.flatMap(scratchOf(path), (scratch) => capture(path, scratch))
      // One whose repository is gone still has files that a reviewer can read.
      const told = Effect.map(own, (captured): Nested => ({
        ...captured,
        text: nestedText(captured),
        stamps: `${captured.stamps}\n${captured.moved}\n${captured.held}`
      }))
      const files = Effect.map(everyFileOf(path), ({ digest: text, stamps }): Nested => {
        return { text, stamps, view: "", viewMoved: "", indexMoved: "" }
      })
      const found = yield* Effect.catch(told, () => Effect.andThen(roomIn(outer), files))
      return { ...found, text: `${name}\0${found.text}\n` }
    }))

/** One mark of a worktree and of the repositories in it. */
const together = (own: string, nested: ReadonlyArray<string>): string =>
  nested.length === 0 ? own : textDigest([own, ...nested].join("\n"))

/** Captures the worktree at `root` in a scratch. Fails with one line why its index or its files could not be told. */
export const capture = (root: string, scratch: Scratch): Effect.Effect<Captured, string, Scope.Scope> =>
  Effect.gen(function*() {
    const indexMoved = factsOf(scratch.index)
    const [commits, before, indexTree, asked] = yield* Effect.all(
      [headOf(root), listIndex(root, scratch), treeOf(root, scratch), askView(root)],
      { concurrency: "unbounded" }
    )
    if (indexTree === null) yield* roomIn(scratch)
    const { after, others, stamps, tree } = yield* filesOf(root, scratch, before, indexTree)
    const untracked = others.length > 0 || (after !== before && hasNewName(before, after))
    // A submodule that is not checked out has no files here, only the commit that the tree names.
    const repositories = [...new Set([...repositoriesIn(after), ...others])].sort()
      .filter((name) => isRepository(root, name))
    const nested = yield* nestedOf(root, repositories, scratch)
    const directories = directoriesIn(after)
    const own = viewOf(asked, root, scratch.headDirectory, directories)
    const moved = directoryStamps(root, [...directories, ...repositoriesIn(after)])
    return {
      ...commits,
      ...movesOf(scratch.headDirectory),
      index: before.digest,
      indexTree,
      tree,
      untracked,
      nested: nested.length === 0 ? "" : textDigest(nested.map(({ text }) => text).join("")),
      stamps: together(stamps, [moved, ...nested.map((one) => one.stamps)]),
      view: together(own.view, nested.map(({ view }) => view)),
      viewMoved: together(own.viewMoved, nested.map(({ viewMoved }) => viewMoved)),
      indexMoved: together(indexMoved, nested.map((one) => one.indexMoved)),
      repositories,
      listed: { before, after },
      scratch
    }
  })
