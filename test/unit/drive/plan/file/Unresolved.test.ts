// Unresolved: reviews of any words in Markdown and in YAML, replaced and taken out.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readPlan } from "../../../../../src/drive/plan/file/Document.ts"
import { writeUnresolved } from "../../../../../src/drive/plan/file/Edit.ts"

const write = (text: string, review: string): string =>
  Result.getOrThrow(writeUnresolved(Result.getOrThrow(readPlan(text)), review, 0)).text

const review = "a.ts:1 breaks\n\n---\n```\n## Unresolved\n  x: # y\t\n"
const section = "## Unresolved\n\n````text\n| a.ts:1 breaks\n|\n| ---\n| ```\n| ## Unresolved\n|   x: # y\n````\n"
const key = "unresolved: |2-\n  a.ts:1 breaks\n\n  ---\n  ```\n  ## Unresolved\n    x: # y\n"
const quoted = '"a.ts:1 breaks\\n\\n---\\n```\\n## Unresolved\\n  x: # y"'

const files: ReadonlyArray<readonly [string, string, string]> = [
  ["below the front matter", "---\ntasks: []\n---\n", `---\ntasks: []\n---\n\n${section}`],
  ["below a border without an end", "---\ntasks: []\n---", `---\ntasks: []\n---\n\n${section}`],
  ["below text", "---\ntasks: []\n---\n# A\n", `---\ntasks: []\n---\n# A\n\n${section}`],
  ["below a blank line", "---\ntasks: []\n---\n# A\n\n", `---\ntasks: []\n---\n# A\n\n${section}`],
  ["below a last line without an end", "---\ntasks: []\n---\n# A", `---\ntasks: []\n---\n# A\n\n${section}`],
  [
    "with the line ends of its file",
    "---\r\ntasks: []\r\n---\r\n",
    `---\ntasks: []\n---\n\n${section}`.replaceAll("\n", "\r\n")
  ],
  [
    "beside what a person wrote under such a heading",
    "---\ntasks: []\n---\n## Unresolved\n\nMine.\n",
    `---\ntasks: []\n---\n## Unresolved\n\nMine.\n\n${section}`
  ],
  [
    "as a key where a key has the details",
    "---\ndetails: d\ntasks: []\n---\n",
    `---\n${key}details: d\ntasks: []\n---\n`
  ],
  ["as the first key of YAML", "# c\ntasks: []\n", `# c\n${key}tasks: []\n`],
  ["in JSON", '{"tasks":[]}', `{"unresolved": ${quoted}, "tasks":[]}`],
  ["in the place of a text", "tasks: []\nunresolved: b # c\n", `tasks: []\nunresolved: ${quoted} # c\n`],
  ["in the place of a text of many lines", "unresolved: >\n  b\n  c\ntasks: []\n", `${key}tasks: []\n`]
]

describe("a review", () => {
  it.each(files)("is written %s", (_, text, expected) => assert.strictEqual(write(text, review), expected))

  it.each(files)(
    "that is written %s takes the place of an earlier one",
    (_, text, expected) => assert.strictEqual(write(write(text, "Earlier.\n```\n# b"), review), expected)
  )

  it("that is blank takes out the earlier one and nothing else", () => {
    const markdown = "---\ntasks: []\n---\n# A\n\n"
    assert.strictEqual(write(write(markdown, review), "\n"), markdown)
    assert.strictEqual(write(write("tasks: []\n", review), ""), 'unresolved: ""\ntasks: []\n')
    for (const text of [markdown, "tasks: []\n"]) assert.strictEqual(write(text, " "), text)
  })

  it("keeps what stands below the earlier one", () =>
    assert.strictEqual(
      write(`---\ntasks: []\n---\n\n${section}\n## B\n`, "New."),
      "---\ntasks: []\n---\n\n## Unresolved\n\n```text\n| New.\n```\n\n## B\n"
    ))

  it("shows what is hidden in it, and is cut where it is very long", () => {
    const text = write("---\ntasks: []\n---\n", `a\u202eb${"x".repeat(200_000)}`)
    assert.include(text, "| a\\u202ebxxx")
    assert.isBelow(text.length, 100_100)
  })

  it("takes the place of no list", () => {
    const result = writeUnresolved(Result.getOrThrow(readPlan("unresolved: [a]\ntasks: []")), "b", 0)
    assert.strictEqual(Result.isFailure(result) ? result.failure.reason._tag : "", "NotWritable")
  })
})
