// pack: many chunks of CommonJS in two files: one that node starts, with what every start needs, and one with all other
// chunks, each of which is compiled when it is first required.
// The second file is read whole, once, before anything else is done, so that replacing it disturbs no
// running process. What V8 compiled is an aid: of that file, which stays open, each part is read with its chunk.
import { createHash } from "node:crypto"
import { createRequire } from "node:module"
import { runInThisContext } from "node:vm"

/**
 * A chunk of the bundle; `needs` are the chunks that it requires whenever it runs.
 * @typedef {{ readonly name: string, readonly code: string, readonly needs?: ReadonlyArray<string> }} Chunk
 */

/**
 * What one binary of node has compiled: `binary` says which one, `data` is the code cache of V8 by chunk, in base64.
 * @typedef {{ readonly binary: string, readonly data: Readonly<Record<string, string>> }} Compiled
 */

// Identifies one binary of node: V8 itself checks its version, its flags and the length of a source.
const binary = `(require) => {
  const { mtimeMs, size } = require("node:fs").statSync(process.execPath)
  return [process.version, process.arch, process.execPath, size, mtimeMs].join(" ")
}`

/** Suffixes of the other files, added to the name of the file that node starts: the chunks and the compiled code. */
export const beside = { chunks: ".chunks", compiled: ".compiled" }

/** The binary that runs this. @type {() => string} */
export const thisBinary = () => runInThisContext(binary)(createRequire(import.meta.url))

// Bytes at the head of the file of compiled code that hold its first line.
const mostHead = 16_384

const loader = `
let source, known
const read = () => {
  try {
    const file = require("node:fs").readFileSync(__filename + "${beside.chunks}")
    if (file.length === bytes && file.latin1Slice(0, build.length) === build) return file
  } catch {}
  throw new Error("the files of this program do not belong together [install it again; call again where that was just done]")
}
const cached = () => {
  try {
    const { fstatSync, openSync, readSync } = require("node:fs")
    const file = openSync(__filename + "${beside.compiled}")
    const part = (from, to) => {
      const data = Buffer.allocUnsafe(to - from)
      return readSync(file, data, 0, to - from, from) === to - from ? data : undefined
    }
    const { size } = fstatSync(file)
    const top = part(0, Math.min(size, ${mostHead}))
    const begin = top.indexOf(10) + 1
    const made = JSON.parse(top.latin1Slice(0, begin))
    const whole = size === begin + made.bytes
    if (made.build !== build || !whole || made.binary !== (${binary})(require)) return () => undefined
    const parts = Object.fromEntries(made.parts.map(([name, from, to]) => [name, [begin + from, begin + to]]))
    return (name) => parts[name] === undefined ? undefined : part(...parts[name])
  } catch {
    return () => undefined
  }
}
const compile = (name) => {
  source ??= read()
  known ??= cached()
  const { Script } = require("node:vm")
  const [begin, end] = places[name]
  return new Script(source.latin1Slice(begin, end), { filename: name, cachedData: known(name) }).runInThisContext()
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
 * keep and scan all of a file as two bytes per character, and the file of chunks is read as one byte per character. The escape means the same in strings, templates and
 * patterns, but not after a backslash and not in a template of `String.raw`.
 * @param {Chunk} chunk
 * @returns {string}
 */
export const script = ({ code, name }) => {
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
  const head = Buffer.from(`${JSON.stringify({ build, bytes, binary, parts })}\n`)
  if (head.length > mostHead) throw new Error(`the first line of compiled code has ${head.length} bytes`)
  return Buffer.concat([head, ...caches])
}

/**
 * The file that node starts, the file of the other chunks beside it, and the file of compiled code, if there is any.
 * Chunks name each other as they do in `require`. Files are taken together only where they are of the same build.
 * @param {ReadonlyArray<Chunk>} chunks
 * @param {string} entry the chunk that runs when the file does
 * @param {Compiled | null} compiled
 * @returns {{ readonly text: string, readonly chunks: string, readonly compiled: Buffer | null }}
 */
export const pack = (chunks, entry, compiled = null) => {
  const first = chunks.find(({ name }) => name === entry)
  if (first === undefined) throw new Error(`there is no chunk ${entry}`)
  const near = chunks.filter(({ name }) => first.needs?.includes(name))
  const far = chunks.filter((chunk) => chunk !== first && !near.includes(chunk)).map((chunk) => ({
    name: chunk.name,
    text: script(chunk)
  }))
  const build = createHash("sha256").update(JSON.stringify(far)).digest("hex")
  let all = `${build}\n`
  const places = far.map(({ name, text }) => {
    const begin = all.length
    all += text
    return [name, [begin, all.length]]
  })
  const tables = {
    build: JSON.stringify(build),
    bytes: String(all.length),
    places: JSON.stringify(Object.fromEntries(places)),
    here: `{ ${near.map((chunk) => `${JSON.stringify(chunk.name)}: ${script(chunk)}`).join(", ")} }`,
    loaded: `{ ${JSON.stringify(entry)}: module }`
  }
  const constants = Object.entries(tables).map(([name, value]) => `\nconst ${name} = ${value}`).join("")
  return {
    text: `#!/usr/bin/env node${constants}${loader};${script(first)}(exports, load, module)\n`,
    chunks: all,
    compiled: compiled === null ? null : compiledFile(compiled, build)
  }
}
