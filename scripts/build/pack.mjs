// pack: many chunks of CommonJS in one file that compiles the entry alone; every other chunk when it is first required.
// The one rule: the file is ASCII and whole, so replacing it disturbs no running process. What V8 compiled is an aid.
import { createHash } from "node:crypto"
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

/** What the name of the file of compiled code adds to that of the packed file. */
export const beside = ".compiled"

/** The binary that runs this. @type {() => string} */
export const thisBinary = () => runInThisContext(binary)(createRequire(import.meta.url))

const loader = `
let source, known
const cached = () => {
  try {
    const file = require("node:fs").readFileSync(__filename + "${beside}")
    const begin = file.indexOf(10) + 1
    const { build, bytes, binary, parts } = JSON.parse(file.toString("latin1", 0, begin))
    const fits = build === compiled && file.length === begin + bytes && binary === (${binary})(require)
    return fits ? Object.fromEntries(parts.map(([name, from, to]) => [name, file.subarray(begin + from, begin + to)])) : {}
  } catch {
    return {}
  }
}
const compile = (name) => {
  source ??= text.toString()
  known ??= compiled === null ? {} : cached()
  const [begin, end] = places[name]
  const code = source.slice(begin, end).replaceAll("*\\x01", "*/")
  const { Script } = require("node:vm")
  return new Script(code, { filename: name, cachedData: known[name] }).runInThisContext()
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
 * The file of compiled code: a line that says what it fits, then what V8 made of each chunk.
 * @param {Compiled} compiled
 * @param {string} build
 */
const compiledFile = ({ binary, data }, build) => {
  let bytes = 0
  const caches = Object.values(data).map((text) => Buffer.from(text, "base64"))
  const parts = Object.keys(data).map((name, at) => {
    const from = bytes
    bytes += caches[at]?.length ?? 0
    return [name, from, bytes]
  })
  return Buffer.concat([Buffer.from(`${JSON.stringify({ build, bytes, binary, parts })}\n`), ...caches])
}

/**
 * The text of the packed file, and the file of compiled code beside it, which may be missing. Chunks name each other as
 * they do in `require`. Compiled code is taken only where it was made in the same build.
 * @param {ReadonlyArray<Chunk>} chunks
 * @param {string} entry the chunk that runs when the file does
 * @param {Compiled | null} compiled
 * @returns {{ readonly text: string, readonly compiled: Buffer | null }}
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
  const build = compiled === null ? null : createHash("sha256").update(text).digest("hex")
  const tables = {
    places: JSON.stringify(Object.fromEntries(places)),
    compiled: JSON.stringify(build),
    here: `{ ${near.map((chunk) => `${JSON.stringify(chunk.name)}: ${script(chunk)}`).join(", ")} }`,
    loaded: `{ ${JSON.stringify(entry)}: module }`
  }
  const constants = Object.entries(tables).map(([name, value]) => `\nconst ${name} = ${value}`).join("")
  return {
    text: `#!/usr/bin/env node\n${head}${text}*/}${constants}${loader};${script(first)}(exports, load, module)\n`,
    compiled: compiled === null || build === null ? null : compiledFile(compiled, build)
  }
}
