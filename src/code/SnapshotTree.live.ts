// SnapshotTree.live: a snapshot's tree, commit and git state.
import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, type Stats, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { variable } from "../platform/Environment.ts"
import { git, gitBytes, gitOutput, tryFiles } from "../platform/GitCommand.ts"
import { addAll, headOf } from "./Capture.live.ts"
import { sharedOf } from "./Changes.live.ts"
import { inOwn } from "./FrozenCopy.live.ts"
import { isRepository, type Listed, listIndex, nameOf, placeOf, repositoriesIn, unhide } from "./Index.live.ts"
import { gitPaths, type Scratch, scratchOf } from "./Scratch.live.ts"
import { readSnapshotMessage, shownName, type Snapshot, type SnapshotFacts, snapshotMessage } from "./Snapshots.ts"

// Makes an index hold the very bytes of the files, where git would keep them in another form.
// Line endings, filters and encodings change what git keeps; put back by other settings it would be other bytes.

/** One entry of an index or of a tree. */
export interface Entry {
  readonly mode: string
  readonly id: string
  readonly name: string
}

const entryOf = (text: string): Entry => {
  const [mode = "", id = ""] = text.split(" ", 2)
  return { mode, id, name: text.slice(text.indexOf("\t") + 1) }
}

/** The entries of an index. */
export const entriesOf = ({ text }: Pick<Listed, "text">): ReadonlyArray<Entry> =>
  text.split("\0").slice(0, -1).map(entryOf)

/** A name as git reads it from a line: quoted, with its bytes as octal numbers where they are no plain characters. */
const quoted = (name: string): string =>
  `"${name.replace(/[^ !#-[\]-~]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`

/** The size of each object, by its id. */
const sizesOf = Effect.fnUntraced(function*(root: string, { env }: Scratch, ids: ReadonlyArray<string>) {
  const sizes = yield* gitBytes(root, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], env, ids.join("\n"))
  return new Map(
    sizes.split("\n").map((line): [string, number] => {
      const [id = "", size] = line.split(" ")
      return [id, Number(size)]
    })
  )
})

/** The names of files that a program converts, or that git keeps in another encoding. Of those a size tells nothing. */
const convertedOf = Effect.fnUntraced(function*(root: string, { env }: Scratch, names: ReadonlyArray<string>) {
  const asked = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"]
  const parts = (yield* gitBytes(root, asked, env, names.map((name) => `${name}\0`).join(""))).split("\0")
  const found = new Set<string>()
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [name = "", value] = [parts[i], parts[i + 2]]
    if (value !== "unspecified" && value !== "unset") found.add(name)
  }
  return found
})

/** The settings under which git runs no program to convert a file, and changes no line ending by itself. */
export const asTheyAre = Effect.fnUntraced(function*(root: string) {
  const listed = yield* git(root, [
    "config",
    "--name-only",
    "-z",
    "--get-regexp",
    "^filter\\..*\\.(clean|process|required)$"
  ])
  const drivers = new Set(listed.stdout.split("\0").flatMap((key) => /^filter\.([^=\n]*)\.\w+$/.exec(key)?.[1] ?? []))
  const off = [...drivers].flatMap((driver) =>
    ["clean=", "process=", "required=false"].map((end) => `filter.${driver}.${end}`)
  )
  const plain = ["core.autocrlf=false", "core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false"]
  // A power loss must not take what an agent is about to overwrite.
  const durable = ["core.fsync=committed,loose-object,reference", "core.fsyncMethod=batch"]
  return [...plain, ...durable, ...off].flatMap((setting) => ["-c", setting])
})

/**
 * Replaces the entries of a scratch index whose object is not what the file holds, and removes those whose file is not
 * there. Returns the entries as they are then. Fails with one line why not.
 */
