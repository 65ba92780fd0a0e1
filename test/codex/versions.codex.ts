// What must hold with every version of codex that is supported: a review with a finding, a clean one, and an agent.
// `.ci/run` runs it with an old version too, by OODA_CODEX_BIN; all else of this suite is about the pinned one.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { withAgents } from "./agents.ts"
import { VERSION, withBench } from "./support.ts"

const flawed = "export const f = (xs) => {\n  for (let i = 0; i <= xs.length; i += 1) g(xs[i])\n}\n"
const oneBatch = ["--uncommitted", "--strict", "--level", "low", "--ceiling", "low", "-n", "1"]

describe(`codex ${VERSION}`, () => {
  it("finds a defect, and finds it gone", () =>
    withBench(() => reviewer, async ({ command, step, write }) => {
      write("two.mjs", flawed)
      const found = await step(...oneBatch)
      assert.deepStrictEqual([found.exit, found.stderr.split("\n")[0]], [5, "HandoffAgent: AddressBatch"], found.stderr)
      assert.include((await command("findings")).stdout, "two.mjs:2")
      write("two.mjs", flawed.replace("<=", "<"))
      const [, batch = ""] = /^ *Answer with: --batch (\S+)$/m.exec(found.stderr) ?? []
      const answered = await step(...oneBatch, "--mark-address-passed", "--batch", batch)
      assert.strictEqual(answered.exit, 7, answered.stderr)
      const clean = await step(...oneBatch)
      assert.deepStrictEqual([clean.exit, clean.stderr.split("\n")[0]], [0, "DoneFixedPoint"], clean.stderr)
    }))

  it("works as an agent", () =>
    withAgents(
      () => ({ outputs }) =>
        outputs.length === 0
          ? { _tag: "Command", cmd: "sed -i 's/1/2/' one.mjs" }
          : { _tag: "Message", text: "It is done." },
      async ({ ask, repo }) => {
        const { ended } = await ask({ name: "version" })
        assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "It is done." })
        assert.strictEqual(readFileSync(join(repo, "one.mjs"), "utf8"), "export const one = 2\n")
      }
    ))
})
