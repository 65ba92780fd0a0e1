// GitState.live: git's own state, read from its files: a digest of each part that must stay as it is, and the values of
// what worktrees share.
// What an agent changes there outlives an undo: a hook, a setting that names a program, a removed branch. Git is not
// asked, since a setting that an agent has just written could make it run a program.
import { createHash, type Hash } from "node:crypto"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import { isSystemError } from "../platform/SystemError.ts"
import { jsonText } from "../text/Json.ts"
import type { Frozen } from "./Frozen.ts"
import { gitChanges, GitValues, type Moved, movedText, notedText, objectId } from "./GitChanges.ts"
import { directoryOf, type Name, shownName } from "./Names.ts"
import { gitDirectoryAt, headAt, latin1Of, pathOf } from "./Nested.live.ts"
import { plainText, type Repository } from "./Repository.live.ts"
import { ours, theirs, utf8 } from "./SafeGit.live.ts"
import { changedParts, sharedValues, type Snapshot, type SnapshotFacts } from "./Snapshots.ts"
import { contentsOf, type Store, tryFiles, writeObjects } from "./Store.live.ts"

/** A part of git's state: one or several files of a git directory, or a git directory within the worktree. */
export type GitPart = SnapshotFacts["git"][number]

// Files of a git directory by the part that they belong to. `FETCH_HEAD`, `ORIG_HEAD`, `COMMIT_EDITMSG` and objects
// decide nothing. The index is compared by its entries, since reading a worktree updates the times in it. Refs in the
// form of files are compared by value, as are HEAD's notes.
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  refs: ["reftable"],
  hooks: ["hooks"],
  info: ["info"],
  shallow: ["shallow"],
  alternates: ["objects/info/alternates", "objects/info/http-alternates"]
}

// Files that exist while git works, or during an unfinished merge, rebase and so on.
const passing = [
  "AUTO_MERGE",
  "BISECT_ANCESTORS_OK",
  "BISECT_EXPECTED_REV",
  "BISECT_LOG",
  "BISECT_NAMES",
  "BISECT_RUN",
  "BISECT_START",
  "BISECT_TERMS",
  "CHERRY_PICK_HEAD",
  "HEAD.lock",
  "MERGE_AUTOSTASH",
  "MERGE_HEAD",
  "MERGE_MODE",
  "MERGE_MSG",
  "MERGE_RR",
  "NOTES_MERGE_PARTIAL",
  "NOTES_MERGE_REF",
  "NOTES_MERGE_WORKTREE",
  "REBASE_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "commondir",
  "config.lock",
  "gitdir",
  "index.lock",
  "rebase-apply",
  "rebase-merge",
  "sequencer",
  "shallow.lock"
]

const partLength = 1 << 20
// A larger file is compared by size and time. None of git's own is so large.
const mostBytes = 1 << 28

