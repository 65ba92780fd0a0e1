// What the pages for contributors name is there.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "vitest"

const root = resolve(import.meta.dirname, "../../..")

describe("the pages for contributors", () => {
  const pages = ["CONTRIBUTING.md", "AGENTS.md"]
  const textOf = (page: string): string => readFileSync(join(root, page), "utf8")

  it.each(pages)("%s names files and folders that are there", (page) => {
    const named = [...textOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = ""]) => path)
      .filter((path) => path.includes("/") || /\.(ts|md|mjs|jsonl)$/.test(path))
    assert.isNotEmpty(named)
    // A bare name such as `Rules.ts` follows another file of its folder.
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    const isThere = (path: string): boolean =>
      existsSync(join(root, path)) ||
      [...sources, ...tests].some((file) => `/${file}`.endsWith(`/${path}`.replace(/\/$/, "")))
    assert.deepStrictEqual(named.filter((path) => !isThere(path)), [])
  })

  it("name every folder of src in their map", () => {
    const map = textOf("CONTRIBUTING.md")
    const folders = (path: string): ReadonlyArray<string> =>
      readdirSync(join(root, path), { withFileTypes: true }).filter((one) => one.isDirectory()).map(({ name }) => name)
    assert.deepStrictEqual(folders("src").filter((name) => !map.includes(`\`${name}/\``)), [])
  })

  it.each(pages)("%s names commands that are there", (page) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const named = [...textOf(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name)
    assert.isNotEmpty(named)
    for (const name of named) assert.property(scripts, name)
  })
})

describe("the pages", () => {
  // Words of people: generated tables and pictures of terminals are not counted.
  const generated = /<!-- generated: \w+ -->\n(?:\n?\|[^\n]*\n(?:\|[^\n]*\n)*| *`[^\n]*\n)?/g
  const picture = /<!-- picture: [^]*?<!-- \/picture -->/g
  const table = /<!-- table -->[^]*?<!-- table -->/g
  const words = (path: string) =>
    readFileSync(join(root, path), "utf8").replaceAll(generated, "").replaceAll(picture, "").replaceAll(table, "")
      .split(/\s+/).filter((word) => /\w/.test(word)).length

  it("are short enough to be read", () => {
    const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
    assert.isAtMost(words("README.md"), 1500)
    assert.isAtMost(docs.reduce((sum, name) => sum + words(join("docs", name)), 0), 31_500)
  })
})