export const holdBytes = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  listed: Listed,
  settings: ReadonlyArray<string>
) {
  const found = entriesOf(listed).filter(({ mode }) => mode !== "160000").map((entry) => ({
    entry,
    facts: lstatSync(placeOf(root, entry.name), { throwIfNoEntry: false })
  }))
  // Left out by a sparse checkout; their objects may not even be here.
  const gone = found.filter(({ facts }) => facts === undefined).map(({ entry }) => entry)
  const there = found.flatMap(({ entry, facts }) =>
    facts !== undefined && entry.mode.startsWith("100") ? [{ ...entry, size: facts.size }] : []
  )
  const sizes = yield* sizesOf(root, scratch, there.map(({ id }) => id))
  const converted = yield* convertedOf(root, scratch, there.map(({ name }) => name))
  const doubtful = there.filter(({ id, name, size }) => converted.has(name) || size !== sizes.get(id))
  const ids = doubtful.length === 0
    ? []
    : (yield* gitBytes(
      root,
      [...settings, "hash-object", "-w", "--no-filters", "--stdin-paths"],
      scratch.env,
      doubtful.map(({ name }) => `${quoted(name)}\n`).join("")
    )).split("\n")
  const held = new Map(
    doubtful.map(({ id, mode, name }, i): [string, Entry] => [name, { id: ids[i] ?? id, mode, name }])
  )
  const lines = [
    ...gone.map(({ id, name }) => `0 ${"0".repeat(id.length)}\t${name}\0`),
    ...[...held.values()].map(({ id, mode, name }) => `${mode} ${id}\t${name}\0`)
  ]
  if (lines.length > 0) yield* gitBytes(root, ["update-index", "-z", "--index-info"], scratch.env, lines.join(""))
  const left = new Set(gone.map(({ name }) => name))
  return entriesOf(listed).filter(({ name }) => !left.has(name)).map((entry) => held.get(entry.name) ?? entry)
})

// The tree of a snapshot: every file that is tracked, or untracked and not ignored, byte by byte.
// What is too large or unreadable is left out and named. Other repositories are named, and never part of the tree.

/** Untracked files of more bytes and untracked folders of so many files are left out. */
export const largestFile = 10 * 1024 * 1024
const fullestFolder = 200

/** The files of one repository in a tree. Names are bytes. */
interface Filed {
  readonly tree: string
  readonly entries: ReadonlyArray<Entry>
  /** Folders end with `/`. */
  readonly leftOut: ReadonlyArray<string>
  readonly repositories: ReadonlyArray<string>
  /** The real index. */
  readonly index: Listed
}

const listed = (root: string, args: ReadonlyArray<string>, { env }: Scratch) =>
  Effect.map(gitBytes(root, [...args, "-z"], env), (text) => text.split("\0").filter((name) => name !== ""))

const untracked = ["ls-files", "--others", "--exclude-standard"]

/** What is untracked and not ignored; the name of a repository ends with `/`. */
export const othersOf = (root: string, scratch: Scratch) => listed(root, untracked, scratch)

/** The repositories in a worktree that are checked out, tracked or not. */
export const repositoriesOf = (root: string, index: Listed, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const nested = others.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1))
  return [...new Set([...repositoriesIn(index), ...nested])].sort().filter((name) => isRepository(root, name))
}

/** What a path is; null where nothing is there, also where a directory on the way is missing. */
export const factsAt = (root: string, name: string): Stats | null => {
  try {
    return lstatSync(placeOf(root, name), { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** The untracked files and folders that are too large. */
const tooLarge = Effect.fnUntraced(function*(root: string, scratch: Scratch, others: ReadonlyArray<string>) {
  const files = others.filter((name) => !name.endsWith("/"))
  const directories = files.length < fullestFolder ? [] : yield* listed(root, [...untracked, "--directory"], scratch)
  const counts = new Map(directories.filter((name) => name.endsWith("/")).map((name) => [name, 0]))
  for (const name of files) {
    for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
      const folder = name.slice(0, at + 1)
      const count = counts.get(folder)
      if (count !== undefined) counts.set(folder, count + 1)
    }
  }
  const folders = [...counts].filter(([, count]) => count >= fullestFolder).map(([name]) => name)
  const large = files.filter((name) =>
    !folders.some((folder) => name.startsWith(folder)) && (factsAt(root, name)?.size ?? 0) > largestFile
  )
  return [...folders, ...large]
})

/** Adds every file but those; returns what could not be added besides. */
const added = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  leftOut: ReadonlyArray<string>,
  settings: ReadonlyArray<string>
) {
  const paths = leftOut.length === 0 ? null : join(scratch.dir, "paths")
  if (paths !== null) {
    const specs = [":/", ...leftOut.map((name) => `:(top,exclude,literal)${name.replace(/\/$/, "")}`)]
    yield* tryFiles(() => writeFileSync(paths, Buffer.from(specs.join("\0"), "latin1")))
  }
  if (yield* addAll(root, scratch, { settings, paths })) return []
  // Some of them cannot be read. The index still holds the tracked ones as they once were.
  const stale = yield* listed(root, ["diff-files", "--name-only", "--ignore-submodules=all"], scratch)
  if (stale.length > 0) {
    const names = stale.map((name) => `${name}\0`).join("")
    yield* gitBytes(root, ["update-index", "--force-remove", "-z", "--stdin"], scratch.env, names)
  }
  const left = (yield* othersOf(root, scratch)).filter((name) => !name.endsWith("/"))
  return [...stale, ...left.filter((name) => !leftOut.some((one) => isWithin(name, one)))]
})

/** Whether a path is one that was left out, or lies in a folder that was. */
export const isWithin = (name: string, leftOut: string): boolean =>
  leftOut.endsWith("/") ? name.startsWith(leftOut) : name === leftOut

/** Adds paths that are there whatever git ignores and however large they are. */
const addAlso = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  also: Iterable<string>,
  settings: ReadonlyArray<string>
) {
  const known = yield* listIndex(root, scratch)
  const has = new Set(known.text.split("\0").map((entry) => entry.slice(entry.indexOf("\t") + 1)))
  const wanted = [...also].filter((name) => !has.has(name) && isFile(root, name))
  if (wanted.length === 0) return known
  const command = [...settings, "update-index", "--add", "--replace", "-z", "--stdin"]
  yield* gitBytes(root, command, scratch.env, wanted.map((name) => `${name}\0`).join(""))
  return yield* listIndex(root, scratch)
})

