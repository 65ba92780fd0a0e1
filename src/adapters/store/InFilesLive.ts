// InFilesLive: files that a person names to be read, on this machine.
import * as fs from "node:fs"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { InFileFailed, InFiles, type InFileReason } from "../../services/InFiles.ts"
import { systemFault } from "../process/SystemError.ts"

const read = (path: string, most: number): string => {
  const refused = (reason: InFileReason) => new InFileFailed({ path, reason })
  // A pipe is not waited for.
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
export const layer = Layer.succeed(
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
