// GitState.live: git's own state as one digest for each part, computed from its files.
// What an agent changes there outlives an undo: a hook, a setting that names a program, a removed reflog. Git is not
// asked, since a setting that an agent has just written could make it run a program.
import { createHash, type Hash } from "node:crypto"
import * as fs from "node:fs"
import { resolve } from "node:path"
import { hasCode, isSystemError } from "../platform/SystemError.ts"
import type { Frozen } from "./Frozen.ts"
import { directoryOf, type Name } from "./Names.ts"
import { gitDirectoryAt, latin1Of, pathOf } from "./Nested.live.ts"
import { plainText, type Repository } from "./Repository.live.ts"

/** A part of git's state: one or several files of a git directory, or a git directory within the worktree. */
export interface GitPart {
  readonly part: string
  readonly digest: string
  readonly refs?: string
}

// Files of a git directory by the part that they belong to. `FETCH_HEAD`, `ORIG_HEAD`, `COMMIT_EDITMSG` and objects
// decide nothing. The index is compared by its entries, since reading a worktree updates the times in it.
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  HEAD: ["HEAD"],
  refs: ["refs", "packed-refs", "reftable"],
  config: ["config", "config.worktree"],
  hooks: ["hooks"],
  info: ["info"],
  reflogs: ["logs"],
  shallow: ["shallow"],
  alternates: ["objects/info/alternates", "objects/info/http-alternates"],
  worktree: ["commondir", "gitdir"]
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
  "config.lock",
  "index.lock",
  "packed-refs.lock",
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

const isThere = (path: string): boolean => {
  try {
    fs.lstatSync(pathOf(path))
    return true
  } catch (error) {
    return !hasCode(error, "ENOENT") && !hasCode(error, "ENOTDIR")
  }
}

/** The parts of a git directory and of the directory that it shares with other worktrees. Paths are in bytes. */
const partsOf = (gitDirectory: string, common: string): ReadonlyArray<GitPart> => {
  const places = [...new Set([gitDirectory, common])]
  const always = Object.entries(parts).map(([part, names]) => ({
    part,
    digest: digestOf((sum) => {
      for (const place of places) for (const name of names) addTree(sum, `${place}/${name}`)
    })
  }))
  const now = passing.filter((name) => places.some((place) => isThere(`${place}/${name}`)))
  return [
    ...always,
    ...now.map((part) => ({
      part,
      digest: digestOf((sum) => {
        for (const place of places) addTree(sum, `${place}/${part}`)
      })
    }))
  ]
}

/**
 * The digest of a `.git` within the worktree at `root` (in bytes): of the file itself and of the directory it names.
 */
const nestedDigest = (root: string, path: Name, index: ReadonlyArray<string>): string =>
  digestOf((sum) => {
    const place = `${root}/${path}`
    const leadsTo = gitDirectoryAt(root, directoryOf(path))
    if (leadsTo !== place) addTree(sum, place)
    if (leadsTo !== null) {
      const shared = plainText(pathOf(`${leadsTo}/commondir`)).trim()
      const common = shared === "" ? leadsTo : resolve(leadsTo, shared)
      for (const { digest, part } of partsOf(leadsTo, common)) sum.update(`${part} ${digest}\0`)
    }
    for (const entry of index) sum.update(`${entry}\0`)
  })

/** What freezing found out about git directories and indexes. */
type Found = Pick<Frozen, "gitDirectories" | "index" | "nested">

/**
 * The state of git in a worktree: its own git directory by part, and each git directory within the worktree as a part
 * named by its path. `hooks` is the directory that `core.hooksPath` names.
 */
export const gitState = ({ common, gitDirectory, top }: Repository, hooks: string | null, found: Found) => {
  const root = latin1Of(top)
  const own = partsOf(latin1Of(gitDirectory), latin1Of(common))
  const lines = (all: ReadonlyArray<string>) =>
    digestOf((sum) => {
      for (const line of all) sum.update(`${line}\0`)
    })
  const nested = new Map(found.nested.map(({ index, path }) => [`${path}/.git`, index]))
  return [
    ...own,
    { part: "index", digest: lines(found.index) },
    ...(hooks === null ? [] : [{ part: "other hooks", digest: digestOf((sum) => addTree(sum, latin1Of(hooks))) }]),
    ...found.gitDirectories.map((path) => ({ part: path, digest: nestedDigest(root, path, nested.get(path) ?? []) }))
  ] satisfies ReadonlyArray<GitPart>
}

/** The digest of one git directory within a worktree, as in `gitState`. */
export const digestOfNested = ({ top }: Repository, path: Name, { nested }: Pick<Found, "nested">): string =>
  nestedDigest(latin1Of(top), path, nested.find((one) => `${one.path}/.git` === path)?.index ?? [])
