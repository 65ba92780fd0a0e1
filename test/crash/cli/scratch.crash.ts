// Scratch: a step that is killed while git reads the code: what it leaves lies in its store until the next step.
// The one rule: nothing of the killed step lives on or stays, and nothing ever lies in the temporary directory.
import { type ChildProcess, execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { useBench } from "./bench.ts"

const bench = useBench()

const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !holds(); await pause(20)) {
    if (Date.now() > end) throw new Error(`not in time: ${what}`)
  }
}

/** The processes of git that work on an index in a directory, and the filters that they run. */
const workingIn = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync("/proc").filter((name) => {
    try {
      const variables = fs.readFileSync(`/proc/${name}/environ`, "utf8").split("\0")
      return variables.some((one) => one.startsWith(`GIT_INDEX_FILE=${directory}/`))
    } catch {
      return false
    }
  })

describe.skipIf(!fs.existsSync("/proc/self/environ"))("a step that is killed while git adds files", () => {
  it("leaves no process and, after the next step, no copy of the code", async () => {
    const { place, root, run } = bench()
    const repo = bench().makeRepo(path.join(root, "filtered"))
    const slow = path.join(root, "slow")
    const filter = `while [ -e '${slow}' ]; do sleep 0.05; done; cat`
    execFileSync("git", ["config", "filter.slow.clean", filter], { cwd: repo })
    fs.writeFileSync(path.join(repo, ".gitattributes"), "*.slow filter=slow\n")
    fs.writeFileSync(path.join(repo, "b.slow"), "code\n")
    const on = place()
    const scratches = path.join(on.state, "filtered-noremote", ".scratch")
    const codex = path.resolve("fixtures/fake-codex/codex")
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low", "--state-root", on.state, "--codex-bin", codex]
    const temporary = () => fs.readdirSync(path.join(root, "tmp")).filter((name) => !name.startsWith("fake-codex"))
    for (let turn = 1; turn <= 3; turn++) {
      fs.writeFileSync(slow, "")
      const stepping: { child: ChildProcess | null } = { child: null }
      const step = run(on, argv, { cwd: repo, onStart: (child) => (stepping.child = child) })
      await until("git at work", () => workingIn(scratches).length > 0)
      // What the one before has left is gone by now.
      assert.lengthOf(fs.readdirSync(scratches), 1)
      stepping.child?.kill("SIGKILL")
      await step
      await until("the end of git", () => workingIn(scratches).length === 0)
      assert.lengthOf(fs.readdirSync(scratches), 1)
      assert.deepStrictEqual(temporary(), [])
    }
    fs.rmSync(slow)
    const next = await run(on, argv, { cwd: repo })
    assert.strictEqual(next.header, "DoneFixedPoint", next.stderr)
    assert.isFalse(fs.existsSync(scratches))
    assert.deepStrictEqual(temporary(), [])
  })
})
