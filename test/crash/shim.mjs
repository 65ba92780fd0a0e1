// shim: preloaded into a program (NODE_OPTIONS=--import), it counts its file calls and ends one of them badly.
// The one rule: only calls on files below CRASH_ROOT count, so that the count does not depend on how Node starts.
//
// CRASH_ROOT  the directory whose files are watched
// CRASH_LOG   a file to which the name of each counted call is appended, for a first run that only counts
// CRASH_AT    the call (from 1) to end badly
// CRASH_HOW   kill: SIGKILL before the call; half: SIGKILL after half of a write; otherwise an error code to throw
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { CRASH_AT = "0", CRASH_HOW = "kill", CRASH_LOG, CRASH_ROOT = "" } = process.env
/** @type {Set<unknown>} */
const descriptors = new Set()
const { appendFileSync, closeSync, writeSync } = fs
let calls = 0
let depth = 0

/** @param {unknown} subject a path or a descriptor */
const isWatched = (subject) =>
  typeof subject === "number" ? descriptors.has(subject) : `${subject}/`.startsWith(`${CRASH_ROOT}/`)

const die = () => {
  process.kill(process.pid, "SIGKILL")
  for (;;);
}

/** @type {(name: string, args: ReadonlyArray<unknown>) => void} */
const before = (name, [subject, bytes]) => {
  if (depth > 0 || !isWatched(subject)) return
  calls++
  if (CRASH_LOG !== undefined) appendFileSync(CRASH_LOG, `${name}\n`)
  if (calls !== Number(CRASH_AT)) return
  if (CRASH_HOW === "half" && typeof subject === "number" && bytes instanceof Uint8Array) {
    writeSync(subject, bytes.subarray(0, bytes.length >> 1))
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
      if (name === "openSync" && isWatched(args[0])) descriptors.add(result)
      if (name === "closeSync") descriptors.delete(args[0])
      return result
    } finally {
      depth--
    }
  }
  Reflect.set(owner, name, wrapped)
}

if (CRASH_ROOT !== "") {
  for (const name of Object.keys(fs)) if (name.endsWith("Sync")) wrap(fs, name)
  for (const name of Object.keys(fs.promises)) wrap(fs.promises, name)
  syncBuiltinESMExports()
}
