// Journal: the journal of a guarded command: which wrapper guards it, and what happened to it.
// The wrapper creates it with O_EXCL, or whoever fences the job (so that it can never start). Then it only grows.
import * as fs from "node:fs"
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Variables } from "../Environment.ts"
import { makeDirectories, openOnDisk, type OpenFile, sliceOf, withFile } from "../Files.ts"
import { bootId } from "../Processes.ts"
import { hasCode } from "../SystemError.ts"
import type { Job, JobFiles, LogLine, EarlyEnd } from "./Job.ts"

/** A process, distinguished from a later one with the same pid by its start and the boot. */
export interface ProcessRecord {
  readonly pid: number
  /** As in `Process`; null if neither /proc nor ps showed it. */
  readonly start: string | null
  readonly boot: string | null
}

interface WrapperProcess extends ProcessRecord {
  readonly id: string
}

/** The command's process group, which is also its session; its leader has the same number. */
export interface Group {
  readonly pgid: number
  readonly start: string | null
}

/** How a command ended before its wrapper joined the files: its status, and the final sizes of both outputs. */
interface CommandEnd {
  readonly status: number
  readonly logBytes: number
  readonly outBytes: number
}

/** The time since which a transcript's end, from byte `from` on, holds only lines without progress. Epoch ms. */
export interface Stall {
  readonly from: number
  readonly kind: "silent" | "network"
  readonly since: number
}

/**
 * The contents of a journal. Its first line is `attempt <id> <pid> <start> <boot>` or `fenced <id>`; then come any of
 * `line <seq> <hash>`, `group <pgid> <start>`, `deadline`, `transcript`, `idle`, `asked`, `stopped <signal>`, `silent
 * <from> <since>`, `network <from> <since>`, and last `ended <status> <log bytes> <out bytes>` or `lost`; or `unstarted`, if
 * there was no space for the exit status. Unknown lines are ignored. The first line of an `Opened` journal is not complete, so
 * nothing has run yet.
 */
type Journal =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Fenced" }
  | { readonly _tag: "Opened" }
  | {
    readonly _tag: "Started"
    readonly wrapper: WrapperProcess
    /** The line of a log that committed the job, or null. */
    readonly line: LogLine | null
    readonly group: Group | null
    readonly struck: ReadonlyArray<EarlyEnd>
    readonly stalls: ReadonlyArray<Stall>
    readonly end: CommandEnd | null
    /** Whether a process that had seen the wrapper alive saw that it was gone. */
    readonly lost: boolean
  }
export type StartedJournal = Extract<Journal, { readonly _tag: "Started" }>

const known = (text: string | undefined): string | null => text === undefined || text === "-" ? null : text
const number = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

const strikes: ReadonlyArray<EarlyEnd> = ["deadline", "transcript", "stopped", "idle", "asked"]

/** Reads a journal's text. */
export const parseJournal = (text: string): Journal => {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const [first = "", ...rest] = whole.split("\n").slice(0, -1)
  const [word, id = "", pidText, start, boot] = first.split(" ")
  if (word === "fenced") return { _tag: "Fenced" }
  const pid = number(pidText)
  if (word !== "attempt" || pid === null || pid < 2) return { _tag: "Opened" }
  let line: LogLine | null = null
  let group: Group | null = null
  const struck: Array<EarlyEnd> = []
  const stalls: Array<Stall> = []
  let end: CommandEnd | null = null
  let lost = false
  for (const entry of rest) {
    const [kind, a, b, c] = entry.split(" ")
    const [from, since, outBytes] = [number(a), number(b), number(c)]
    if (kind === "unstarted") return { _tag: "Fenced" }
    if (kind === "line" && from !== null && b !== undefined) line = { seq: from, hash: b }
    if (kind === "group" && from !== null && from > 1) group = { pgid: from, start: known(b) }
    const strike = strikes.find((one) => one === kind)
    if (strike !== undefined) struck.push(strike)
    if (kind === "lost") lost = true
    if ((kind === "silent" || kind === "network") && from !== null && since !== null) stalls.push({ from, kind, since })
    if (kind === "ended" && from !== null && since !== null && outBytes !== null) {
      end = { status: from, logBytes: since, outBytes }
    }
  }
  const wrapper = { id, pid, start: known(start), boot: known(boot) }
  return { _tag: "Started", wrapper, line, group, struck, stalls, end, lost }
}

/** The journal in a file; a missing one is `Absent`. */
export const journalIn = (file: OpenFile | null): Journal =>
  file === null ? { _tag: "Absent" } : parseJournal(file.slice(0, file.size).toString("utf8"))

/** Reads a journal. Throws the system's error, except for a missing file. */
export const readJournal = (path: string): Journal => openOnDisk(path, journalIn)

/** The end that a journal records, or null where it records none. */
export const endIn = (journal: Journal): CommandEnd | null => journal._tag === "Started" ? journal.end : null

