// shim: preloaded into a program (NODE_OPTIONS=--import), it counts its file calls and ends one of them badly.
// The one rule: only calls on files below CRASH_ROOT count, so that the count does not depend on how Node starts.
//
// CRASH_ROOT    the directory whose files are watched
// CRASH_SPAWNS  1: starting a program counts as a call too; it can be killed there, not fail
// CRASH_LOG     a file to which a line is appended for each counted call, for a first run that only counts:
//               its name, 1 if it may change what the disk holds (else 0), its path; with tabs between them
// CRASH_AT      the call (from 1) to end badly
// CRASH_HOW     kill: SIGKILL before the call; half: SIGKILL after half of a write; otherwise an error code to throw
import childProcess from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { CRASH_AT = "0", CRASH_HOW = "kill", CRASH_LOG, CRASH_ROOT = "", CRASH_SPAWNS } = process.env
/** @type {Map<unknown, string>} */
const descriptors = new Map()
const { appendFileSync, closeSync, writeFileSync, writeSync } = fs
const { O_CREAT, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants
let calls = 0
let depth = 0

/** @param {unknown} subject a path or a descriptor */
const isWatched = (subject) =>
  typeof subject === "number" ? descriptors.has(subject) : `${subject}/`.startsWith(`${CRASH_ROOT}/`)

const changing = /^(append|chmod|copyFile|cp|f?truncate|fdatasync|fsync|link|mkd|rename|rm|symlink|unlink|utimes|write)/

/** @type {(name: string, args: ReadonlyArray<unknown>) => boolean} */
const changes = (name, [, flags]) => {
  if (!name.startsWith("open")) return changing.test(name)
  return typeof flags === "number" ? (flags & (O_CREAT | O_RDWR | O_TRUNC | O_WRONLY)) !== 0 : /[aw+]/.test(`${flags}`)
}

/** @type {(line: string) => boolean} */
const isTheOne = (line) => {
  calls++
  if (CRASH_LOG !== undefined) appendFileSync(CRASH_LOG, `${line}\n`)
  return calls === Number(CRASH_AT)
}

const die = () => {
  process.kill(process.pid, "SIGKILL")
  for (;;);
}

/** @type {(name: string, args: ReadonlyArray<unknown>) => void} */
const before = (name, args) => {
  const [subject, data] = args
  if (depth > 0 || !isWatched(subject)) return
  const path = descriptors.get(subject) ?? subject
  if (!isTheOne(`${name}\t${changes(name, args) ? 1 : 0}\t${path}`)) return
  if (CRASH_HOW === "half" && name.startsWith("write")) {
    const bytes = typeof data === "string" ? Buffer.from(data) : data
    const half = bytes instanceof Uint8Array ? bytes.subarray(0, bytes.length >> 1) : new Uint8Array(0)
    if (typeof subject === "number") writeSync(subject, half)
    else writeFileSync(`${subject}`, half)
  }
  if (CRASH_HOW === "half" || CRASH_HOW === "kill") die()
  // A close that reports an error has closed all the same.
  if (name === "closeSync" && typeof subject === "number") closeSync(subject)
  throw Object.assign(new Error(`${CRASH_HOW}: injected, ${name}`), { code: CRASH_HOW, errno: -1, syscall: name })
}

/** @type {(owner: object, name: string) => void} */
const wrap = (owner, name) => {
  const call = Reflect.get(owner, name)
  if (typeof call !== "function") return
  /** @param {ReadonlyArray<unknown>} args */
  const wrapped = (...args) => {
    before(name, args)
    depth++
    try {
      const result = Reflect.apply(call, owner, args)
      if (name === "openSync" && isWatched(args[0])) descriptors.set(result, `${args[0]}`)
      if (name === "closeSync") descriptors.delete(args[0])
      return result
    } finally {
      depth--
    }
  }
  Reflect.set(owner, name, wrapped)
}

/** @type {(name: string) => void} */
const wrapStart = (name) => {
  const call = Reflect.get(childProcess, name)
  /** @param {ReadonlyArray<unknown>} args */
  const wrapped = (...args) => {
    if (isTheOne(`${name}\t1\t${args[0]}`) && (CRASH_HOW === "half" || CRASH_HOW === "kill")) die()
    return Reflect.apply(call, childProcess, args)
  }
  Reflect.set(childProcess, name, wrapped)
}

if (CRASH_ROOT !== "") {
  for (const name of Object.keys(fs)) if (name.endsWith("Sync")) wrap(fs, name)
  for (const name of Object.keys(fs.promises)) wrap(fs.promises, name)
  if (CRASH_SPAWNS === "1") { for (const name of ["spawn", "spawnSync"]) wrapStart(name) }
  syncBuiltinESMExports()
}
