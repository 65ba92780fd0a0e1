// OutFilesLive: files that a person has asked for, on this machine.
import * as fs from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { OutFileFailed, type OutFileReason, OutFiles } from "../../services/OutFiles.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"
import { replaceFile } from "./SmallFile.ts"

/** Where a link leads; the path itself where nothing is there. */
const targetOf = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return path
    throw error
  }
}

/** A new file is for its user alone: a report holds the code under review. */
const write = (path: string, text: string): void => {
  const refused = (reason: OutFileReason) => new OutFileFailed({ path, reason })
  const target = targetOf(path)
  const there = fs.statSync(target, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) throw refused({ _tag: "IsDirectory" })
  if (there?.isFile() === false) throw refused({ _tag: "NoPlainFile" })
  // A link that leads to nothing would be replaced.
  if (there === undefined && fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    throw refused({ _tag: "NoPlainFile" })
  }
  const directory = dirname(target)
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refused({ _tag: "NoDirectory", directory })
  }
  replaceFile(target, text, there === undefined ? 0o600 : there.mode & 0o777)
}

/** The live layer. */
export const layer = Layer.succeed(
  OutFiles,
  OutFiles.of({
    write: Effect.fn("OutFiles.write")((cwd: string, name: string, text: string) => {
      const path = resolve(cwd, name)
      return Effect.try({
        try: () => write(path, text),
        catch: (error) =>
          error instanceof OutFileFailed ? error : new OutFileFailed({ path, reason: systemFault(error) })
      })
    })
  })
)
