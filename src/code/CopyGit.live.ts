// CopyGit.live: the git directories of a copy, in which git shows what it shows in the worktree, or more.
// A few settings are copied, with known values only, because line ends and rights depend on them. Attributes count as
// they do for the person, except those that make git run a program or hide a line. Without those, a file of LFS or in
// UTF-16 seems to differ from what is committed: where its bytes prove that it does not, git takes it for unchanged.
import { createHash } from "node:crypto"
import { appendFileSync, closeSync, copyFileSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs"
import { lstatSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { removeTree } from "../platform/Files.ts"
import { type Frozen, type IndexEntry, indexEntry } from "./Frozen.ts"
import { directoryOf, isWithin, type Name } from "./Names.ts"
import { latin1Of, pathOf } from "./Nested.live.ts"
import { plainText, type Repository } from "./Repository.live.ts"
import { type Own, ours, parts } from "./SafeGit.live.ts"
import { type Entry, hexOf, makeRepository, objectId, type Store, type Tree, tryFiles } from "./Store.live.ts"

/** A path below a directory, as bytes for node's calls. */
export const pathIn = (root: string, name: Name): string | Buffer => pathOf(`${latin1Of(root)}/${name}`)

// The longest path of Linux, with its end.
const longest = 4096

/** Whether a path below a directory is short enough for the system. */
export const isShort = (root: string, name: Name): boolean => Buffer.byteLength(root) + name.length + 2 <= longest

/** A part of a copy that has a git directory: the whole (`prefix` is ""), or a submodule. */
export interface Part {
  readonly prefix: Name
  readonly own: Own & { readonly worktree: string }
  /** A path of the copy as this part names it, and back. */
  readonly within: (path: Name) => Name
  readonly whole: (inner: Name) => Name
  /** The lines of its index, as of `Frozen`. */
  readonly index: ReadonlyArray<string>
  /** HEAD's commit. */
  readonly head: string | null
  /** Where it borrows objects. */
  readonly objects: ReadonlyArray<string>
}

/** A path as text, or null if its bytes are not UTF-8. */
const textOf = (name: Name): string | null => {
  const text = Buffer.from(name, "latin1").toString()
  return latin1Of(text) === name ? text : null
}

/** The parts of a copy, the innermost first. A submodule counts if it has a commit and lies in no other repository. */
export const partsOf = (store: Store, frozen: Frozen, place: string): ReadonlyArray<Part> => {
  const borrowed = [join(store.dir, "objects"), store.repository.objects]
  const whole: Part = {
    prefix: "",
    own: { gitDirectory: join(place, ".git"), worktree: place },
    within: (path) => path,
    whole: (inner) => inner,
    index: frozen.index,
    head: frozen.head,
    objects: borrowed
  }
  const found = [whole]
  for (
    const { head, index, isSubmodule, objects, path } of [...frozen.nested].sort((a, b) => a.path < b.path ? -1 : 1)
  ) {
    const [text, source] = [textOf(path), textOf(objects ?? "")]
    const around = frozen.nested.filter((other) => other.path !== path && isWithin(path, other.path))
    const isSeen = around.every((other) => found.some(({ prefix }) => prefix === other.path))
    if (!isSubmodule || !isSeen || head === null || text === null || source === null || source === "") continue
    found.unshift({
      prefix: path,
      own: { gitDirectory: join(place, text, ".git"), worktree: join(place, text) },
      within: (outer) => outer.slice(path.length + 1),
      whole: (inner) => `${path}/${inner}`,
      index,
      head,
      objects: [...borrowed, source]
    })
  }
  return found
}

// Settings and rules

const yes = /^(?:true|yes|on|1)$/i
const no = /^(?:false|no|off|0|)$/i
const truth = (value: string): string | null => yes.test(value) ? "true" : no.test(value) ? "false" : null
const word = (pattern: RegExp) => (value: string): string | null => pattern.test(value) ? value.toLowerCase() : null

const closed: Readonly<Record<string, (value: string) => string | null>> = {
  autocrlf: (value) => word(/^input$/i)(value) ?? truth(value),
  eol: word(/^(?:lf|crlf|native)$/i),
  filemode: truth,
  symlinks: truth,
  ignorecase: truth
}

/** The settings that decide how files look, by their names without `core.`. */
export const viewSettings: ReadonlyArray<string> = Object.keys(closed)

const viewIn = ({ settings }: Repository): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(closed).flatMap(([name, read]) => {
    const value = settings.get(name)
    const known = value === undefined ? null : read(value)
    return known === null ? [] : [[name, known] as const]
  })

/** The settings of a repository that decide how its files look, as flags of git. */
export const viewFlags = (repository: Repository): ReadonlyArray<string> =>
  viewIn(repository).flatMap(([name, value]) => ["-c", `core.${name}=${value}`])

/** The same as lines of `[core]`. */
const settingLines = (repository: Repository, attributes: string): string =>
  viewIn(repository).map(([name, value]) => `\t${name} = ${value}\n`).join("") +
  `\tattributesFile = "${attributes.replace(/[\\"]/g, "\\$&")}"\n`

/** Removes attributes that run a program or hide a line. Line ends stay as for the person. */
export const shownAttributes = "* !filter !ident !working-tree-encoding !diff !merge\n"

const latin1 = (path: string, text: string): void => writeFileSync(path, text, "latin1")

const attributesPath = ({ own }: Part): string => join(own.gitDirectory, "info/attributes")
/** `isWhole`: the person's attributes, with nothing removed. */
const writeAttributes = (part: Part, { common }: Repository, isWhole: boolean): void => {
  const theirs = part.prefix === "" ? plainText(join(common, "info/attributes")) : ""
  latin1(attributesPath(part), `${theirs}\n${isWhole ? "" : shownAttributes}`)
}

/** Has git ignore some paths of a part. */
export const ignorePaths = ({ own, within }: Part, paths: ReadonlyArray<Name>): void => {
  // An ignore file cannot express a line break.
  const lines = paths.map(within).filter((path) => !path.includes("\n"))
    .map((path) => `/${path.replace(/[\\*?[\] !#]/g, "\\$&")}\n`)
  appendFileSync(join(own.gitDirectory, "info/exclude"), lines.join(""), "latin1")
}

/**
 * Has git ignore what the person's own rules ignore, and what the worktree's `info/exclude` ignores, which does not
 * count in submodules.
 */
export const writeExcludes = (gitDirectory: string, repository: Repository, isWorktree: boolean): void => {
  const shared = isWorktree ? [join(repository.common, "info/exclude")] : []
  const rules = [repository.excludes, ...shared].map(plainText)
  latin1(join(gitDirectory, "info/exclude"), `${rules.join("\n")}\n`)
}

/** The files of a git directory that show an unfinished operation. */
export const states = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"]

/** Makes the git directory of a part, without its index. */
export const makeGit = (store: Store, part: Part): void => {
  const { repository } = store
  const { gitDirectory, worktree } = part.own
  const attributes = join(gitDirectory, "info/personal-attributes")
  mkdirSync(worktree, { recursive: true })
  makeRepository(
    gitDirectory,
    repository.format,
    part.objects,
    `\tbare = false\n\tlogAllRefUpdates = false\n${settingLines(repository, attributes)}`
  )
  latin1(attributes, plainText(repository.attributes))
  writeExcludes(gitDirectory, repository, part.prefix === "")
  writeAttributes(part, repository, false)
  if (part.prefix !== "") return latin1(join(gitDirectory, "HEAD"), `${part.head}\n`)
  const copied = [
    ...states.map((name) => [name, join(repository.gitDirectory, name)] as const),
    ["shallow", join(store.dir, "shallow")] as const
  ]
  for (const [name, from] of copied) {
    const text = plainText(from)
    if (text !== "") latin1(join(gitDirectory, name), text)
  }
}

/** What the base branch is called in a copy, and its commit. */
export interface Base {
  readonly name: string
  readonly commit: string
}

/** HEAD on its branch, and the base branch. */
const writeRefs = Effect.fnUntraced(
  function*({ head, on }: Frozen, { own: { gitDirectory } }: Part, base: Base | null) {
    const own = { gitDirectory }
    const ref = base === null ? null : `refs/heads/${base.name}`
    // A branch that is compared with itself cannot be both HEAD and another commit; nor can `a` and `a/b` both be refs.
    const isOne = on === ref && base?.commit === head
    const isInTheWay = on !== null && ref !== null && !isOne && (isWithin(on, ref) || isWithin(ref, on))
    const isDetached = on === null || isInTheWay
    if (!isDetached) yield* ours(own, ["symbolic-ref", "HEAD", on])
    if (base !== null && ref !== null) yield* ours(own, ["update-ref", ref, base.commit])
    if (head !== null && !isOne) yield* ours(own, ["update-ref", ...(isDetached ? ["--no-deref"] : []), "HEAD", head])
  }
)

// Index

/** Turns an index that lists `laid` into the person's. Returns the entries whose file has other bytes. */
const overlay = Effect.fnUntraced(function*(
  store: Store,
  part: Part,
  laid: Tree,
  present: Tree,
  closed: ReadonlySet<Name>
) {
  const same = new Set<Name>()
  const others: Array<IndexEntry> = []
  for (const line of part.index) {
    const entry = indexEntry(line)
    if (closed.has(part.whole(entry.path))) continue
    const file = laid.get(entry.path)
    const isSame = entry.stage === "0" && entry.flag !== "I" && entry.id === file?.id && entry.mode === file.mode
    if (isSame) same.add(entry.path)
    else others.push(entry)
  }
  const gone = [...laid.keys()].filter((path) => !same.has(path))
  const added = others.filter(({ flag }) => flag !== "I")
  const none = "0".repeat(2 * store.idLength)
  const input = [
    ...gone.map((path) => `0 ${none}\t${path}\0`),
    ...added.map(({ id, mode, path, stage }) => `${mode} ${id} ${stage}\t${path}\0`)
  ]
  yield* ours(part.own, ["update-index", "-z", "--index-info"], { input: input.join("") })
  const { whole } = part
  const absent = others.filter(({ flag, path }) => flag.toUpperCase() === "S" && !present.has(whole(path)))
  yield* changeIndex(part, ["--skip-worktree"], absent.map(({ path }) => whole(path)))
  yield* addIntents(part, others.filter(({ flag }) => flag === "I"))
  const isFile = (entry: Entry | undefined) => entry?.mode.startsWith("100") === true
  return added.filter((entry) => {
    const file = present.get(whole(entry.path))
    return entry.stage === "0" && isFile(entry) && isFile(file) && file?.id !== entry.id
  })
})

/** Whether a path stays below its place: a forged tree or index could lead out of it. */
export const isSafePath = (path: Name): boolean =>
  path.split("/").every((name) => !["", ".", "..", ".git"].includes(name))

/** Adds entries for files to be added (intent to add). Git wants the files to exist, but they may be gone by now. */
const addIntents = Effect.fnUntraced(function*({ own }: Part, entries: ReadonlyArray<IndexEntry>) {
  const safe = entries.filter(({ path }) => isSafePath(path))
  if (safe.length === 0) return
  const worktree = join(own.gitDirectory, "intents")
  yield* tryFiles(worktree, () => {
    for (const { mode, path } of safe) {
      mkdirSync(pathIn(worktree, directoryOf(path)), { recursive: true })
      if (mode === "120000") symlinkSync("to", pathIn(worktree, path))
      else writeFileSync(pathIn(worktree, path), "", { mode: mode === "100755" ? 0o777 : 0o666 })
    }
  })
  const kept = ["-c", "core.fileMode=true", "-c", "core.symlinks=true"]
  yield* ours(
    { ...own, worktree },
    [...kept, "add", "-N", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"],
    { env: { GIT_LITERAL_PATHSPECS: "1" }, input: safe.map(({ path }) => `${path}\0`).join("") }
  )
  yield* tryFiles(worktree, () => removeTree(worktree))
})

/** Changes an index by `git update-index` with some paths of the copy, if there are any. */
export const changeIndex = ({ own, within }: Part, options: ReadonlyArray<string>, paths: ReadonlyArray<Name>) =>
  paths.length === 0 ? Effect.void : Effect.asVoid(
    ours(own, ["update-index", ...options, "-z", "--stdin"], {
      input: paths.map((path) => `${within(path)}\0`).join("")
    })
  )

// Other forms of a file

interface Attributes {
  readonly filter: string
  readonly encoding: string
}

/** The filter and encoding of some paths, by all attributes that count for the person. */
export const attributesOf = Effect.fnUntraced(function*(store: Store, part: Part, paths: ReadonlyArray<Name>) {
  const write = (isWhole: boolean) =>
    tryFiles(part.own.worktree, () => writeAttributes(part, store.repository, isWhole))
  yield* write(true)
  const input = paths.map((path) => `${path}\0`).join("")
  const { out } = yield* ours(part.own, ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"], { input })
  yield* write(false)
  const found = new Map<Name, Attributes>()
  const fields = out.split("\0")
  for (let at = 0; at + 5 < fields.length; at += 6) {
    const [path = "", , filter = "", , , encoding = ""] = fields.slice(at, at + 6)
    if (filter === "lfs" || utf16.test(encoding)) found.set(path, { filter, encoding })
  }
  return found
})

const utf16 = /^utf-?16(le|be)?(-bom)?$/i
const chunk = 1 << 20

const chunksOf = function*(path: string | Buffer) {
  const fd = openSync(path, "r")
  try {
    const buffer = Buffer.allocUnsafe(chunk)
    for (let got = readSync(fd, buffer); got > 0; got = readSync(fd, buffer)) yield buffer.subarray(0, got)
  } finally {
    closeSync(fd)
  }
}

/** The id, in hex, of a file's bytes as a blob. Throws the system's error. */
export const blobIdAt = (store: Store, path: string | Buffer): string => {
  const { size } = lstatSync(path)
  if (size <= chunk) return hexOf(objectId(store, "blob", readFileSync(path)))
  const sum = createHash(store.repository.format).update(`blob ${size}\0`)
  for (const part of chunksOf(path)) sum.update(part)
  return sum.digest("hex")
}

/** The pointer that LFS commits instead of a file. */
const pointerOf = (path: string | Buffer): string => {
  const sum = createHash("sha256")
  for (const part of chunksOf(path)) sum.update(part)
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${sum.digest("hex")}\nsize ${lstatSync(path).size}\n`
}

// In bytes. A larger text file counts as changed.
const mostText = 1 << 28

/** The UTF-8 that git commits instead of a file in UTF-16, before its line ends; null for any other file. */
const utf8Of = (path: string | Buffer, encoding: string): Buffer | null => {
  const [, order, mark] = utf16.exec(encoding) ?? []
  if (lstatSync(path).size > mostText) return null
  const content = readFileSync(path)
  const found = content[0] === 0xfe && content[1] === 0xff
    ? "be"
    : content[0] === 0xff && content[1] === 0xfe
    ? "le"
    : null
  // Git requires a byte order mark if the encoding leaves the order open, and removes it.
  const isMarked = order === undefined || mark !== undefined
  const actual = order?.toLowerCase() ?? found
  if (actual === null || isMarked && actual !== found) return null
  try {
    const text = new TextDecoder(`utf-16${actual}`, { fatal: true, ignoreBOM: !isMarked }).decode(content)
    return Buffer.from(text)
  } catch {
    return null
  }
}

/** Whether a file's bytes prove that the committed content is another form of them. */
export const isProven = Effect.fnUntraced(function*(
  part: Part,
  { id, path }: IndexEntry,
  { encoding, filter }: Attributes
) {
  const at = pathIn(part.own.worktree, path)
  const committed = yield* tryFiles(part.own.worktree, () => ({
    pointer: filter === "lfs" ? Buffer.from(pointerOf(at)) : null,
    text: utf16.test(encoding) ? utf8Of(at, encoding) : null
  }))
  const name = textOf(path)
  const idOf = (content: Buffer, more: ReadonlyArray<string>) =>
    ours(part.own, ["hash-object", "--stdin", ...more], { input: content.toString("latin1") })
  if (committed.pointer !== null && (yield* idOf(committed.pointer, ["--no-filters"])).out.trim() === id) return true
  // Its line ends are converted as for the person.
  return committed.text !== null && name !== null &&
    (yield* idOf(committed.text, [`--path=${name}`])).out.trim() === id
})

/** The ids under which git would commit some files of a part, with line ends converted. No names with a line break. */
export const committedIds = Effect.fnUntraced(function*({ own }: Part, paths: ReadonlyArray<Name>) {
  const named = paths.filter((path) => !path.includes("\n"))
  if (named.length === 0) return new Map<Name, string>()
  const quoted = named.map((path) => `"${path.replace(/["\\]/g, "\\$&")}"\n`).join("")
  const { out } = yield* ours(own, ["hash-object", "--stdin-paths"], { input: quoted })
  const ids = out.split("\n")
  return new Map(named.map((path, i) => [path, ids[i] ?? ""] as const))
})

