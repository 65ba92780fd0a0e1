// Processes: the processes of this machine as /proc shows them.
// A pid names a process only together with its start ticks. A zombie (Z) or dead (X) process counts as gone.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"

/** A living process. `ticks` is its start time in clock ticks since the boot. */
export interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly ticks: string
}

/** Reads the text of /proc/<pid>/stat. The command name may hold blanks and brackets, so fields count from its end. */
export const parseStat = (text: string): Process | null => {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group] = fields
  const ticks = fields[19]
  if (state === undefined || state === "Z" || state === "X" || state === "x") return null
  return ticks === undefined
    ? null
    : { pid: Number.parseInt(text, 10), parent: Number(parent), group: Number(group), ticks }
}

const buffer = Buffer.alloc(1024)

/** The living process of a number, or null. */
export const processAt = (pid: number): Process | null => {
  let fd: number
  try {
    fd = openSync(`/proc/${pid}/stat`, "r")
  } catch {
    return null
  }
  try {
    return parseStat(buffer.toString("latin1", 0, readSync(fd, buffer, 0, buffer.length, 0)))
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}

/** All living processes; empty where there is no /proc. */
export const processes = (): ReadonlyArray<Process> => {
  let names: ReadonlyArray<string>
  try {
    names = readdirSync("/proc")
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const found = /^\d+$/.test(name) ? processAt(Number(name)) : null
    return found === null ? [] : [found]
  })
}

/** The value of a variable in a process's environment as it was started, or null when it is not readable. */
export const environmentOf = (pid: number, variable: string): string | null => {
  try {
    const all = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`
    const from = all.indexOf(`\0${variable}=`)
    if (from < 0) return null
    const to = all.indexOf("\0", from + 1)
    return all.slice(from + variable.length + 2, to < 0 ? all.length : to)
  } catch {
    return null
  }
}

/** This boot's id; null if missing. */
export const bootId = (): string | null => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return null
  }
}

/** The soft limit of a process for file locks, which Linux enforces nowhere; null when it is not readable. */
export const lockLimitOf = (pid: number): string | null => {
  try {
    return /^Max file locks +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1] ?? null
  } catch {
    return null
  }
}
