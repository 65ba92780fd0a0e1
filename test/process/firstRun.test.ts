// What comes before a run: the question at a terminal, what a no, a yes and --yes do, and whether codex is logged in.
// A no, and a refusal, write nothing.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { loggedOut } from "./doctorMachines.ts"
import { onTerminal, terminals } from "./terminals.ts"
import { eventually, it, type World } from "./world.ts"

const asks = "[y/N]"
const converge = (world: World, more: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  world.scenario("default", "clean")
  const ladder = ["--no-test", "-n", "1", "--ceiling", "low"]
  return onTerminal(world, { errors: "same", out: "tty", env }, "converge", ...ladder, ...more)
}
const answered = async (world: World, answer: string) => {
  const run = converge(world, ["--uncommitted"])
  await eventually("the question", () => run.tty().includes(asks))
  assert.match(run.tty(), /reviewing the uncommitted changes [^]*never commits; sends the diff/)
  assert.isFalse(existsSync(world.stateRoot))
  run.type(answer)
  return { exit: await run.ended, tty: run.tty() }
}

describe.runIf(terminals).concurrent("the first run of a repository", () => {
  it("asks once: a no writes nothing, and a later run asks no more", async ({ world }) => {
    const no = await answered(world, "n\n")
    assert.strictEqual(no.exit, 8, no.tty)
    assert.match(no.tty, /\nDoneAborted\r\n$/)
    assert.isFalse(existsSync(world.stateRoot))
    const yes = await answered(world, "y\n")
    assert.strictEqual(yes.exit, 0, yes.tty)
    assert.lengthOf(yes.tty.match(/reviewing the uncommitted changes/g) ?? [], 1)
    const later = converge(world, ["--uncommitted", "--fresh"])
    assert.strictEqual(await later.ended, 0, later.tty())
    assert.notInclude(later.tty(), asks)
    assert.include(later.tty(), "reviewing the uncommitted changes")
  })

  it(
    "asks nothing with --yes, and nothing about a target that does not resolve",
    { tags: "slow" },
    async ({ world }) => {
      const typo = converge(world, ["--base", "mian"])
      assert.strictEqual(await typo.ended, 6, typo.tty())
      const sure = converge(world, ["--uncommitted", "--yes"])
      assert.strictEqual(await sure.ended, 0, sure.tty())
      assert.notInclude(typo.tty() + sure.tty(), asks)
    }
  )

  it("asks nothing in a job of a runner, which may have a terminal", async ({ world }) => {
    for (const env of [{ CI: "true" }, { BUILDKITE: "1" }]) {
      const run = converge(world, ["--uncommitted", "--fresh"], env)
      assert.strictEqual(await run.ended, 0, run.tty())
      assert.notInclude(run.tty(), asks)
    }
  })

  it("of a plan asks, too", async ({ world }) => {
    writeFileSync(join(world.repo, "plan.md"), "---\ntasks:\n  - title: A\n    description: B\n---\n")
    const run = onTerminal(world, { errors: "same", out: "tty" }, "implement", "plan.md", "--no-test")
    await eventually("the question", () => run.tty().includes(asks))
    assert.match(run.tty(), /working through plan\.md [^]*sends the diff/)
    run.type("n\n")
    assert.strictEqual(await run.ended, 8, run.tty())
    assert.isFalse(existsSync(world.stateRoot))
  })
})

describe.concurrent("a codex that is not logged in", () => {
  it("ends converge and implement before anything is spent, unless a key replaces the login", async ({ world }) => {
    const codex = world.path("codex-logged-out")
    writeFileSync(codex, `#!/bin/sh\n${loggedOut}\n`, { mode: 0o700 })
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    writeFileSync(join(world.repo, "plan.md"), "---\ntasks:\n  - title: A\n    description: B\n---\n")
    const flags = ["--test", "echo ran >>../ran", "--codex-bin", codex]
    const message = "BinaryError: codex is not logged in [codex login, or set CODEX_API_KEY]\n"
    for (const call of [["converge", "--uncommitted"], ["implement", "plan.md"]]) {
      const { exit, stderr } = await world.step(...call, ...flags)
      assert.deepStrictEqual([exit, stderr], [6, message])
    }
    assert.isFalse(existsSync(world.stateRoot))
    assert.isFalse(existsSync(join(world.repo, "..", "ran")))
    const other = ["--agent-cmd", "true", "--allow", "unsandboxed", "--retries", "0"]
    assert.notInclude((await world.step("implement", "plan.md", ...flags, ...other)).stderr, "not logged in")
    const key = await world.start(["converge", "--uncommitted", "-n", "1", "--retries", "0", ...flags], {
      CODEX_API_KEY: "k"
    })
      .ended
    assert.include(key.stderr, "echo ran >>../ran passed")
  })
})