/** The paths of a part whose entry in the index differs from HEAD. */
const stagedIn = Effect.fnUntraced(function*({ own }: Part, head: string) {
  const { out } = yield* ours(own, ["diff-index", "--cached", "--name-only", "--no-renames", "-z", head, "--"])
  return new Set<Name>(parts(out))
})

/** Has git look at the submodules whose changes `.gitmodules` hides, in the worktree or else in the index. */
const showSubmodules = Effect.fnUntraced(function*({ own }: Part) {
  const modules = join(own.worktree, ".gitmodules")
  const isPlain = yield* tryFiles(modules, () => lstatSync(modules, { throwIfNoEntry: false })?.isFile() === true)
  const sources = [["--blob", ":.gitmodules"], ...(isPlain ? [["--file", modules]] : [])]
  const lines = new Set<string>()
  for (const source of sources) {
    const asked = [
      "config",
      "-z",
      "--no-includes",
      ...source,
      "--name-only",
      "--get-regexp",
      "^submodule\\..*\\.ignore$"
    ]
    // It may be missing or malformed; git then knows no submodule by name.
    const { code, out } = yield* ours(own, asked, { accept: [0, 1, 128] })
    for (const key of code === 0 ? parts(out) : []) {
      const name = key.slice("submodule.".length, -".ignore".length)
      lines.add(`[submodule "${name.replace(/[\\"]/g, "\\$&")}"]\n\tignore = none\n`)
    }
  }
  const text = [...lines].join("")
  yield* tryFiles(own.worktree, () => appendFileSync(join(own.gitDirectory, "config"), text, "latin1"))
})

