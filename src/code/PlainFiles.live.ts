// PlainFiles.live: small plain files, no link followed.
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { codeDirectory } from "../run/Layout.live.ts"
import { PlainFileFailed, type PlainFileFrom, type PlainFileReason, PlainFiles } from "./PlainFiles.ts"
import { makeDirectories } from "../platform/Files.ts"
import { hasCode, systemFault } from "../platform/SystemError.ts"
import { asked, storeToRead } from "./Asked.live.ts"
import { baseOf, commitOf } from "./Base.live.ts"
import { CodeFailed } from "./CodeFailed.ts"
import { isPathIgnored } from "./Freeze.live.ts"
import { ours } from "./SafeGit.live.ts"
import type { Store } from "./Store.live.ts"
import { damagedFirst, knownFirst } from "./Trusted.live.ts"

// Small plain files of a directory or of a commit.
// No link is followed, and in a commit only a plain file counts: what is read is what git shows.

/** The most that is read: such files are far smaller. */
const most = 1024 * 1024

// Opening a pipe must not wait.
const noLink = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

/** Opens a file, or null if it is missing. Throws for a link and for anything but a plain file. */
export const opened = (top: string, name: string, flags: number): number | null => {
  const failed = new PlainFileFailed({ name, reason: { _tag: "NoPlainFile" } })
  const directory = fs.lstatSync(join(top, dirname(name)), { throwIfNoEntry: false })
  if (directory === undefined) return null
  if (!directory.isDirectory()) throw failed
  try {
    const fd = fs.openSync(join(top, name), flags | noLink, 0o644)
    if (fs.fstatSync(fd).isFile()) return fd
    fs.closeSync(fd)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    if (!hasCode(error, "ELOOP")) throw error
  }
  throw failed
}

const inDirectory = (top: string, name: string): string => {
  const fd = opened(top, name, fs.constants.O_RDONLY)
  if (fd === null) return ""
  try {
    if (fs.fstatSync(fd).size > most) throw new PlainFileFailed({ name, reason: { _tag: "TooLarge", most } })
    return fs.readFileSync(fd, "utf8")
  } finally {
    fs.closeSync(fd)
  }
}

const reasonOf = ({ message, reason }: CodeFailed): PlainFileReason => {
  if (reason._tag === "Git") return reason.fault
  if (reason._tag === "System") return reason.fault
  return { _tag: "ProgramFailed", program: "git", status: null, said: message }
}

/**
 * Whether git ignores a file of a worktree. Git itself is not asked: it would wait for a FIFO among its ignore files.
 */
export const isIgnored = (worktree: string, name: string): Effect.Effect<boolean, CodeFailed> =>
  asked(worktree, (store) => isPathIgnored(store, Buffer.from(name).toString("latin1")))

/** Fails if git ignores a file of a worktree. */
export const refuseIgnored = Effect.fnUntraced(function*(worktree: string, name: string) {
  const failed = (reason: PlainFileReason) => new PlainFileFailed({ name, reason })
  const ignored = Effect.mapError(isIgnored(worktree, name), (error) => failed(reasonOf(error)))
  if (yield* ignored) return yield* failed({ _tag: "Ignored" })
})

/** The text of a file in a commit, or in the commit of a base branch. */
const inCommit = Effect.fnUntraced(function*(store: Store, name: string, from: InCommit) {
  const failed = (reason: PlainFileReason) => new PlainFileFailed({ name, reason })
  const [named, commit] = from._tag === "Base"
    ? [from.branch, (yield* baseOf(store, from.branch)).compared] as const
    : [from.revision, yield* commitOf(store, from.revision)] as const
  return commit === null ? yield* failed({ _tag: "NoCommit", revision: named }) : yield* inTree(store, name, commit)
})

/** The text of a file in a tree, or in the tree of a commit. */
const inTree = Effect.fnUntraced(function*(store: Store, name: string, tree: string) {
  const failed = (reason: PlainFileReason) => new PlainFileFailed({ name, reason })
  const own = { gitDirectory: store.dir }
  const { out: entry } = yield* ours(own, ["ls-tree", "--full-tree", "--long", tree, "--", name])
  if (entry === "") return ""
  const [mode = "", , blob = "", size = ""] = entry.trim().split(/\s+/)
  if (!mode.startsWith("100")) return yield* failed({ _tag: "NoPlainFile" })
  if (Number(size) > most) return yield* failed({ _tag: "TooLarge", most })
  const { out } = yield* ours(own, ["cat-file", "blob", blob])
  return Buffer.from(out, "latin1").toString()
})

const asPlainFile = (name: string) =>
  Effect.mapError((error: CodeFailed | PlainFileFailed) =>
    error instanceof CodeFailed ? new PlainFileFailed({ name, reason: reasonOf(error) }) : error
  )

type InCommit = Extract<PlainFileFrom, { readonly _tag: "Base" | "Revision" }>

/** The text of a file in the code of a run's first batch; null before that. */
const inFirst = Effect.fnUntraced(function*(top: string, name: string, run: RunRef) {
  if (!fs.existsSync(join(codeDirectory(run), "HEAD"))) return null
  const store = yield* storeToRead(run, top)
  const tree = yield* knownFirst(store)
  return tree === null ? null : yield* Effect.mapError(inTree(store, name, tree), damagedFirst(store))
})

/** Reads a file; see `PlainFiles`. */
export const readPlainFile: (
  top: string,
  name: string,
  from: PlainFileFrom
) => Effect.Effect<string, PlainFileFailed> = Effect.fn("PlainFiles.read")(function*(top, name, from) {
  const failed = (reason: PlainFileReason) => new PlainFileFailed({ name, reason })
  const asPlain = asPlainFile(name)
  if (from._tag === "First") {
    const first = yield* asPlain(inFirst(top, name, from.run))
    return first ?? (yield* readPlainFile(top, name, { _tag: "Worktree" }))
  }
  if (from._tag === "Directory" || from._tag === "Worktree") {
    const text = yield* Effect.try({
      try: () => inDirectory(top, name),
      catch: (error) => error instanceof PlainFileFailed ? error : failed(systemFault(error))
    })
    if (from._tag === "Worktree" && text !== "") yield* refuseIgnored(top, name)
    return text
  }
  return yield* asPlain(asked(top, (store) => inCommit(store, name, from)))
})

/** Reads a file of a commit that a private repository has; empty if the file is missing. */
export const readCommittedFile = (store: Store, name: string, commit: string) =>
  asPlainFile(name)(inTree(store, name, commit))

const createIn = (top: string, name: string, text: string): void => {
  makeDirectories(join(top, dirname(name)))
  const fd = opened(top, name, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL)
  if (fd === null) throw new PlainFileFailed({ name, reason: { _tag: "NoPlainFile" } })
  try {
    fs.writeSync(fd, text)
    fs.fsyncSync(fd)
  } catch (error) {
    fs.rmSync(join(top, name), { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

const create = Effect.fn("PlainFiles.create")((top: string, name: string, text: string) =>
  Effect.try({
    try: () => createIn(top, name, text),
    catch: (error) =>
      error instanceof PlainFileFailed
        ? error
        : new PlainFileFailed({ name, reason: hasCode(error, "EEXIST") ? { _tag: "Exists" } : systemFault(error) })
  })
)

/** The live layer. Needs git if a commit is read. */
export const layer = Layer.succeed(PlainFiles, { read: readPlainFile, create })