const addFile = (sum: Hash, path: string): void => {
  const fd = fs.openSync(pathOf(path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    const { mode, mtimeMs, size } = fs.fstatSync(fd)
    sum.update(`file ${mode & 0o100} ${size}${size > mostBytes ? ` ${mtimeMs}` : ""}\0`)
    const part = Buffer.allocUnsafe(Math.min(size, partLength) || 1)
    for (let done = 0; done < Math.min(size, mostBytes);) {
      const got = fs.readSync(fd, part, 0, part.length, done)
      if (got === 0) break
      sum.update(part.subarray(0, got))
      done += got
    }
  } finally {
    fs.closeSync(fd)
  }
}

/** Adds everything at a path (in bytes) to a digest. Waits for no FIFO and follows no link. */
const addTree = (sum: Hash, path: string): void => {
  try {
    const facts = fs.lstatSync(pathOf(path))
    if (facts.isFile()) return addFile(sum, path)
    if (facts.isSymbolicLink()) return void sum.update("link\0").update(fs.readlinkSync(pathOf(path), "buffer"))
    if (!facts.isDirectory()) return void sum.update("special\0")
    sum.update("directory\0")
    for (const name of fs.readdirSync(pathOf(path), "latin1").sort()) {
      // Collecting lists the refs there for transports that only read files.
      if (name === "refs" && path.endsWith("/info")) continue
      sum.update(`\0${name}\0`)
      addTree(sum, `${path}/${name}`)
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    sum.update(`${error.code}\0`)
  }
}

const digestOf = (add: (sum: Hash) => void): string => {
  const sum = createHash("sha256")
  add(sum)
  return sum.digest("hex")
}

const factsAt = (path: string): fs.Stats | null => {
  try {
    return fs.lstatSync(pathOf(path))
  } catch {
    return null
  }
}

// Settings

const sectionLine = /^\[([A-Za-z0-9.-]+)(?: "((?:[^"\\]|\\.)*)")?\]$/
const entryLine = /^\t([A-Za-z][A-Za-z0-9-]*) = (?:[^"\\#;[]*|"[^"\\]*")$/
// What others set while they push, fetch, and collect.
const othersSettings =
  /^(?:branch\..*\.(?:remote|merge|rebase)|remote\..*\.fetch|(?:gc(?!\.recentobjectshook$)|maintenance)\..*)$/i
// Sections in which a setting may name a program that git runs, or a file that it reads.
const namingFiles =
  /^(?:core|diff|difftool|filter|gpg|include|includeif|interactive|merge|mergetool|pager|sequence|trailer)\b/i
const mostIncludes = 10

/**
 * Adds what a file of settings says to a digest, with the files that it names. A setting counts as somebody else's only
 * in the very form in which git writes it: where a line may continue the one before, or be of another section than it
 * seems, all count.
 */
const addSettings = (sum: Hash, path: string, top: string, depth = 0): void => {
  if (factsAt(path)?.isFile() !== true) addTree(sum, path)
  let head = ""
  let section: string | null = null
  let continues = false
  for (const line of plainText(pathOf(path)).split("\n")) {
    if (!continues && /^\s*(?:[#;].*)?$/.test(line)) continue
    const [, name, more] = sectionLine.exec(line) ?? []
    const [, key] = entryLine.exec(line) ?? []
    if (key === undefined || continues) section = continues || name === undefined ? null : [name, more].join(".")
    continues = line.endsWith("\\")
    if (name !== undefined || line.includes("[")) head = line
    if (section !== null && (key === undefined || othersSettings.test(`${section}.${key}`))) continue
    sum.update(`${head}\0${line}\0`)
    if (section !== null && !namingFiles.test(section)) continue
    // A path may hold blanks.
    const value = line.slice(line.indexOf("=") + 1).trim().replace(/^"(.*)"$/, "$1")
    for (const word of [value, ...line.split(/[\s"'`=;!|&()<>]+/)].filter((one) => one !== "")) {
      const named = word.startsWith("~/") ? latin1Of(homedir()) + word.slice(1) : word
      if (/hookspath/i.test(line)) addTree(sum, resolve(top, named))
      for (const file of new Set([resolve(top, named), resolve(dirname(path), named)])) {
        if (plainText(pathOf(file)) === "") continue
        sum.update(`${word}\0`)
        if (/path/i.test(line) && depth < mostIncludes) addSettings(sum, file, top, depth + 1)
        addTree(sum, fs.realpathSync(pathOf(file), "latin1"))
      }
    }
  }
}

// Values

const textAt = (path: string): string => plainText(pathOf(path)).trim()

/** The names in a directory; none if it cannot be read. */
const namesIn = (path: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(pathOf(path), "latin1").sort()
  } catch {
    return []
  }
}

/** The branch that HEAD is on, and those that an unfinished rebase is about. */
const branchesAt = (gitDirectory: string): ReadonlyArray<string> => [
  textAt(`${gitDirectory}/HEAD`).replace(/^ref: /, ""),
  ...["rebase-merge", "rebase-apply"].map((name) => textAt(`${gitDirectory}/${name}/head-name`))
]

/** That a file of notes on moves is there, and each note: its second, and the commit. */
const notesIn = (path: string): ReadonlyArray<string> =>
  factsAt(path) === null ? [] : [
    `${Number.MAX_SAFE_INTEGER} there`,
    ...textAt(path).split("\n").flatMap((line) => {
      const [, id, second] = /^\S+ (\S+) .*?> (\d+) /.exec(line) ?? []
      return id === undefined ? [] : [`${second} ${id}`]
    })
  ]

/** The refs of a git directory, loose or packed. */
const refsIn = (gitDirectory: string, common: string, on: string): Map<Name, string> => {
  const found = new Map<Name, string>()
  const walk = (place: string, directory: Name): void => {
    for (const one of namesIn(`${place}/${directory}`)) {
      const name = `${directory}/${one}`
      if (factsAt(`${place}/${name}`)?.isDirectory() === true) walk(place, name)
      else if (name === `${on}.lock`) found.set(name, "a lock")
      else if (!name.endsWith(".lock")) found.set(name, textAt(`${place}/${name}`))
    }
  }
  walk(common, "refs")
  for (const line of textAt(`${common}/packed-refs`).split("\n")) {
    const [, id = "", name] = /^([0-9a-f]{40,64}) (refs\/.*)$/.exec(line) ?? []
    // A loose ref that is empty was just packed.
    if (name !== undefined && (found.get(name) ?? "") === "") found.set(name, id)
  }
  if (gitDirectory === common) return found
  for (const name of found.keys()) if (/^refs\/(?:bisect|rewritten|worktree)\//.test(name)) found.delete(name)
  walk(gitDirectory, "refs")
  return found
}

/** The values of a git directory that is the part of this name. */
const valuesOf = (part: string, gitDirectory: string, common: string): GitValues => {
  const [on = ""] = branchesAt(gitDirectory)
  const refs = refsIn(gitDirectory, common, on)
  const stash = notesIn(`${common}/logs/refs/stash`).slice(1).map((note) => note.replace(/.* /, ""))
  const top = refs.get("refs/stash") ?? stash[0]
  refs.delete("refs/stash")
  const others = namesIn(`${common}/worktrees`).filter((id) => `${common}/worktrees/${id}` !== gitDirectory)
  const isBare = /^\s*bare\s*=\s*true/mi.test(plainText(pathOf(`${common}/config`)))
  return {
    part,
    on,
    refs: [...refs],
    stash: top === undefined ? [] : [...new Set([...stash, top])],
    worktrees: [
      ...(gitDirectory === common || isBare ? [] : [["the main one", branchesAt(common)] as const]),
      ...others.map((id) => [id, branchesAt(`${common}/worktrees/${id}`)] as const)
    ],
    moves: [`${gitDirectory}/logs/HEAD`, `${common}/logs/${on}`].flatMap((path, i) =>
      notesIn(path).map((note) => `${note} ${i}`)
    )
  }
}

/** The commit of HEAD; its own text without one. */
const headOf = ({ on, refs }: GitValues): string => new Map(refs).get(on) ?? on

// Parts

/** The parts of a git directory and of the directory that it shares with other worktrees. Paths are in bytes. */
const partsOf = (gitDirectory: string, common: string, top: string, values: GitValues): ReadonlyArray<GitPart> => {
  const places = [...new Set([gitDirectory, common])]
  const now = passing.filter((name) => factsAt(`${gitDirectory}/${name}`) !== null)
  return [
    {
      part: "HEAD",
      digest: digestOf((sum) => {
        addTree(sum, `${gitDirectory}/HEAD`)
        sum.update(headOf(values))
      })
    },
    {
      part: "config",
      digest: digestOf((sum) => {
        for (const path of [`${common}/config`, `${gitDirectory}/config.worktree`]) addSettings(sum, path, top)
      })
    },
    ...Object.entries(parts).map(([part, names]) => ({
      part,
      digest: digestOf((sum) => {
        for (const place of places) for (const name of names) addTree(sum, `${place}/${name}`)
      })
    })),
    ...now.map((part) => ({ part, digest: digestOf((sum) => addTree(sum, `${gitDirectory}/${part}`)) }))
  ]
}

/** A `.git` within the worktree at `root` (in bytes): the file itself, and the directory that it names. */
const nestedPart = (root: string, path: Name, index: ReadonlyArray<string>) => {
  const place = `${root}/${path}`
  const leadsTo = gitDirectoryAt(root, directoryOf(path))
  const shared = leadsTo === null ? "" : textAt(`${leadsTo}/commondir`)
  const common = leadsTo === null || shared === "" ? leadsTo : resolve(leadsTo, shared)
  const values = leadsTo === null || common === null ? null : valuesOf(path, leadsTo, common)
  const digest = digestOf((sum) => {
    if (leadsTo !== place) addTree(sum, place)
    if (leadsTo !== null && common !== null && values !== null) {
      for (const { digest, part } of partsOf(leadsTo, common, dirname(place), values)) sum.update(`${part} ${digest}\0`)
    }
    for (const entry of index) sum.update(`${entry}\0`)
  })
  const isBorn = values !== null && objectId.test(headOf(values))
  const kept = values?.refs.filter(([name]) => /^refs\/(?:heads|tags)\//.test(name)) ?? []
  const refs = digestOf((sum) => sum.update(jsonText([values?.on, kept, values?.stash])))
  return { part: { part: path, digest, ...(isBorn ? { refs } : {}) } satisfies GitPart, values }
}

/** What freezing found out about git directories and indexes. */
type Found = Pick<Frozen, "gitDirectories" | "index" | "nested">

/**
 * The state of git in a worktree: its own git directory by part, and each git directory within the worktree as a part
 * named by its path. `hooks` is the directory that `core.hooksPath` names.
 */
export const gitState = ({ common, gitDirectory, top }: Repository, hooks: string | null, found: Found) => {
  const root = latin1Of(top)
  const values = valuesOf("", latin1Of(gitDirectory), latin1Of(common))
  const lines = (all: ReadonlyArray<string>) =>
    digestOf((sum) => {
      for (const line of all) sum.update(`${line}\0`)
    })
  const indexes = new Map(found.nested.map(({ index, path }) => [`${path}/.git`, index]))
  const nested = found.gitDirectories.map((path) => nestedPart(root, path, indexes.get(path) ?? []))
  const all: ReadonlyArray<GitPart> = [
    ...partsOf(latin1Of(gitDirectory), latin1Of(common), root, values),
    { part: "index", digest: lines(found.index) },
    ...(hooks === null ? [] : [{ part: "other hooks", digest: digestOf((sum) => addTree(sum, latin1Of(hooks))) }]),
    ...nested.map(({ part }) => part)
  ]
  return { parts: all, values: [values, ...nested.flatMap((one) => one.values ?? [])] }
}

/** The digest of one git directory within a worktree, as in `gitState`. */
export const digestOfNested = ({ top }: Repository, path: Name, { nested }: Pick<Found, "nested">): string =>
  nestedPart(latin1Of(top), path, nested.find((one) => `${one.path}/.git` === path)?.index ?? []).part.digest

/** The parts of git's state of a frozen worktree; its values are in an object of the store. */
export const gitStateOf = Effect.fnUntraced(function*(store: Store, frozen: Frozen) {
  const { repository } = store
  const { gitDirectory, top } = repository
  // The last one is this program's own, which keeps hooks from running.
  const named = yield* theirs(gitDirectory, ["config", "-z", "--type=path", "--get-all", "core.hooksPath"], {
    accept: [0, 1, 128]
  })
  const path = named.out.split("\0").at(-3)
  const hooks = path === undefined ? null : resolve(top, utf8(path))
  const state = yield* tryFiles(gitDirectory, () => gitState(repository, hooks, frozen))
  const content = Buffer.from(jsonText(state.values))
  const [digest = ""] = yield* writeObjects(store, [{ type: "blob", content }])
  return [...state.parts, { part: sharedValues, digest }] satisfies ReadonlyArray<GitPart>
})

// Changes

const decodeValues = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(GitValues)))

/** The values of a snapshot in a private repository; none of one that an earlier version took. */
const sharedIn = Effect.fnUntraced(function*(dir: string, { git }: Snapshot) {
  const ids = git.flatMap(({ digest, part }) => part === sharedValues ? [digest] : [])
  const [content] = yield* contentsOf({ dir }, ids)
  return Option.getOrElse(decodeValues(content?.toString() ?? ""), () => [])
})

/** Whether a ref still has its old commit among its ancestors; false if that is unknown. */
const isForward = Effect.fnUntraced(function*(dir: string, gitDirectory: string | null, { from, to }: Moved) {
  const lent = gitDirectory === null ? {} : { env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: headAt(gitDirectory).objects } }
  const asked = ["merge-base", "--is-ancestor", from, to]
  return (yield* ours({ gitDirectory: dir }, asked, { accept: [0, 1, 128], ...lent })).code === 0
})

/** What differs in git's state between two snapshots in the private repository `dir`. */
export const changesBetween = Effect.fn("GitState.changesBetween")(
  function*(dir: string, before: Snapshot, after: Snapshot) {
    const changed = changedParts(before.git, after.git).map(shownName)
    const noted: Array<string> = []
    const [then, now] = [yield* sharedIn(dir, before), yield* sharedIn(dir, after)]
    if (then.length === 0 || now.length === 0) changed.push("refs")
    for (const { part, ...one } of then) {
      const other = now.find((two) => two.part === part)
      // A git directory that went or came is a part by itself.
      if (other === undefined) continue
      const where = part === "" ? "" : `${shownName(part)}: `
      const inner = part === "" ? null : gitDirectoryAt(latin1Of(after.worktree), directoryOf(part))
      const found = gitChanges(one, other, Date.parse(after.at) / 1000)
      const lost: Array<string> = []
      const kept: Array<string> = []
      for (const move of found.moved) {
        if (yield* isForward(dir, inner, move)) kept.push(notedText(move))
        else lost.push(movedText(move))
      }
      changed.push(...[...found.changed, ...lost].map((text) => where + text))
      noted.push(...[...found.noted, ...kept].map((text) => where + text))
    }
    return { changed, noted }
  }
)