/** The input for the git directories of a copy. */
export interface Layout {
  readonly base: Base | null
  readonly index: string
  readonly present: Tree
  /** The submodules that get no git directory. Their files are shown as untracked: git would look into none of them. */
  readonly closed: ReadonlySet<Name>
}

/**
 * Makes the git directory of a part whose files are already there. `laid` is what the index at `index` lists; `present`
 * has every file of the copy.
 */
export const layGit = Effect.fnUntraced(function*(
  store: Store,
  frozen: Frozen,
  part: Part,
  { base, closed, index, present }: Layout
) {
  const isWhole = part.prefix === ""
  yield* tryFiles(part.own.worktree, () => {
    makeGit(store, part)
    if (isWhole) copyFileSync(index, join(part.own.gitDirectory, "index"))
  })
  if (isWhole) yield* writeRefs(frozen, part, base)
  const refusal = (path: Name) => frozen.refusedByGit.some((one) => isWithin(path, one))
  const listed = frozen.refusedByGit.length === 0 ? present : new Map([...present].filter(([path]) => !refusal(path)))
  const laid = isWhole ? listed : new Map<Name, Entry>()
  const others = yield* overlay(store, part, laid, present, closed)
  yield* showSubmodules(part)
  const attributes = others.length === 0
    ? new Map<Name, Attributes>()
    : yield* attributesOf(store, part, others.map(({ path }) => path))
  if (attributes.size > 0 && part.head !== null) {
    // A staged file counts as changed, whatever form it has.
    const staged = yield* stagedIn(part, part.head)
    const proven: Array<Name> = []
    for (const entry of others) {
      const own = attributes.get(entry.path)
      const isCommitted = own !== undefined && !staged.has(entry.path)
      if (isCommitted && (yield* isProven(part, entry, own))) proven.push(part.whole(entry.path))
    }
    yield* changeIndex(part, ["--assume-unchanged"], proven)
  }
  yield* ours(part.own, ["update-index", "-q", "--refresh"], { accept: [0, 1], input: "" })
})
