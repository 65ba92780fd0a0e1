// Prompt: the texts that the program holds are the Markdown files, and a value never becomes a part of a prompt.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { render } from "../../../src/prompts/Prompt.ts"
import { texts } from "../../../src/prompts/texts.ts"

const folder = new URL("../../../src/prompts/", import.meta.url)

const generated = (): string => {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".md")).sort()
  const lines = names.map((name) =>
    `  ${JSON.stringify(name.slice(0, -3))}: ${JSON.stringify(fs.readFileSync(new URL(name, folder), "utf8"))}`
  )
  return [
    "// texts: the Markdown files of this folder. Generated: UPDATE_GOLDEN=1 npx vitest run test/unit/prompts",
    "export const texts = {",
    lines.join(",\n"),
    "} as const",
    ""
  ].join("\n")
}

describe("prompts", () => {
  it("are held by the program as their files say", () => {
    const file = new URL("texts.ts", folder)
    if (process.env["UPDATE_GOLDEN"] !== undefined) fs.writeFileSync(file, generated())
    assert.strictEqual(fs.readFileSync(file, "utf8"), generated())
  })

  it("are each rendered in a golden text", () => {
    const goldens = new URL("../../../fixtures/prompts/", import.meta.url)
    const all = fs.readdirSync(goldens).map((name) => fs.readFileSync(new URL(name, goldens), "utf8")).join("\n")
    for (const [name, text] of Object.entries(texts)) {
      const lines = text.split("\n").filter((line) => !line.includes("{{"))
      const [longest = ""] = [...lines].sort((a, b) => b.length - a.length)
      assert.isTrue(longest === "" || all.includes(longest), name)
    }
  })

  it("name existing prompts only, and close each section", () => {
    for (const text of Object.values(texts)) {
      for (const [, name = ""] of text.matchAll(/\{\{>([^}]*)\}\}/g)) assert.property(texts, name)
      const tags = (sign: string) =>
        [...text.matchAll(new RegExp(`\\{\\{[${sign}](\\w+)\\}\\}`, "g"))].map(([, n]) => n)
      assert.sameMembers(tags("#^"), tags("/"))
    }
  })

  it("leave out what is empty, without a gap", () => {
    const text = render("protect", { protect: "" })
    assert.strictEqual(text, "")
    assert.strictEqual(
      render("plan", { planFile: "/p.md", context: "" }),
      "The plan is in /p.md"
    )
    assert.match(render("tests", { tests: "" }), /^There are no tests/)
    assert.match(render("tests", { tests: "    npm test" }), /pass:\n\n {4}npm test$/)
    const empty = { fingerprints: "", protect: "", redBaseline: "", result: "", tests: "", worker: "" }
    assert.notInclude(render("address-end", empty), "\n\n\n")
  })

  it("do not read a value as a part of themselves", () => {
    const said = "{{planFile}} {{#context}} {{>git}} $& $1\n\n\n\nend"
    assert.strictEqual(
      render("plan", { planFile: said, context: "" }),
      `The plan is in ${said}`
    )
  })
})
