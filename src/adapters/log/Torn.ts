// Torn: cuts a tail that no newline ends, and keeps what was cut.
// A tail that cannot be saved durably is not cut.
import { basename, join } from "node:path"
import type { LogEvent } from "../../core/log/LogEvent.ts"
import { hasCode } from "../process/SystemError.ts"
import type { LogFiles } from "../store/Layout.ts"
import { type Files, readRange, withFile, writeWhole } from "./Files.ts"
import { sha256 } from "./Line.ts"

/**
 * Saves the bytes of an open log from `offset` to its end in `torn/<offset>-<sha8>`, then cuts them off. Killed in
 * between, the next writer finds the same bytes and saves them under the same name.
 */
export const cutTail = (files: Files, names: LogFiles, fd: number, offset: number): void => {
  const bytes = readRange(files, fd, offset, files.size(fd))
  const kept = join(names.torn, `${offset}-${sha256(bytes).slice(0, 8)}`)
  files.makeDirectory(names.torn)
  withFile(files, kept, "replace", (evidence) => {
    writeWhole(files, evidence, kept, bytes)
    files.datasync(evidence)
  })
  files.syncDirectory(names.torn)
  files.syncDirectory(names.directory)
  files.truncate(fd, offset)
  files.datasync(fd)
}

/**
 * The repairs at the end of a log that no line tells of yet: evidence cut at exactly the offset where the next line
 * will begin. Found again from the directory, so a writer killed after cutting leaves nothing unsaid.
 */
export const untoldRepairs = (files: Files, names: LogFiles, offset: number): ReadonlyArray<LogEvent> => {
  try {
    return files.list(names.torn).filter((name) => name.startsWith(`${offset}-`)).sort().map((name) => ({
      _tag: "TailRepaired",
      offset,
      bytes: files.facts(join(names.torn, name)).size,
      kept: `${basename(names.torn)}/${name}`
    }))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return []
    throw error
  }
}
