// Index: the entries of an index as `git ls-files --stage` lists them, with their digest.
// Names are bytes. Each byte is kept as one character, so that two names that are no UTF-8 do not become equal.
import { createHash } from "node:crypto"
import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { whyNot } from "../platform/Exec.ts"
import { git } from "../platform/GitCommand.ts"
import type { Scratch } from "./Scratch.live.ts"

/**
 * An index as it was listed. In `text` a NUL separates the entries, a byte is a character, and flags are left out. The
 * digest counts those files whose changes a flag hides from git, and so from its readers.
 */
export interface Listed {
  readonly text: string
  readonly digest: string
  /** The entries with a flag that hides changes of their files from git. */
  readonly hidden: { readonly assumed: ReadonlyArray<string>; readonly skipped: ReadonlyArray<string> }
}

/** The bytes of a name that was listed as characters. */
export const nameOf = (latin1: string): string => Buffer.from(latin1, "latin1").toString("utf8")

const pathOf = (entry: string): string => entry.slice(entry.indexOf("\t") + 1)

/** Parts a list from the letter before each of its entries; a small one is assumed unchanged, an S is skipped. */
const parted = (list: string) => {
  // In place and byte by byte: expressions over a hundred thousand entries take longer than git does.
  const bytes = Buffer.from(list, "latin1")
  const flagged: Array<string> = []
  let kept = 0
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) {
    if (/[a-zS]/.test(String.fromCharCode(bytes[at] ?? 0))) flagged.push(bytes.toString("latin1", at, end))
    bytes.copyWithin(kept, at + 2, end + 1)
    kept += end - at - 1
  }
  return { entries: bytes.subarray(0, kept), flagged }
}

/** Lists the index of a scratch; fails with one line why not. */
export const listIndex = Effect.fnUntraced(function*(root: string, { env }: Scratch) {
  const done = yield* git(root, ["ls-files", "-v", "--stage", "-z"], env, { encoding: "latin1" })
  if (done.code !== 0) return yield* Effect.fail(whyNot("git", done))
  const { entries, flagged } = parted(done.stdout)
  const names = (flag: RegExp) => flagged.filter((entry) => flag.test(entry)).map(pathOf)
  const hidden = { assumed: names(/^[a-z]/), skipped: names(/^[Ss]/) }
  const there = hidden.skipped.filter((name) => existsSync(join(root, nameOf(name))))
  const flags = [...new Set([...hidden.assumed, ...there])].map((name) => `hidden ${name}\0`).join("")
  return {
    text: entries.toString("latin1"),
    digest: createHash("sha256").update(entries).update(flags, "latin1").digest("hex"),
    hidden
  } satisfies Listed
})

/** The submodules and nested repositories that an index names, in its order. */
export const repositoriesIn = ({ text }: Listed): ReadonlyArray<string> =>
  `\0${text}`.split("\x00160000 ").slice(1).map((rest) => pathOf(rest.split("\0", 1)[0] ?? ""))

/** The directories of the files in an index, each with those above it; the worktree's root is "". */
export const directoriesIn = ({ text }: Pick<Listed, "text">): ReadonlySet<string> => {
  const found = new Set([""])
  let last = ""
  // A list of a hundred thousand entries is not taken apart for the few directories in it.
  for (let at = 0, end = text.indexOf("\0"); end >= 0; at = end + 1, end = text.indexOf("\0", at)) {
    const name = text.indexOf("\t", at) + 1
    const slash = text.lastIndexOf("/", end)
    if (slash < name) continue
    let directory = text.slice(name, slash)
    if (directory === last) continue
    last = directory
    while (!found.has(directory)) {
      found.add(directory)
      directory = directory.slice(0, Math.max(0, directory.lastIndexOf("/")))
    }
  }
  return found
}

/** Whether an index has a name that another one lacks. Both are in git's order of names. */
export const hasNewName = (from: Listed, to: Listed): boolean => {
  const [before, after] = [from.text.split("\0"), to.text.split("\0")]
  let i = 0
  // A list ends in a NUL, so that its last part is no entry.
  for (const entry of after.slice(0, -1)) {
    if (entry === before[i]) {
      i++
      continue
    }
    const name = pathOf(entry)
    while (i < before.length - 1 && pathOf(before[i] ?? "") <= name) i++
    if (pathOf(before[i - 1] ?? "") !== name) return true
  }
  return false
}

/** The stages of each name in it. */
const stagesOf = ({ text }: Listed): ReadonlyMap<string, string> => {
  const stages = new Map<string, string>()
  for (const entry of text.split("\0")) {
    if (entry !== "") stages.set(pathOf(entry), `${stages.get(pathOf(entry)) ?? ""}${entry}\0`)
  }
  return stages
}

/** What `git update-index --index-info -z` must read to turn one index into another; empty where they are the same. */
export const changedEntries = (from: Listed, to: Listed): string => {
  if (from.digest === to.digest) return ""
  const [present, wanted] = [stagesOf(from), stagesOf(to)]
  const length = /^\d+ ([0-9a-f]+) /.exec(from.text || to.text)?.[1]?.length ?? 40
  const removed = (name: string) => `0 ${"0".repeat(length)}\t${name}\0`
  const names = [...new Set([...present.keys(), ...wanted.keys()])]
  return names.filter((name) => present.get(name) !== wanted.get(name))
    .map((name) => removed(name) + (wanted.get(name) ?? "")).join("")
}

/** Where a name that was listed as characters lies, byte by byte. */
export const placeOf = (root: string, name: string): Buffer =>
  Buffer.from(`${Buffer.from(root).toString("latin1")}/${name}`, "latin1")

const isThere = (root: string, name: string): boolean =>
  lstatSync(placeOf(root, name), { throwIfNoEntry: false }) !== undefined

/**
 * Takes the flags away that keep git from looking at files: all that are assumed unchanged, and those left out of the
 * working copy that are there all the same. Fails with one line why not.
 */
export const unhide = Effect.fnUntraced(function*(root: string, { env }: Scratch, { hidden }: Listed) {
  const skipped = hidden.skipped.filter((name) => isThere(root, name))
  for (const [flag, names] of [["--no-assume-unchanged", hidden.assumed], ["--no-skip-worktree", skipped]] as const) {
    if (names.length === 0) continue
    const input = names.map((name) => `${name}\0`).join("")
    const done = yield* git(root, ["update-index", flag, "-z", "--stdin"], env, { input, encoding: "latin1" })
    if (done.code !== 0) return yield* Effect.fail(whyNot("git", done))
  }
})

/** Whether a directory of a worktree is a repository of its own, by what every repository's worktree has. */
export const isRepository = (root: string, name: string): boolean => existsSync(join(root, nameOf(name), ".git"))
