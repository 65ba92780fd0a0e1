// pack: chunks in one file, compiled when they are first required.
// The one rule: what is judged is what node makes of the packed file.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { pack } from "../../scripts/build/pack.mjs"

/** What a program of these chunks prints; the one named `./main.js` is its entry. */
const printed = (chunks: Readonly<Record<string, string>>): string => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-pack-"))
  try {
    const file = join(dir, "program.cjs")
    const named = Object.entries(chunks).map(([name, code]) => ({ name: `./${name}.js`, code }))
    writeFileSync(file, pack(named, "./main.js"))
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

  it("does not even parse what nobody requires", () =>
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
    assert.match(printed({ main, a: `\nthrow new Error("x")` }), /program\.cjs\/a\.js:2:7/)
  })

  it("is ASCII, or is refused", () => {
    const packed = (code: string) => pack([{ name: "./main.js", code }], "./main.js")
    assert.match(packed(`console.log("–")`), /^[\x00-\x7f]*$/)
    assert.throws(() => packed(`console.log("\\–")`), /cannot be escaped/)
    assert.throws(() => packed("console.log(String.raw`–`)"), /cannot be escaped/)
    assert.throws(() => packed(`console.log("\x01")`), /stands for a slash/)
  })
})
