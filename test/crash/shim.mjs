// shim: preloaded into a program (NODE_OPTIONS=--import), it counts its file calls and ends one of them badly.
// Only calls on files below CRASH_ROOT count, so that the count does not depend on how Node starts.
//
// CRASH_ROOT    the directory whose files are watched
// CRASH_SPAWNS  1: starting a program counts as a call too; it can be killed there, not fail
// CRASH_LOG     a file to which a line is appended for each counted call, for a first run that only counts:
//               its name, 1 if it may change what the disk holds (else 0), its path; with tabs between them
// CRASH_AT      the call (from 1) to end badly
// CRASH_SEEN    a file of places: the program is killed at its first call that changes what the disk holds and whose
//               place is not in it yet; the place is added. Of CRASH_SHARE `i/n` it takes the i-th of n shares,
//               and only places that the pattern CRASH_PLACES fits, and those in the file CRASH_ONLY or at the start
// CRASH_HOW     kill: SIGKILL before the call; half: SIGKILL after half of a write; otherwise an error code to throw
import childProcess from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { naming } from "./places.mjs"

const { CRASH_AT = "0", CRASH_HOW = "kill", CRASH_LOG, CRASH_ROOT = "", CRASH_SPAWNS } = process.env
const { CRASH_ONLY, CRASH_PLACES = "", CRASH_SEEN, CRASH_SHARE = "0/1" } = process.env
/** @type {Map<unknown, string>} */
const descriptors = new Map()
const { appendFileSync, closeSync, lstatSync, readFileSync, writeFileSync, writeSync } = fs
const { O_CREAT, O_TRUNC } = fs.constants
let calls = 0
let depth = 0

/** @param {unknown} subject a path or a descriptor */
const isWatched = (subject) =>
  typeof subject === "number" ? descriptors.has(subject) : `${subject}/`.startsWith(`${CRASH_ROOT}/`)

const changing = /^(append|chmod|copyFile|cp|f?truncate|fdatasync|fsync|link|mkd|rename|rm|symlink|unlink|utimes|write)/

// Programs of git that change nothing, or nothing but what git makes again in the same way.
const asking =
  /^(add|cat-file|check-|diff|for-each-ref|ls-|merge-base|rev-|status|symbolic-ref|update-index|write-tree)/

/**
 * Whether no later process can notice that a program ran.
 * @type {(args: ReadonlyArray<unknown>) => boolean}
 */
const asks = ([program, given]) => {
  const words = Array.isArray(given) ? given.map(String) : []
  if (`${program}`.endsWith("flock")) return true
  // A guard outlives this process; what else runs in a shell ends with it, and works on an index that is thrown away.
  if (program === "/bin/sh") return words[2] !== "ooda-guard"
  if (program !== "git") return false
  const [command = ""] = words.filter((word, i) => word !== "-c" && words[i - 1] !== "-c")
  return asking.test(command) || (command === "config" && words.some((word) => /^--(get|list)/.test(word)))
}

/**
 * Whether a call may change what the disk holds, or make it last.
 * @type {(name: string, args: ReadonlyArray<unknown>) => boolean}
 */
const changes = (name, [subject, flags]) => {
  const isThere = () => lstatSync(`${subject}`, { throwIfNoEntry: false }) !== undefined
  if (/^mkdir(Sync)?$/.test(name)) return !isThere()
  if (/^(rm|rmdir|unlink)(Sync)?$/.test(name)) return isThere()
  if (!name.startsWith("open")) return changing.test(name)
  const [creates, empties] = typeof flags === "number"
    ? [(flags & O_CREAT) !== 0, (flags & O_TRUNC) !== 0]
    : [/[aw]/.test(`${flags}`), /w/.test(`${flags}`)]
  return empties || (creates && !isThere())
}

const places = CRASH_SEEN === undefined ? null : naming(CRASH_ROOT)
/** @param {string | undefined} file */
const linesIn = (file) => new Set(file === undefined ? [] : readFileSync(file, "utf8").split("\n"))
const seen = linesIn(CRASH_SEEN)
const only = linesIn(CRASH_ONLY)
/** @param {string} place */
const isWanted = (place) =>
  new RegExp(CRASH_PLACES).test(place) && (only.size === 0 || only.has(place) || place.startsWith("start:"))

/** @param {unknown} data */
const textOf = (data) => data instanceof Uint8Array ? Buffer.from(data).toString("utf8") : `${data}`

/** @type {(place: string) => boolean} */
const isMine = (place) => {
  const [share = 0, of = 1] = CRASH_SHARE.split("/").map(Number)
  return [...place].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7) % of === share
}

/** @type {(name: string, subject: string, does: boolean) => string | null} */
const placeOf = (name, subject, does) =>
  places === null || !does || /^f(data)?sync/.test(name) ? null : places.place(name, subject)

/** Whether a place is one to be killed at. @type {(place: string | null) => boolean} */
const isNew = (place) => {
  if (place === null || seen.has(place) || !isWanted(place) || !isMine(place)) return false
  appendFileSync(CRASH_SEEN ?? "", `${place}\n`)
  return true
}

/** @type {(name: string, subject: string, does: boolean) => boolean} */
const isTheOne = (name, subject, does) => {
  calls++
  const place = placeOf(name, subject, does)
  if (CRASH_LOG !== undefined) appendFileSync(CRASH_LOG, `${name}\t${does ? 1 : 0}\t${subject}\t${place ?? ""}\n`)
  return calls === Number(CRASH_AT) || isNew(place)
}

const die = () => {
  process.kill(process.pid, "SIGKILL")
  for (;;);
}

/** @type {(name: string, args: ReadonlyArray<unknown>) => void} */
const before = (name, args) => {
  const [subject, data] = args
  if (depth > 0 || !isWatched(subject)) return
  const path = descriptors.get(subject) ?? `${subject}`
  const does = changes(name, args)
  // A full disk refuses no call that only reads: where this run makes other calls than the counted one, none fails.
  if (!isTheOne(name, path, does) || (CRASH_HOW === "ENOSPC" && !does)) {
    if (places !== null && name === "writeSync" && path.endsWith(".jsonl")) places.wrote(textOf(data))
    return
  }
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
    try {
      before(name, args)
    } catch (error) {
      // This one never fails: a file at which it cannot look is missing.
      if (name === "existsSync") return false
      throw error
    }
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
    if (isTheOne(name, `${args[0]}`, !asks(args)) && (CRASH_HOW === "half" || CRASH_HOW === "kill")) die()
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
