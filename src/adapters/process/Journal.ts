// Journal: the journal of one attempt, `<LEVEL>-<slot>.<attempt>.run`: who guards it, and what befell it.
// The one rule: created with O_EXCL, by the wrapper or by whoever fences the attempt; then only appended to.
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { makeDirectories } from "../store/Directories.ts"
import { hasCode } from "./SystemError.ts"

/** The wrapper: its process, told apart from a later one of the same number by start ticks and boot. */
export interface Guard {
  readonly id: string
  readonly pid: number
  /** Field 22 of /proc/<pid>/stat; null where there is no /proc. */
  readonly ticks: string | null
  readonly boot: string | null
}

/** Codex's process group, which is also its session; its leader has the same number. */
export interface Group {
  readonly pgid: number
  readonly ticks: string | null
}

/** Since when the transcript's end has been nothing but reconnecting lines that begin at byte `from`. Epoch ms. */
export interface Stall {
  readonly from: number
  readonly kind: "silent" | "network"
  readonly since: number
}

/**
 * What a journal says. Its first line is `attempt <id> <pid> <ticks> <boot>` or `fenced <id>`; then come any of
 * `group <pgid> <ticks>`, `deadline`, `transcript`, `stopped <signal>`, `silent <from> <since>` and
 * `network <from> <since>`. Unknown lines are passed over.
 * `Begun` is a journal whose first line is not whole: nothing has run by then.
 */
export type Journal =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Fenced" }
  | { readonly _tag: "Begun" }
  | {
      readonly _tag: "Guarded"
      readonly guard: Guard
      readonly group: Group | null
      /** Why the reviewer was ended by its wrapper, if it was. */
      readonly ended: ReadonlyArray<"deadline" | "transcript" | "stopped">
      readonly stalls: ReadonlyArray<Stall>
    }
export type Guarded = Extract<Journal, { readonly _tag: "Guarded" }>

const known = (text: string | undefined): string | null => text === undefined || text === "-" ? null : text
const number = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

/** Reads a journal's text. */
export const parseJournal = (text: string): Journal => {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const [first = "", ...rest] = whole.split("\n").slice(0, -1)
  const [word, id = "", pidText, ticks, boot] = first.split(" ")
  if (word === "fenced") return { _tag: "Fenced" }
  const pid = number(pidText)
  if (word !== "attempt" || pid === null || pid < 2) return { _tag: "Begun" }
  let group: Group | null = null
  const ended: Array<"deadline" | "transcript" | "stopped"> = []
  const stalls: Array<Stall> = []
  for (const line of rest) {
    const [kind, a, b] = line.split(" ")
    const [from, since] = [number(a), number(b)]
    if (kind === "group" && from !== null && from > 1) group = { pgid: from, ticks: known(b) }
    if (kind === "deadline" || kind === "transcript" || kind === "stopped") ended.push(kind)
    if ((kind === "silent" || kind === "network") && from !== null && since !== null) stalls.push({ from, kind, since })
  }
  return { _tag: "Guarded", guard: { id, pid, ticks: known(ticks), boot: known(boot) }, group, ended, stalls }
}

/** Reads a journal; a missing one is `Absent`. Throws what the system throws otherwise. */
export const readJournal = (path: string): Journal => {
  try {
    return parseJournal(readFileSync(path, "utf8"))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { _tag: "Absent" }
    throw error
  }
}

/** Makes sure that an attempt without a journal can never start. False when it has a journal already. */
export const fence = (path: string, id: string): boolean => {
  // The directory too: the step that was to start the attempt may be so late that it has not made it yet.
  makeDirectories(dirname(path))
  let fd: number
  try {
    fd = openSync(path, "wx", 0o600)
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

/** Notes since when a transcript has stalled, so that later steps count from there. */
export const noteStall = (path: string, { from, kind, since }: Stall): void => {
  // Without O_CREAT: a journal that is gone must not come back without its first line.
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND)
  try {
    writeSync(fd, `${kind} ${from} ${Math.round(since)}\n`)
  } finally {
    closeSync(fd)
  }
}
