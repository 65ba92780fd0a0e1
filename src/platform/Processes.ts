// Processes: the processes of this machine, from /proc, or from ps(1) without it (macOS, the BSDs).
// A pid names a process only together with its start. A zombie (Z) or dead (X) process counts as gone.
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import type { Variables } from "./Environment.ts"

/**
 * A living process. `start` is its start time, in one word: clock ticks since the boot from /proc, the date from ps.
 * Both stay the same while it lives; compare only values from the same source.
 */
export interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly start: string
}

/** A process of the table. `valuesOf` a variable lists the values that it may have in the process's environment. */
export interface Listed extends Process {
  readonly valuesOf: (variable: string) => ReadonlyArray<string>
}

/** Whether the system lists its processes in /proc. */
export const hasProc = (): boolean => existsSync("/proc/self/stat")

// /proc

/** Reads the text of /proc/<pid>/stat. The command name may hold blanks and brackets, so fields count from its end. */
export const parseStat = (text: string): Process | null => {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group] = fields
  const start = fields[19]
  if (state === undefined || state === "Z" || state === "X" || state === "x") return null
  return start === undefined
    ? null
    : { pid: Number.parseInt(text, 10), parent: Number(parent), group: Number(group), start }
}

const buffer = Buffer.alloc(1024)

const statOf = (pid: number): Process | null => {
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

/** The value of a variable in a process's environment at its start, or null if it cannot be read. */
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

/** The soft limit of a process for file locks, which Linux does not enforce; null if it cannot be read. */
export const lockLimitOf = (pid: number): string | null => {
  try {
    return /^Max file locks +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1] ?? null
  } catch {
    return null
  }
}

/** This process and those above it, the nearest first; none without /proc. */
export const lineage = (): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let pid = hasProc() ? process.pid : 0; pid > 1; pid = statOf(pid)?.parent ?? 0) found.push(pid)
  return found
}

/** This process, and the names of the programs above it, the nearest first. */
export const callersHere = (): { readonly pid: number; readonly programs: ReadonlyArray<string> } => ({
  pid: process.pid,
  programs: lineage().slice(1).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
    } catch {
      return "?"
    }
  })
})

const statsOf = (names: ReadonlyArray<string>): ReadonlyArray<Listed> =>
  names.flatMap((name) => {
    const found = /^\d+$/.test(name) ? statOf(Number(name)) : null
    if (found === null) return []
    const valuesOf = (variable: string) => {
      const value = environmentOf(found.pid, variable)
      return value === null ? [] : [value]
    }
    return [{ ...found, valuesOf }]
  })

// ps

// POSIX takes what follows "=" as the heading, so each field is an option of its own.
const fields = ["pid", "ppid", "pgid", "stat", "lstart"].flatMap((name) => ["-o", `${name}=`])
const withCommand = [...fields, "-o", "command="]

// Each prints the environment after the command: macOS, then the BSDs and Linux. The last one has no environment.
const tables: ReadonlyArray<ReadonlyArray<string>> = [
  ["-A", "-E", "-ww", ...withCommand],
  ["axeww", ...withCommand],
  ["-A", ...fields]
]

/** The lines that ps prints, except its own; null if it does not know an option or a process, or is missing. */
const linesOfPs = (args: ReadonlyArray<string>, env: Variables): ReadonlyArray<string> | null => {
  const { pid, status, stdout } = spawnSync("ps", args, {
    // Nothing else, such as COLUMNS, may change its output.
    env: { PATH: env["PATH"], LC_ALL: "C", TZ: "UTC0" },
    encoding: "latin1",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 28
  })
  return status === 0 ? stdout.split("\n").filter((line) => line !== "" && Number.parseInt(line, 10) !== pid) : null
}

/**
 * Reads a line of ps: `<pid> <parent> <group> <state> <date>`, then perhaps the command and its environment. The date
 * has five words, such as `Fri Nov  6 14:03:26 2026`.
 */
export const parsePs = (line: string): Listed | null => {
  const found = /^ *(\d+) +(\d+) +(\d+) +([^ZX ]\S*) +((?:\S+ +){4}\d+)(.*)/s.exec(line)
  if (found === null) return null
  const [, pid, parent, group, , date = "", command = ""] = found
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    start: date.split(/[ :]+/).join("_"),
    // A word of the command itself may look the same.
    valuesOf: (variable) =>
      command.split(" ").filter((word) => word.startsWith(`${variable}=`)).map((word) =>
        word.slice(variable.length + 1)
      )
  }
}

const listedBy = (args: ReadonlyArray<string>, env: Variables): ReadonlyArray<Listed> | null =>
  linesOfPs(args, env)?.flatMap((line) => parsePs(line) ?? []) ?? null

// From either source

/**
 * The living process with a pid, null if there is none, or undefined if the system does not let this process see it.
 */
export const lookAt = (pid: number, env: Variables): Process | null | undefined => {
  if (hasProc()) return statOf(pid)
  // If ps lists this process, it works: a process that it does not list does not exist.
  const found = listedBy([...fields, "-p", `${pid},${process.pid}`], env)
  if (found?.some((one) => one.pid === process.pid) !== true) return undefined
  const one = found.find((other) => other.pid === pid)
  return one === undefined ? null : { pid, parent: one.parent, group: one.group, start: one.start }
}

/** The living process with a pid, or null if none is found. */
export const processAt = (pid: number, env: Variables): Process | null => lookAt(pid, env) ?? null

/** All living processes; empty if the system shows none. */
export const processes = (env: Variables): ReadonlyArray<Listed> => {
  if (hasProc()) return statsOf(readdirSync("/proc"))
  for (const args of tables) {
    const listed = listedBy(args, env)
    if (listed !== null) return listed
  }
  return []
}

/** The current boot, in one word: its id, or when the first process started; null if unknown. */
export const bootId = (env: Variables): string | null => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return hasProc() ? null : processAt(1, env)?.start ?? null
  }
}

/** Whether this process may draw on its terminal: it is in the foreground, or that is unknown. */
export const inForeground = (env: Variables): boolean => {
  try {
    // Fields 5 and 8: its own process group, and the foreground group of its terminal.
    const stat = readFileSync("/proc/self/stat", "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[2] === fields[5]
  } catch {
    const [state] = linesOfPs(["-o", "stat=", "-p", String(process.pid)], env) ?? []
    return state?.includes("+") ?? true
  }
}
