// Processes: the processes of this machine as /proc shows them.
// A pid names a process only together with its start ticks. A zombie (Z) or dead (X) process counts as gone.
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs"
import { basename } from "node:path"

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

/** Whether a descriptor was opened to append: as a shell's `>>` does, and no editor and no reader. */
const appends = (pid: number, fd: string): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"))?.[1]
  return (Number.parseInt(flags ?? "0", 8) & constants.O_APPEND) !== 0
}

/** Whether a process holds one of these files open to append to it. Names are compared first: that is cheap. */
const appendsTo = (pid: number, names: ReadonlySet<string>, files: ReadonlySet<string>): boolean => {
  const holds = (fd: string): boolean => {
    const path = `/proc/${pid}/fd/${fd}`
    if (!names.has(basename(readlinkSync(path)))) return false
    const { dev, ino } = statSync(path)
    return files.has(`${dev} ${ino}`) && appends(pid, fd)
  }
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return holds(fd)
      } catch {
        // Closed meanwhile.
        return false
      }
    })
  } catch {
    // Ended meanwhile, or another user's.
    return false
  }
}

/** Those of some processes that hold one of these files open to append to it, wherever they went. */
export const appendersOf = (paths: ReadonlyArray<string>, among: ReadonlyArray<Process>): ReadonlyArray<Process> => {
  const there = paths.flatMap((path) => {
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts === undefined ? [] : [{ name: basename(path), file: `${facts.dev} ${facts.ino}` }]
  })
  const names = new Set(there.map(({ name }) => name))
  const files = new Set(there.map(({ file }) => file))
  return there.length === 0 ? [] : among.filter(({ pid }) => appendsTo(pid, names, files))
}
