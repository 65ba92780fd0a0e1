// pack: many chunks of CommonJS in one file that compiles the entry alone; every other chunk when it is first required.
// The one rule: the file is ASCII and whole; it reads nothing but itself, so replacing it disturbs no running process.

/** @typedef {{ readonly name: string, readonly code: string }} Chunk */

// Node parses what it loads, even functions that are never called, and half a megabyte takes it 25 ms. A comment is
// skipped, at 1 ms per megabyte, and is still there in the text of the function around it.
const head = "const text = () => {/*"
const opened = "() => {/*".length
// Stands for the slash that would end the comment; no chunk holds it.
const slash = "\x01"

const loader = `
let source
const load = (name) => {
  const known = loaded[name]
  if (known !== undefined) return known.exports
  const place = places[name]
  if (place === undefined) return require(name)
  source ??= text.toString()
  const code = source.slice(place[0], place[1]).replaceAll("*\\x01", "*/")
  const module = loaded[name] = { exports: {} }
  const filename = __filename + "/" + name.slice(2)
  require("node:vm").compileFunction(code, ["exports", "require", "module"], { filename })(module.exports, load, module)
  return module.exports
}
`

/**
 * Code with every character outside ASCII escaped: a single one makes V8 keep and scan all of a file as two bytes per
 * character. The escape means the same in strings, templates and patterns, but not after a backslash and not in
 * `String.raw`.
 * @param {Chunk} chunk
 */
const ascii = ({ code, name }) => {
  if (code.includes(slash)) throw new Error(`${name}: holds the character that stands for a slash`)
  if (!/[^\x00-\x7f]/.test(code)) return code
  if (/\\[^\x00-\x7f]|\bString\.raw\b/.test(code)) throw new Error(`${name}: a character that cannot be escaped`)
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/**
 * The text of the packed file. Chunks name each other as they do in `require`.
 * @param {ReadonlyArray<Chunk>} chunks
 * @param {string} entry the chunk that runs when the file does
 * @returns {string}
 */
export const pack = (chunks, entry) => {
  let text = ""
  let main = ""
  /** @type {Record<string, readonly [number, number]>} */
  const places = {}
  for (const chunk of chunks) {
    const code = ascii(chunk).replace(/^#!.*\n/, "")
    if (chunk.name === entry) main = code
    else {
      const begin = opened + text.length
      text += code.replaceAll("*/", `*${slash}`)
      places[chunk.name] = [begin, opened + text.length]
    }
  }
  const tables = `\nconst places = ${JSON.stringify(places)}\nconst loaded = { ${JSON.stringify(entry)}: module }`
  return `#!/usr/bin/env node\n${head}${text}*/}${tables}${loader};((require) => {${main}\n})(load)\n`
}
