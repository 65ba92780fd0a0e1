// Files: the file calls of the log, gathered in one record so that a test can fail, count or kill each of them.
// Synchronous calls only; a promise-based append splits large writes and tears lines.
import * as fs from "node:fs"
import { Effect } from "effect"
import { makeDirectories } from "../platform/Files.ts"
import { hasCode, isSystemError, systemFault } from "../platform/SystemError.ts"
import {
  LogConflict,
  LogDamaged,
  type LogError,
  LogMissing,
  LogRewound,
  LogTooNew,
  LogUnavailable
} from "./EventLog.ts"

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants

/** What the log needs to know about a file. */
export interface FileFacts {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mode: number
  readonly uid: number
}

/** How a file is opened: for reading, for appending (created or not), or as a new file in place of an old one. */
export type OpenMode = "read" | "append" | "create" | "replace"

const flags = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  create: O_RDWR | O_APPEND | O_CREAT,
  replace: O_WRONLY | O_CREAT | O_EXCL
} as const satisfies Record<OpenMode, number>

/** The file calls of the log; each one throws the system's error. New files are 0600, new directories 0700. */
export interface Files {
  readonly open: (path: string, mode: OpenMode) => number
  /** Reads into `into` from `position`; returns how many bytes came. */
  readonly read: (fd: number, into: Uint8Array, position: number) => number
  /** One write call; returns the number of written bytes. On a full disk that is fewer than given, without an error. */
  readonly write: (fd: number, bytes: Uint8Array) => number
  readonly datasync: (fd: number) => void
  readonly truncate: (fd: number, size: number) => void
  readonly close: (fd: number) => void
  readonly size: (fd: number) => number
  readonly rename: (from: string, to: string) => void
  readonly list: (directory: string) => ReadonlyArray<string>
  readonly facts: (path: string) => FileFacts
  /** Creates a directory and its missing parents. */
  readonly makeDirectory: (path: string) => void
  /** Makes the entries of a directory durable. */
  readonly syncDirectory: (path: string) => void
}

const syncDirectory = (path: string): void => withFile(nodeFiles, path, "read", fs.fsyncSync)

export const nodeFiles: Files = {
  open: (path, mode) => {
    try {
      return fs.openSync(path, flags[mode], 0o600)
    } catch (error) {
      if (mode !== "replace" || !hasCode(error, "EEXIST")) throw error
    }
    // A file that is truncated and written again could hold its old bytes after a power loss; a new one cannot. An old
    // file exists only after a kill, so it is not removed before trying: that would cost every mark a millisecond.
    fs.rmSync(path, { force: true })
    return fs.openSync(path, flags[mode], 0o600)
  },
  read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
  write: (fd, bytes) => fs.writeSync(fd, bytes, 0, bytes.length),
  datasync: fs.fdatasyncSync,
  truncate: fs.ftruncateSync,
  close: fs.closeSync,
  size: (fd) => fs.fstatSync(fd).size,
  rename: fs.renameSync,
  list: fs.readdirSync,
  facts: fs.statSync,
  makeDirectory: makeDirectories,
  syncDirectory
}

/** Closes a descriptor. An error changes nothing: the descriptor is gone, and durable data was synced before. */
export const close = (files: Pick<Files, "close">, fd: number): void => {
  try {
    files.close(fd)
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

/** Opens a file for the length of `use`. */
export const withFile = <A>(files: Files, path: string, mode: OpenMode, use: (fd: number) => A): A => {
  const fd = files.open(path, mode)
  try {
    return use(fd)
  } finally {
    close(files, fd)
  }
}

/** Fills `into` from `position` of an open file; returns how many bytes were read, fewer only at the file's end. */
export const readFully = (files: Files, fd: number, into: Uint8Array, position: number): number => {
  let filled = 0
  while (filled < into.length) {
    const count = files.read(fd, into.subarray(filled), position + filled)
    if (count === 0) break
    filled += count
  }
  return filled
}

/** The bytes of an open file from `start` up to `end`; fewer if the file has become shorter. */
export const readRange = (files: Files, fd: number, start: number, end: number): Uint8Array => {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start))
  return bytes.subarray(0, readFully(files, fd, bytes, start))
}

/** Writes the bytes with one call. Throws the system's error, or LogUnavailable if only a part was written. */
export const writeWhole = (files: Files, fd: number, path: string, bytes: Uint8Array): void => {
  const written = files.write(fd, bytes)
  if (written !== bytes.length) {
    throw new LogUnavailable({ path, reason: { _tag: "ShortWrite", written, bytes: bytes.length } })
  }
}

// Errors of file calls as errors of the port. Only the system's own are translated: anything else is a defect.

const isOfThePort = (error: unknown): error is LogError =>
  error instanceof LogMissing || error instanceof LogDamaged || error instanceof LogRewound ||
  error instanceof LogTooNew || error instanceof LogUnavailable || error instanceof LogConflict

const translate =
  <E extends LogError>(path: string, isExpected: (error: LogError) => error is E) =>
  (error: unknown): E | LogUnavailable => {
    if (isOfThePort(error) && isExpected(error)) return error
    if (isSystemError(error)) return new LogUnavailable({ path, reason: systemFault(error) })
    throw error
  }

const isAny = (_: LogError): _ is LogError => true
const isOfReading = (error: LogError): error is Exclude<LogError, LogConflict> => error._tag !== "LogConflict"

/** Runs the synchronous calls of a reader; `path` names the log in translated errors. */
export const reading = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: translate(path, isOfReading) })

/** Runs the synchronous calls of a writer. */
export const writing = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: translate(path, isAny) })