/** Ensures that a job without a journal can never start. False if it has a journal already. */
export const fence = ({ files: { journal }, id }: Job): boolean => {
  // The directory may be missing too: the starting process may not have made it yet.
  makeDirectories(dirname(journal))
  let fd: number
  try {
    fd = openSync(journal, "wx", 0o600)
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false
    throw error
  }
  try {
    writeSync(fd, `fenced ${id}\n`)
  } finally {
    closeSync(fd)
  }
  return true
}

const noteIn = (path: string, line: string): void => {
  // Without O_CREAT: a removed journal must not come back without its first line.
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND)
  try {
    writeSync(fd, `${line}\n`)
  } finally {
    closeSync(fd)
  }
}

/** Notes since when a transcript has stalled, so that later looks count from there. */
export const noteStall = (path: string, { from, kind, since }: Stall): void =>
  noteIn(path, `${kind} ${from} ${Math.round(since)}`)

const noteOfOpen = (path: string, line: string): void => {
  const journal = readJournal(path)
  if (journal._tag === "Started" && journal.end === null && !journal.lost) noteIn(path, line)
}

/** Notes why a job is about to be stopped, for everyone who sees its end. A job that has not begun has no end. */
export const noteStrike = (path: string, why: "idle" | "asked"): void => noteOfOpen(path, why)

/** Notes that a job's wrapper, which was alive at the last look, is gone: this is when the job ended. */
export const noteLost = (path: string): void => noteOfOpen(path, "lost")

/**
 * When a job ended with all its processes, in epoch milliseconds: when its wrapper wrote the end, or a process saw that
 * the wrapper was gone. Null if nothing shows that.
 */
export const endTime = ({ exit, journal: path }: Pick<JobFiles, "exit" | "journal">): number | null => {
  const journal = readJournal(path)
  const isNoted = journal._tag === "Started" && (journal.end !== null || journal.lost)
  return fs.statSync(isNoted ? path : exit, { throwIfNoEntry: false })?.mtimeMs ?? null
}

// The exit file

/** The exit status in a text, or null if invalid. */
export const statusIn = (text: string): number | null => /^\d{1,3}\n$/.test(text) ? Number(text) : null

/** The exit status in a file, or null if it is missing. Throws the system's error. */
export const exitStatus = (path: string): number | null => {
  // Asked ten times a second for every living command, so a missing file must not cost an error.
  if (!existsSync(path)) return null
  try {
    return statusIn(readFileSync(path, "latin1"))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    throw error
  }
}

// How a command ended. Without an exit file, an end in the journal counts only
// in the same boot and while standard output has the noted length.

/** The end that a journal records, or null where it records none. */
export const notedEnd = (journal: string): CommandEnd | null => endIn(readJournal(journal))

/** The status of a command whose wrapper left no exit file, or null. Journals of an earlier boot prove nothing. */
export const statusWithoutFile = (
  { out }: JobFiles,
  { end, wrapper }: StartedJournal,
  env: Variables
): number | null => {
  if (end === null || wrapper.boot === null || wrapper.boot !== bootId(env)) return null
  return fs.statSync(out, { throwIfNoEntry: false })?.size === end.outBytes ? end.status : null
}

const chunk = 1024 * 1024

/** Copies the first bytes of a file into another one at an offset. Repeating it does no harm. */
const copyTo = (fd: number, at: number, from: string, length: number): void =>
  withFile(from, (source) => {
    for (let done = 0; done < length;) {
      const bytes = sliceOf(source, done, Math.min(chunk, length - done))
      if (bytes.length === 0) return
      done += fs.writeSync(fd, bytes, 0, bytes.length, at + done)
    }
  })

/** Appends standard output to standard error if the wrapper had no space for it. */
const completeLog = ({ log, out }: JobFiles, { logBytes, outBytes }: CommandEnd): void => {
  if (outBytes === 0 || fs.statSync(log, { throwIfNoEntry: false }) === undefined) return
  const fd = fs.openSync(log, "r+")
  try {
    const { size } = fs.fstatSync(fd)
    const last = logBytes === 0 ? 10 : sliceOf(fd, logBytes - 1, 1)[0]
    const from = last === 10 ? logBytes : logBytes + 1
    if (size < logBytes || size >= from + outBytes) return
    if (from > logBytes) fs.writeSync(fd, "\n", logBytes)
    copyTo(fd, from, out, outBytes)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Moves the exit file into place. Its bytes exist since the start, so it needs no space. */
const putStatus = ({ exit }: JobFiles, status: number): void => {
  const text = `${status}\n`
  const fd = fs.openSync(`${exit}.new`, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
  try {
    fs.writeSync(fd, text, 0)
    fs.ftruncateSync(fd, text.length)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(`${exit}.new`, exit)
}

/** Does what the wrapper could not: completes the log, moves the exit file into place. Throws the system's error. */
export const complete = (files: JobFiles, status: number): void => {
  const end = notedEnd(files.journal)
  if (end !== null) completeLog(files, end)
  if (exitStatus(files.exit) !== null) return
  try {
    putStatus(files, status)
  } catch (error) {
    // Another process has just done the same.
    if (!hasCode(error, "ENOENT") || exitStatus(files.exit) === null) throw error
  }
}
