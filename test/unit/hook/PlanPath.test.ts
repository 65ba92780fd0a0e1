// PlanPath: which file of a plan a response names, and that no other file is ever named.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { planPath } from "../../../src/hook/Reviews.ts"

const home = "/home/u"
const plans = `${home}/.claude/plans`
const plan = `${plans}/brave-fox.md`

describe("the file of a plan", () => {
  it.each<[string, unknown]>([
    ["a field", { plan: "# Plan", filePath: plan }],
    ["a text", `User has approved. Your plan has been saved to: ${plan}\nYou can refer back to it.`],
    ["a text that ends with it", `saved to: ${plan}`],
    ["a sentence", `Saved to:${plan}. Go on.`],
    ["quotes", `saved to: \`${plan}\``],
    ["a part of a message", { content: [{ type: "text", text: `saved to: ${plan}` }] }],
    ["a second mention", `saved to: /etc/passwd\nsaved to: ${plan}`],
    ["the text where the field names another", { filePath: "/etc/x.md", message: `saved to: ${plan}` }],
    ["a field with a detour that leads nowhere else", { filePath: `${home}/.claude/./plans//brave-fox.md` }]
  ])("is read from %s", (_, response) => assert.strictEqual(planPath(response, home), plan))

  it("may have spaces in its name", () =>
    assert.strictEqual(planPath(`saved to: ${plans}/a plan.md\n`, home), `${plans}/a plan.md`))

  it("is found whether or not the home ends in a slash", () =>
    assert.strictEqual(planPath({ filePath: plan }, "/home/u/"), plan))

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no response", null],
    ["a number", 4],
    ["an empty object", {}],
    ["a text without a path", "Your plan has been saved."],
    ["a relative path", { filePath: ".claude/plans/a.md" }],
    ["a path by the tilde", "saved to: ~/.claude/plans/a.md"],
    ["a folder below", { filePath: `${plans}/old/a.md` }],
    ["a folder with the name of a plan", { filePath: `${plans}/a.md/b.md` }],
    ["the folder itself", { filePath: plans }],
    ["another ending", { filePath: `${plans}/a.txt` }],
    ["an ending behind the ending", `saved to: ${plans}/a.md.bak`],
    ["no name before the ending", { filePath: `${plans}/.md` }],
    ["a way out", { filePath: `${plans}/../../.ssh/a.md` }],
    ["a way out and back", { filePath: `${plans}/../plans/a.md` }],
    ["a folder of a like name", { filePath: `${home}/.claude/plans-old/a.md` }],
    ["another home", { filePath: "/home/v/.claude/plans/a.md" }],
    ["a character that nobody sees", { filePath: `${plans}/a\u0000.md` }],
    ["a field that is no text", { filePath: { path: plan } }]
  ])("is not read from %s", (_, response) => assert.isNull(planPath(response, home)))

  it("is none without a home", () => {
    assert.isNull(planPath({ filePath: "/.claude/plans/a.md" }, ""))
    assert.isNull(planPath({ filePath: plan }, "home/u"))
  })

  it("lies directly in the folder, whatever is answered", () => {
    const part = fc.constantFrom("/", "..", ".", "home", "u", ".claude", "plans", "a.md", "saved to: ", "\n", " ", '"')
    const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""))
    fc.assert(fc.property(text, fc.boolean(), (said, field) => {
      const found = planPath(field ? { filePath: said } : said, home)
      assert.isTrue(found === null || /^\/home\/u\/\.claude\/plans\/[^/]+\.md$/.test(found))
    }))
  })

  it("is looked for in a response of any size and depth", () => {
    assert.isNull(planPath("saved to: /".repeat(500_000), home))
    assert.isNull(planPath(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), home))
  })
})
