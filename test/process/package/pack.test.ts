// pack: chunks beside the file that node starts, compiled when they are first required.
// What is judged is what node makes of the packed files.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { beside, type Compiled, pack, script, thisBinary } from "../../../scripts/build/pack.mjs"

/** What a program of these chunks prints; the one named `./main.js` is its entry. */
const printed = (
  chunks: Readonly<Record<string, string>>,
  { change = (file) => file, compiled = null, needs = [], other = (text) => text }: {
    readonly compiled?: Compiled | null
    /** What becomes of the file of chunks; null where it is gone. */
    readonly other?: (text: string) => string | null
    /** What becomes of the file of compiled code. */
    readonly change?: (file: Buffer) => Buffer
    readonly needs?: ReadonlyArray<string>
  } = {}
): string => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-pack-"))
  try {
    const file = join(dir, "program.cjs")
    const named = Object.entries(chunks).map(([name, code]) => ({
      name: `./${name}.js`,
      code,
      needs: name === "main" ? needs : []
    }))
    const packed = pack(named, "./main.js", compiled)
    const chunksFile = other(packed.chunks)
    writeFileSync(file, packed.text)
    if (chunksFile !== null) writeFileSync(file + beside.chunks, chunksFile)
    if (packed.compiled !== null) writeFileSync(file + beside.compiled, change(packed.compiled))
    return execFileSync(process.execPath, [file], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } finally {
    rmSync(dir, { recursive: true })
  }
}

describe("a packed program", () => {
  it("runs a chunk once, when it is first required, and its entry may be required by others", () =>
    assert.strictEqual(
      printed({
        main: `exports.word = "main"; const a = require("./a.js"); require("./a.js"); console.log(a.text)`,
        a: `console.log("a"); exports.text = require("./main.js").word + require("node:path").sep`
      }),
      "a\nmain/\n"
    ))

  it("holds what its entry always needs ready, and runs it as often as any other chunk", () => {
    const a = `console.log("a"); exports.text = require("./b.js").text; exports.word = require("./main.js").word`
    const main = `exports.word = "main"; const a = require("./a.js"); require("./a.js"); console.log(a.text + a.word)`
    assert.strictEqual(printed({ main, a, b: `exports.text = "b/*/"` }, { needs: ["./a.js"] }), "a\nb/*/main\n")
  })

  it("does not even parse what no one requires", () =>
    assert.strictEqual(printed({ broken: `}{`, main: `console.log("fine")` }), "fine\n"))

  it("keeps ends of comments, quotes, backslashes and every character", () => {
    const values = [
      String.raw`"*/ /* // \${1} \\ '"`,
      `/[*]*/.source`,
      `"– é 🙂".length`,
      "`–${'🙂'}`",
      `/[–🙂]/u.test("🙂")`
    ]
    const a = `module.exports = [${values.join(", ")}]`
    assert.deepStrictEqual(
      JSON.parse(printed({ main: `console.log(JSON.stringify(require("./a.js")))`, a })),
      ["*/ /* // ${1} \\ '", "[*]*", 6, "–🙂", true]
    )
  })

  it("names the chunk that an error comes from", () => {
    const main = `try { require("./a.js") } catch (error) { console.log(error.stack) }`
    assert.match(printed({ main, a: `\nthrow new Error("x")` }), /\.\/a\.js:2:7/)
  })

  it("runs no chunk of another build, or of a file that is not whole or not there, and says so", () => {
    const main = `try { require("./a.js") } catch (error) { console.log(error.message) }`
    const said =
      "the files of this program do not belong together [install it again; call again where that was just done]\n"
    for (
      const other of [
        () => null,
        () => "",
        (text: string) => text.slice(0, -1),
        (text: string) => `${text} `,
        (text: string) => text.replace(/^./, "x")
      ]
    ) assert.strictEqual(printed({ main, a: `console.log("a")` }, { other }), said)
  })

  it("is ASCII, or is refused", () => {
    const packed = (code: string) => {
      const { chunks, text } = pack([{ name: "./main.js", code }, { name: "./a.js", code }], "./main.js")
      return text + chunks
    }
    assert.match(packed(`console.log("–")`), /^[\x00-\x7f]*$/)
    assert.throws(() => packed(`console.log("\\–")`), /cannot be escaped/)
    assert.throws(() => packed("console.log(String.raw`–`)"), /cannot be escaped/)
    assert.throws(() => packed("const raw = String.raw; console.log(raw`–`)"), /cannot be escaped/)
    assert.match(packed("console.log(String.raw`\\n`, '–')"), /^[\x00-\x7f]*$/)
  })
})

describe("compiled code in a packed program", () => {
  const program = { main: `require("./a.js")`, a: `console.log("source")` }
  // To V8 a source is its length, so what is run shows which of the two was taken.
  const cache = (text: string): string => {
    // In a process of its own: the flags that the test runner was started with would make it another V8.
    const compile = `new (require("node:vm").Script)(process.argv[1]).createCachedData().toString("base64")`
    const args = ["-p", compile, script({ name: "./a.js", code: text })]
    return execFileSync(process.execPath, args, { encoding: "utf8" }).trim()
  }
  const by = (binary: string, data: Compiled["data"]) => ({ compiled: { binary, data } })
  const other = cache(`console.log("cached")`)

  it("is taken by the binary of node that compiled it", () =>
    assert.strictEqual(printed(program, by(thisBinary(), { "./a.js": other })), "cached\n"))

  it("is left alone by every other", () =>
    assert.strictEqual(printed(program, by(`${thisBinary()}0`, { "./a.js": other })), "source\n"))

  it("is left alone where it is of another build, or not whole", () => {
    const compiled = by(thisBinary(), { "./a.js": other })
    const changes: ReadonlyArray<(file: Buffer) => Buffer> = [
      (file) => Buffer.from(file.toString("latin1").replace(/"build":"./, `"build":"x`), "latin1"),
      (file) => file.subarray(0, -1),
      (file) => Buffer.concat([file, Buffer.from("x")]),
      (file) => file.subarray(0, 20),
      () => Buffer.alloc(0),
      () => Buffer.from("null\n")
    ]
    for (const change of changes) assert.strictEqual(printed(program, { ...compiled, change }), "source\n")
  })

  it("may be missing or not what V8 expects", () => {
    const longer = cache(`console.log("another length")`)
    for (const data of [{}, { "./a.js": "" }, { "./a.js": "AAAA" }, { "./a.js": longer }]) {
      assert.strictEqual(printed(program, by(thisBinary(), data)), "source\n")
    }
  })
})
