// The real Codex CLI with the stand-in reviewer, without our CLI: the change really passes through a command of codex.
// If these fail after an upgrade of Codex, its prompt or its tools changed; nothing else here can be trusted then.
import { assert, describe, it } from "vitest"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { withBench } from "./support.ts"

const PAST_THE_END = "export const f = (xs) => {\n  for (let i = 0; i <= xs.length; i += 1) g(xs[i])\n}\n"
const FIXED = PAST_THE_END.replace("<=", "<")

describe("the stand-in reviewer behind the real codex review", () => {
  it("finds a defect in an untracked file, and finds it gone", () =>
    withBench(() => reviewer, async ({ codex, repo, requests, write }) => {
      write("späte Änderung.mjs", PAST_THE_END)
      const flawed = await codex("--uncommitted")
      assert.strictEqual(flawed.exit, 0, flawed.stderr)
      assert.include(flawed.stdout, `— ${repo}/späte Änderung.mjs:2-2\n`)
      write("späte Änderung.mjs", FIXED)
      const fixed = await codex("--uncommitted")
      assert.match(fixed.stdout, /^The change reads well: no loop in the 3 added line\(s\) in 1 file\(s\)/)
      assert.deepStrictEqual(requests.map(({ outputs }) => outputs.length), [0, 1, 0, 1])
    }))

  it("finds a defect in staged and in unstaged changes of tracked files", () =>
    withBench(() => reviewer, async ({ codex, git, repo, write }) => {
      write("one.mjs", `export const one = 1\n${PAST_THE_END}`)
      assert.include((await codex("--uncommitted")).stdout, `— ${repo}/one.mjs:3-3\n`)
      git("add", ".")
      assert.include((await codex("--uncommitted")).stdout, `— ${repo}/one.mjs:3-3\n`)
    }))

  it("reviews a branch against its base, and one commit", () =>
    withBench(() => reviewer, async ({ codex, git, repo, write }) => {
      git("checkout", "--quiet", "-b", "feature")
      write("two.mjs", PAST_THE_END)
      git("add", ".")
      git("commit", "--quiet", "--message", "Add two")
      const flawed = git("rev-parse", "HEAD")
      assert.include((await codex("--base", "main")).stdout, `— ${repo}/two.mjs:2-2\n`)
      write("two.mjs", FIXED)
      git("commit", "--quiet", "--all", "--message", "Fix two")
      assert.match((await codex("--base", "main")).stdout, /^The change reads well/)
      assert.include((await codex("--commit", flawed)).stdout, `— ${repo}/two.mjs:2-2\n`)
      assert.match((await codex("--commit", git("rev-parse", "HEAD"))).stdout, /^The change reads well/)
    }))

  it("does not claim to have reviewed what it could not see", () =>
    withBench(() => reviewer, async ({ codex }) => {
      assert.match((await codex("--base", "no-such-branch")).stdout, /^I could not inspect the diff: /)
      assert.match((await codex("--uncommitted")).stdout, /^There is nothing to review/)
    }))

  it("runs in a sandbox that cannot write", () =>
    withBench(() => ({ outputs }) =>
      outputs.length === 0
        ? { _tag: "Command", cmd: "touch written" }
        : { _tag: "Message", text: `${outputs[0]?.exitCode}: ${outputs[0]?.text}` }, async ({ codex, git }) => {
      assert.match((await codex("--uncommitted")).stdout, /^1: .*Read-only file system/)
      assert.strictEqual(git("status", "--porcelain"), "")
    }))
})
