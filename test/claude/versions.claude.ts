// What must hold with every version of Claude Code that is supported: an agent reads its prompt, edits, and answers.
// `.ci/run` runs it with the oldest version too, by OODA_CLAUDE_BIN; all else of this suite is about the pinned one.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
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
