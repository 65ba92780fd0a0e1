// Liveness: which recorded processes live, and which processes belong to a job.
import { closeSync, openSync } from "node:fs"
import type { Variables } from "../Environment.ts"
import { flockEach } from "../Flock.ts"
import {
  bootId,
  environmentOf,
  lineage,
  type Listed,
  lockLimitOf,
  lookAt,
  type Process,
  processAt,
  processes
} from "../Processes.ts"
import { sha256 } from "../Sha256.ts"
import { hasCode } from "../SystemError.ts"
import type { Group, ProcessRecord, StartedJournal } from "./Journal.ts"

const isNumberInUse = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, "EPERM")
  }
}

// Starts and boots are dates from ps and other values from /proc, so values from different sources cannot be compared.
const differ = (recorded: string | null, now: string | null): boolean | null =>
  recorded === null || now === null || recorded.includes("_") !== now.includes("_") ? null : recorded !== now

/**
 * Whether a recorded process still lives; null if its pid is in use, possibly by another process. A few file reads;
 * without /proc, ps is run.
 */
export const lives = ({ boot, pid, start }: ProcessRecord, env: Variables): boolean | null => {
  if (!isNumberInUse(pid) || differ(boot, boot === null ? null : bootId(env)) === true) return false
  const now = lookAt(pid, env)
  if (now === undefined) return null
  if (now === null) return false
  const differs = differ(start, now.start)
  return differs === null ? null : !differs
}

/** Whether each lock file is held by anyone, in one helper process. A missing file is not held. */
export const locksHeld = (paths: ReadonlyArray<string>, env: Variables): ReadonlyArray<boolean> => {
  const opened: Array<{ readonly index: number; readonly fd: number }> = []
  try {
    paths.forEach((path, index) => {
      try {
        opened.push({ index, fd: openSync(path, "r") })
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error
      }
    })
    const free = flockEach(opened.map(({ fd }) => fd), "shared", env)
    const held = new Set(opened.filter((_, at) => free[at] === false).map(({ index }) => index))
    return paths.map((_, index) => held.has(index))
  } finally {
    for (const { fd } of opened) closeSync(fd)
  }
}

// Living processes of jobs, never this process itself. A group counts only while its recorded leader leads it.

/** The variable of the environment that marks every process of a job with the job's id. */
export const mark = "OODA_ATTEMPT"

/**
 * The same mark as a limit for file locks: a number that no other job has and no system sets. Linux does not enforce
 * that limit, and a process keeps it even if it clears its variables, opens a session and outlives its parents.
 */
export const limitMark = (id: string): string => String(2n ** 60n + BigInt(`0x${sha256(id).slice(0, 14)}`))

/**
 * The marks of jobs that this process or one above it has: names, and limits that no system sets. Without /proc only its
 * own variable shows.
 */
export const marksHere = (env: Variables): ReadonlySet<string> => {
  const found = new Set([env[mark] ?? ""])
  for (const pid of lineage()) {
    found.add(environmentOf(pid, mark) ?? "").add(/^\d{19}$/.exec(lockLimitOf(pid) ?? "")?.[0] ?? "")
  }
  found.delete("")
  return found
}

/** Whether some marks have the one of a job. */
export const hasMark = (marks: ReadonlySet<string>, id: string): boolean => marks.has(id) || marks.has(limitMark(id))

/** Whether the recorded leader still leads its group, so that the number certainly means that group. */
export const leads = ({ pgid, start }: Group, env: Variables): boolean =>
  lives({ pid: pgid, start, boot: null }, env) === true

/**
 * All living processes of jobs, in one pass over the processes of the system; wrappers are set apart. Processes that
 * were `seen` before as a job's stay the job's while they live.
 */
export const livingOf = (
  journals: ReadonlyArray<StartedJournal>,
  env: Variables,
  seen: ReadonlyArray<Process> = []
): { readonly wrappers: ReadonlyArray<Process>; readonly others: ReadonlyArray<Process> } => {
  const table = processes(env)
  const ids = new Set(journals.map(({ wrapper }) => wrapper.id).filter((id) => id !== ""))
  const limits = new Set([...ids].map(limitMark))
  const isMarked = ({ pid, valuesOf }: Listed) =>
    valuesOf(mark).some((id) => ids.has(id)) || limits.has(lockLimitOf(pid) ?? "")
  const leaders = new Set(journals.map(({ wrapper }) => wrapper.pid))
  const groups = new Set(journals.flatMap(({ group }) => group !== null && leads(group, env) ? [group.pgid] : []))
  const known = new Map(seen.map(({ pid, start }) => [pid, start]))
  const found = new Map<number, Process>()
  const children = new Map<number, Array<Process>>()
  for (const one of table) children.set(one.parent, [...children.get(one.parent) ?? [], one])
  const add = (one: Process): void => {
    if (found.has(one.pid)) return
    found.set(one.pid, one)
    for (const child of children.get(one.pid) ?? []) add(child)
  }
  for (const one of table) {
    if (groups.has(one.group) || known.get(one.pid) === one.start || isMarked(one)) add(one)
  }
  found.delete(process.pid)
  const all = [...found.values()]
  return {
    wrappers: all.filter(({ group }) => leaders.has(group)),
    others: all.filter(({ group }) => !leaders.has(group))
  }
}

/** Sends a signal to a process that was seen, unless its pid has passed to another one. */
export const signalProcess = (seen: Process, signal: NodeJS.Signals, env: Variables): void => {
  if (processAt(seen.pid, env)?.start === seen.start) send(seen.pid, signal)
}

/** Sends a signal to a group whose leader still leads it. */
export const signalGroup = (group: Group, signal: NodeJS.Signals, env: Variables): void => {
  if (leads(group, env)) send(-group.pgid, signal)
}

// ESRCH: it has ended meanwhile, as intended. EPERM: it is not ours to end; the next look finds it again.
const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, "ESRCH") && !hasCode(error, "EPERM")) throw error
  }
}