/** Whether a file or a link lies at a path to which no link leads. */
const isFile = (root: string, name: string): boolean => {
  const facts = factsAt(root, name)
  if (facts === null || !(facts.isFile() || facts.isSymbolicLink())) return false
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
    if (factsAt(root, name.slice(0, at))?.isDirectory() !== true) return false
  }
  return true
}

/**
 * Makes the tree of the files in a worktree. `also` are paths that it has to hold if they are there, because an undo
 * would overwrite them. Fails with one line why not.
 */
export const fileAll = Effect.fnUntraced(function*(root: string, scratch: Scratch, also: Iterable<string>) {
  const index = yield* listIndex(root, scratch)
  yield* unhide(root, scratch, index)
  const others = yield* othersOf(root, scratch)
  const settings = yield* asTheyAre(root)
  const large = yield* tooLarge(root, scratch, others)
  const leftOut = [...large, ...(yield* added(root, scratch, large, settings))]
  const after = yield* addAlso(root, scratch, also, settings)
  const entries = yield* holdBytes(root, scratch, after, settings)
  const tree = yield* gitOutput(root, ["write-tree"], scratch.env)
  const held = new Set(entries.map(({ name }) => name))
  return {
    tree,
    entries,
    leftOut: leftOut.filter((name) => !held.has(name)),
    repositories: repositoriesOf(root, index, others),
    index
  } satisfies Filed
})

// A digest of each part of git's own state in a repository, so that a change of any is seen.
// Agents may change files. HEAD, refs, index, settings and hooks decide what git does with them, and are a person's.

/** Below this all our refs lie. */
const ourRefs = "refs/ooda/"

const digestOf = (texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(texts.map((text) => `${text.length}:${text}`).join(""), "latin1").digest("hex")

const textOf = (path: string): string => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "latin1") : ""
  } catch {
    return ""
  }
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()
  } catch {
    return []
  }
}

const modeOf = (path: string): string => {
  try {
    return `${statSync(path).mode}`
  } catch {
    return ""
  }
}

/** Every file below a directory, with its contents and rights. */
const treeText = (directory: string): ReadonlyArray<string> =>
  namesIn(directory).flatMap((name) => {
    const path = join(directory, name)
    return [name, modeOf(path), textOf(path)]
  })

/** The directories of hooks: the repository's own, and one that a setting names. Our own commands use none. */
const hookDirectories = Effect.fnUntraced(function*(root: string, shared: string, settings: string) {
  const home = (yield* variable("HOME")) ?? "/"
  const parts = settings.split("\0")
  const named = parts.flatMap((origin, i) => {
    const [, path] = /^core\.hookspath\n([^]*)$/.exec(parts[i + 1] ?? "") ?? []
    return i % 2 === 1 || origin.startsWith("command line") || path === undefined ? [] : [path]
  })
  return [join(shared, "hooks"), ...named.map((path) => resolve(root, path.replace(/^~(?=\/)/, home)))]
})

