// pack: many chunks of CommonJS in one file that compiles the entry alone; every other chunk when it is first required.
// The one rule: the file is ASCII and whole; it reads nothing but itself, so replacing it disturbs no running process.
import { createRequire } from "node:module"
import { runInThisContext } from "node:vm"

/**
 * A chunk of the bundle; `needs` are the chunks that it requires whenever it runs.
 * @typedef {{ readonly name: string, readonly code: string, readonly needs?: ReadonlyArray<string> }} Chunk
 */

/**
 * What one binary of node has compiled: `binary` tells which one, `data` is the code cache of V8 by chunk, in base64.
 * @typedef {{ readonly binary: string, readonly data: Readonly<Record<string, string>> }} Compiled
 */

// Node parses what it loads, even functions that are never called, and half a megabyte takes it 25 ms. A comment is
// skipped, at 1 ms per megabyte, and is still there in the text of the function around it.
const head = "const text = () => {/*"
const opened = "() => {/*".length
// Stands for the slash that would end the comment; no chunk holds it.
const slash = "\x01"

// What tells one binary of node from every other: V8 itself goes by its version and flags and the length of a source.
const binary = `(require) => {
  const { mtimeMs, size } = require("node:fs").statSync(process.execPath)
  return [process.version, process.arch, process.execPath, size, mtimeMs].join(" ")
}`

/** The binary that runs this. @type {() => string} */
export const thisBinary = () => runInThisContext(binary)(createRequire(import.meta.url))

const loader = `
let source, known
const compile = (name) => {
  source ??= text.toString()
  known ??= compiled !== null && (${binary})(require) === compiled ? caches : {}
  const [begin, end] = places[name]
  const code = source.slice(begin, end).replaceAll("*\\x01", "*/")
  const cache = known[name]
  const cachedData = cache === undefined ? cache : Buffer.from(source.slice(cache[0], cache[1]), "base64")
  const { Script } = require("node:vm")
  return new Script(code, { filename: name, cachedData }).runInThisContext()
}
const load = (name) => {
  if (loaded[name] !== undefined) return loaded[name].exports
  if (here[name] === undefined && places[name] === undefined) return require(name)
  const module = loaded[name] = { exports: {} }
  const run = here[name] ?? compile(name)
  run(module.exports, load, module)
  return module.exports
}
`

/**
 * A chunk as a script whose value is its function, with every character outside ASCII escaped: a single one makes V8
 * keep and scan all of a file as two bytes per character. The escape means the same in strings, templates and
 * patterns, but not after a backslash and not in a template of `String.raw`.
 * @param {Chunk} chunk
 * @returns {string}
 */
export const script = ({ code, name }) => {
  if (code.includes(slash)) throw new Error(`${name}: holds the character that stands for a slash`)
  const unsafe = /[^\x00-\x7f]/.test(code) && /\\[^\x00-\x7f]|\bString\.raw\b(?!`[^`\x80-\uffff]*`)/.test(code)
  if (unsafe) throw new Error(`${name}: a character that cannot be escaped`)
  const escaped = code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return `(function (exports, require, module) {${escaped.replace(/^#!.*\n/, "")}\n})`
}

/**
 * The text of the packed file. Chunks name each other as they do in `require`.
 * @param {ReadonlyArray<Chunk>} chunks
 * @param {string} entry the chunk that runs when the file does
 * @param {Compiled | null} compiled
 * @returns {string}
 */
export const pack = (chunks, entry, compiled = null) => {
  let text = ""
  /** @param {string} part @returns {readonly [number, number]} */
  const add = (part) => {
    const begin = opened + text.length
    text += part
    return [begin, opened + text.length]
  }
  const first = chunks.find(({ name }) => name === entry)
  if (first === undefined) throw new Error(`there is no chunk ${entry}`)
  const near = chunks.filter(({ name }) => first.needs?.includes(name))
  const far = chunks.filter((chunk) => chunk !== first && !near.includes(chunk))
  const places = far.map((chunk) => [chunk.name, add(script(chunk).replaceAll("*/", `*${slash}`))])
  const caches = far.flatMap(({ name }) => {
    const data = compiled?.data[name]
    return data === undefined ? [] : [[name, add(data)]]
  })
  const tables = {
    places: JSON.stringify(Object.fromEntries(places)),
    caches: JSON.stringify(Object.fromEntries(caches)),
    compiled: JSON.stringify(compiled?.binary ?? null),
    here: `{ ${near.map((chunk) => `${JSON.stringify(chunk.name)}: ${script(chunk)}`).join(", ")} }`,
    loaded: `{ ${JSON.stringify(entry)}: module }`
  }
  const constants = Object.entries(tables).map(([name, value]) => `\nconst ${name} = ${value}`).join("")
  return `#!/usr/bin/env node\n${head}${text}*/}${constants}${loader};${script(first)}(exports, load, module)\n`
}
