// UserFiles.live: files on this machine that a person names.
import * as fs from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { isIgnored } from "../code/PlainFiles.live.ts"
import { worktreeAt } from "../code/Repository.live.ts"
import { systemFault } from "../platform/SystemError.ts"
import { linkTarget, replaceFile } from "../run/SmallFile.live.ts"
import { InFileFailed, type InFileReason, InFiles, OutFileFailed, type OutFileReason, OutFiles } from "./UserFiles.ts"

// Files that a person names to be read, on this machine.

const read = (path: string, most: number): string => {
  const refused = (reason: InFileReason) => new InFileFailed({ path, reason })
  // Opening a pipe does not wait.
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    const { size } = fs.fstatSync(fd)
    if (!fs.fstatSync(fd).isFile()) throw refused({ _tag: "NoPlainFile" })
    if (size > most) throw refused({ _tag: "TooLarge", most })
    return fs.readFileSync(fd, "utf8")
  } finally {
    fs.closeSync(fd)
  }
}

/** The live layer. */
export const inFilesLayer = Layer.succeed(
  InFiles,
  InFiles.of({
    read: Effect.fn("InFiles.read")((cwd: string, name: string, most: number) => {
      const path = resolve(cwd, name)
      return Effect.try({
        try: () => read(path, most),
        catch: (error) => error instanceof InFileFailed ? error : new InFileFailed({ path, reason: systemFault(error) })
      })
    })
  })
)

// Files that a person has asked for, on this machine.

/** A new file is private to its user: a report holds the code under review. */
const write = (path: string, text: string): void => {
  const refused = (reason: OutFileReason) => new OutFileFailed({ path, reason })
  const target = linkTarget(path)
  const there = fs.statSync(target, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) throw refused({ _tag: "IsDirectory" })
  if (there?.isFile() === false) throw refused({ _tag: "NoPlainFile" })
  // A dangling link would be replaced.
  if (there === undefined && fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    throw refused({ _tag: "NoPlainFile" })
  }
  const directory = dirname(target)
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refused({ _tag: "NoDirectory", directory })
  }
  replaceFile(target, text, there === undefined ? 0o600 : there.mode & 0o777)
}

/** A path with its links resolved; only its last part may be missing. */
const realPath = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** Whether a path is a `.git` or lies in a git directory, by whatever name. */
const isGit = (path: string): boolean =>
  basename(path) === ".git" || (fs.existsSync(join(path, "HEAD")) &&
    ["objects", "commondir"].some((name) => fs.existsSync(join(path, name)))) ||
  (dirname(path) !== path && isGit(dirname(path)))

/** The worktree in which a new file at a path would count as code, or null. */
const codeAt = Effect.fnUntraced(function*(cwd: string, path: string) {
  const { top } = yield* worktreeAt(cwd)
  const name = relative(fs.realpathSync(top), join(realPath(dirname(path)), basename(path)))
  if (name.startsWith("..") || isAbsolute(name)) return null
  return (yield* isIgnored(top, name)) ? null : top
}, Effect.orElseSucceed(() => null))

/** The live layer. */
export const outFilesLayer = Layer.succeed(
  OutFiles,
  OutFiles.of({
    write: Effect.fn("OutFiles.write")(function*(cwd: string, name: string, text: string) {
      const path = resolve(cwd, name)
      if (isGit(realPath(path))) {
        return yield* new OutFileFailed({ path, reason: { _tag: "IsGit" } })
      }
      const worktree = yield* codeAt(cwd, path)
      if (worktree !== null) return yield* new OutFileFailed({ path, reason: { _tag: "IsCode", worktree } })
      yield* Effect.try({
        try: () => write(path, text),
        catch: (error) =>
          error instanceof OutFileFailed ? error : new OutFileFailed({ path, reason: systemFault(error) })
      })
    })
  })
)