/** The digests of HEAD, refs, index, settings and hooks of the repository at `root`. Fails with one line why not. */
export const stateOf = Effect.fnUntraced(function*(root: string, { headDirectory }: Scratch, index: Listed) {
  const [branch, commit, refs, settings, paths] = yield* Effect.all([
    git(root, ["symbolic-ref", "--quiet", "HEAD"]),
    git(root, ["rev-parse", "--quiet", "--verify", "HEAD"]),
    gitOutput(root, ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]),
    gitOutput(root, ["config", "--list", "--show-origin", "-z"]),
    gitPaths(root, ["logs/refs/stash", "info/exclude", "info/attributes", "info/sparse-checkout"])
  ], { concurrency: "unbounded" })
  const [stash = "", ...rules] = paths
  const others = refs.split("\n").filter((line) => line !== "" && !line.startsWith(ourRefs))
  const { assumed, skipped } = index.hidden
  const hooks = yield* hookDirectories(root, sharedOf(headDirectory), settings)
  const state: SnapshotFacts["git"] = [
    { part: "HEAD", digest: digestOf([branch.stdout, commit.stdout]) },
    { part: "refs", digest: digestOf([...others, textOf(stash)]) },
    { part: "index", digest: digestOf([index.text, ...assumed, "", ...skipped]) },
    { part: "configuration", digest: digestOf([settings, ...rules.map(textOf)]) },
    { part: "hooks", digest: digestOf(hooks.flatMap(treeText)) }
  ]
  return state
})

// The commits of snapshots and the refs that keep them: `refs/ooda/<run>/<n>`.
// A ref is written once its commit is whole, the innermost repository first, so that what is listed can be undone.

/** What a snapshot is taken for. */
export type Purpose = Pick<SnapshotFacts, "run" | "number" | "at" | "cause">

/** A snapshot of one repository that no ref keeps yet, with those of the repositories in it. */
export interface Prepared {
  readonly root: string
  readonly scratch: Scratch
  readonly filed: Filed
  readonly snapshot: Snapshot
  readonly inner: ReadonlyArray<Prepared & { readonly name: string }>
}

/** The paths that a snapshot has to hold if they are there, in one of the repositories. */
type Also = (root: string) => Effect.Effect<Iterable<string>, string>

const author = {
  GIT_AUTHOR_NAME: "ooda-codex-review",
  GIT_AUTHOR_EMAIL: "ooda-codex-review@localhost",
  GIT_COMMITTER_NAME: "ooda-codex-review",
  GIT_COMMITTER_EMAIL: "ooda-codex-review@localhost"
}

const refOf = ({ number, run }: Pick<SnapshotFacts, "run" | "number">): string => `${ourRefs}${run.runId}/${number}`

/** Makes the commit of a snapshot of the worktree at `root`, and of the repositories in it. */
export const prepare = (root: string, purpose: Purpose, also: Also): Effect.Effect<Prepared, string, Scope.Scope> =>
  Effect.gen(function*() {
    const scratch = yield* scratchOf(root, "kept")
    const filed = yield* fileAll(root, scratch, yield* also(root))
    const state = yield* stateOf(root, scratch, filed.index)
    const inner: Array<Prepared & { readonly name: string }> = []
    const unread: Array<string> = []
    for (const name of filed.repositories) {
      const one = prepare(join(root, nameOf(name)), purpose, also)
      // A directory that is no repository to git any more still has files, which no snapshot holds.
      const made = yield* Effect.option(inOwn(one))
      if (made._tag === "Some") inner.push({ ...made.value, name })
      else unread.push(`${name}/`)
    }
    const facts: SnapshotFacts = {
      schema: 1,
      ...purpose,
      worktree: root,
      leftOut: [
        ...filed.leftOut,
        ...unread,
        ...inner.flatMap(({ name, snapshot }) => snapshot.leftOut.map((one) => `${name}/${one}`))
      ],
      repositories: inner.map(({ name, snapshot }) => ({ name, commit: snapshot.commit })),
      git: [
        ...state,
        ...inner.flatMap(({ name, snapshot }) =>
          snapshot.git.map(({ digest, part }) => ({ part: `${part} of ${name}`, digest }))
        )
      ]
    }
    const { head } = yield* headOf(root)
    const when = `${Math.floor(Date.parse(purpose.at) / 1000)} +0000`
    const env = { ...scratch.env, ...author, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when }
    const parents = head === null ? [] : ["-p", head]
    const message = Buffer.from(snapshotMessage(facts)).toString("latin1")
    const command = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", filed.tree, ...parents]
    const commit = yield* gitBytes(root, command, env, message)
    return { root, scratch, filed, snapshot: { ...facts, commit }, inner }
  })

/** Writes the refs of a snapshot. The outermost one comes last: with it the snapshot exists. */
export const publish = ({ inner, root, snapshot }: Prepared, isOuter = true): Effect.Effect<void, string> =>
  Effect.gen(function*() {
    for (const one of inner) yield* inOwn(publish(one, false))
    // A ref of a snapshot that was cut off may be left in an inner repository; an outer one is never replaced.
    const before = isOuter ? ["0".repeat(snapshot.commit.length)] : []
    yield* gitOutput(root, ["update-ref", refOf(snapshot), snapshot.commit, ...before])
  })

