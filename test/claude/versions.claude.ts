// What must hold with every version of Claude Code that is supported: an agent reads its prompt, edits, and answers, and
// its model is shown the tools on our list and no others.
// `.ci/run` runs it with the oldest version too, by OODA_CLAUDE_BIN; all else of this suite is about the pinned one.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { withBench } from "./support.ts"

it("an agent edits a file and answers", () =>
  withBench(({ results }) =>
    results.length === 0
      ? { _tag: "Tool", name: "Write", input: { file_path: "made.txt", content: "made\n" } }
      : { _tag: "Message", text: "It is done." }, async ({ ask, repo, requests }) => {
    const { ended } = await ask({ name: "version", prompt: "Make the file, please." })
    assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "It is done." })
    assert.strictEqual(readFileSync(join(repo, "made.txt"), "utf8"), "made\n")
    assert.include(requests[0]?.text, "Make the file, please.")
  }))

describe("the tools that a model is shown", () => {
  const reading = ["Glob", "Grep", "Read"]
  const writing = ["Bash", "Edit", ...reading.slice(0, 2), "NotebookEdit", "Read", "Write"]
  const answer = { type: "object", properties: { ok: { type: "boolean" } } }
  it.each(
    [
      ["a reader", { sandbox: "read-only" }, reading],
      ["a reader of a stranger's code", { sandbox: "read-only", untrusted: true }, reading],
      ["a reader that answers in a form", { sandbox: "read-only", answer }, [...reading, "StructuredOutput"]],
      ["a worker", {}, writing],
      ["a worker on a stranger's code", { untrusted: true }, writing]
    ] as const
  )(
    "of %s are on our list",
    (_, change, tools) =>
      withBench(() => ({ _tag: "Message", text: "Done." }), async ({ ask, repo, requests }) => {
        // Settings that allow everything.
        const settings = JSON.stringify({ permissions: { allow: ["Bash", "Write", "Edit", "mcp__all"] } })
        for (const place of [repo, join(dirname(repo), "home")]) {
          mkdirSync(join(place, ".claude"), { recursive: true })
          writeFileSync(join(place, ".claude/settings.json"), settings)
        }
        await ask(change)
        const shown: ReadonlyArray<{ readonly name: string }> = JSON.parse(requests[0]?.text ?? "{}").tools
        assert.deepStrictEqual(shown.map(({ name }) => name).sort(), [...tools])
      })
  )
})