/** The facts in some commits, by their ids. Those that are no snapshots are left out. */
export const readCommits = Effect.fnUntraced(function*(root: string, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return []
  const text = yield* gitBytes(root, ["cat-file", "--batch"], {}, ids.map((id) => `${id}\n`).join(""))
  const found: Array<Snapshot> = []
  let at = 0
  while (at < text.length) {
    const end = text.indexOf("\n", at)
    const [commit = "", kind, size] = text.slice(at, end < 0 ? text.length : end).split(" ")
    at = end < 0 ? text.length : end + 1
    if (kind !== "commit") continue
    const body = Buffer.from(text.slice(at, at + Number(size)), "latin1").toString("utf8")
    at += Number(size) + 1
    const facts = readSnapshotMessage(body.slice(body.indexOf("\n\n") + 2))
    if (facts !== null) found.push({ ...facts, commit })
  }
  return found
})

/** The snapshots that the refs below a name keep, oldest first. */
export const snapshotsBelow = Effect.fnUntraced(function*(root: string, runId: string | null) {
  const below = runId === null ? ourRefs : `${ourRefs}${runId}/`
  const listed = yield* gitOutput(root, ["for-each-ref", "--format=%(objectname)", below])
  const found = yield* readCommits(root, listed.split("\n").filter((id) => id !== ""))
  return [...found].sort((a, b) => a.number - b.number)
})

/** Deletes the refs of a run's snapshots, in the repositories within first. */
export const forgetRefs = (root: string, runId: string): Effect.Effect<void, string> =>
  Effect.gen(function*() {
    const snapshots = yield* snapshotsBelow(root, runId)
    const names = new Set(snapshots.flatMap(({ repositories }) => repositories.map(({ name }) => name)))
    for (const name of names) {
      const inner = inOwn(forgetRefs(join(root, nameOf(name)), runId))
      // A repository that is gone has taken its refs with it.
      yield* Effect.ignore(inner)
    }
    const refs = yield* gitOutput(root, ["for-each-ref", "--format=delete %(refname)", `${ourRefs}${runId}/`])
    if (refs !== "") yield* gitBytes(root, ["update-ref", "--stdin"], {}, `${refs}\n`)
  })

// What two snapshots of one repository hold differently: the names of the files, and a bounded diff.
// Nothing of the repository decides how: no filter of it is run, and no program of its settings.

/** Two commits that hold snapshots of the repository at `root`. `prefix` is the way to it from the worktree. */
interface Pair {
  readonly root: string
  readonly from: string
  readonly to: string
  readonly prefix: string
}

/** A pattern of files for git: without a slash it matches at any depth. */
const pathspec = (pattern: string): string =>
  `:(glob)${pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`}`

/** The files that differ and that these patterns match. */
export const changedIn = ({ from, prefix, root, to }: Pair, patterns: ReadonlyArray<string>) =>
  gitBytes(root, ["diff", "--name-only", "--no-renames", "-z", from, to, "--", ...patterns.map(pathspec)]).pipe(
    Effect.map((text) => text.split("\0").filter((name) => name !== "").map((name) => prefix + name))
  )

// A line of code is about so long. Whole files are asked for only while their lines can be shown.
const perLine = 40
// The names are arguments of a program.
const mostFiles = 500

/** How many lines of each file differ, by its name in bytes; git counts none of a file that is no text. */
const counted = (text: string): ReadonlyArray<{ readonly name: string; readonly lines: number }> =>
  text.split("\0").flatMap((entry) => {
    const [, added = "", removed = "", name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(entry) ?? []
    return name === undefined ? [] : [{ name, lines: (Number(added) || 0) + (Number(removed) || 0) }]
  })

/** The names of the files that differ, and at most about `most` characters of how. */
export const diffOf = ({ from, prefix, root, to }: Pair, most: number) =>
  Effect.gen(function*() {
    const files = counted(yield* gitBytes(root, ["diff", "--numstat", "--no-renames", "-z", from, to, "--"]))
    let left = Math.ceil(most / perLine)
    const shown = files.slice(0, mostFiles).filter(({ lines }) => lines <= left && (left -= lines + 5) >= 0)
    const args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", from, to, "--"]
    const names = shown.map(({ name }) => `:(literal)${nameOf(name)}`)
    const text = names.length === 0 ? "" : yield* gitOutput(root, ["-c", "core.quotePath=false", ...args, ...names])
    return {
      files: files.map(({ name }) => shownName(prefix + name)),
      text: text === "" ? "" : `${text.slice(0, most)}\n`,
      whole: shown.length === files.length && text.length <= most
    }
  })
