// gitMeanwhile: what happens in a repository while an agent works: the agent's answer is kept, whoever did it.
import { appendFileSync, readFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

/** A call of `converge` for one commit on a branch, whose only agent does `what`; the first review has a finding. */
const calls = (world: World, what: string) => {
  world.git("checkout", "-q", "-b", "work")
  appendFileSync(`${world.repo}/a.txt`, "two\n")
  world.git("commit", "-qam", "Two")
  world.scenario("1", "issues 1")
  const agent = `echo x >>${world.path("agents")}; echo fixed >>a.txt; ${what}; printf 'role: worker\\n'; ` +
    'echo "task_id: $OODA_TASK_ID"; echo "status: pass"; echo "git_range: HEAD..HEAD"'
  const args = ["converge", "--base", "main", "--no-test", "--retro", "never", "-n", "1", "--ceiling", "low"]
  return {
    call: (...allow: ReadonlyArray<string>) =>
      world.step(
        ...args,
        "--agent-cmd",
        agent,
        ...["unsandboxed", ...allow].flatMap((kind) => ["--allow", kind])
      ),
    agents: () => readFileSync(world.path("agents"), "utf8").split("\n").length - 1
  }
}

describe.concurrent("while an agent works", () => {
  it("a hook that appears ends the call; the next one goes on from the answer", async ({ world }) => {
    const { agents, call } = calls(world, "echo 'exit 1' >.git/hooks/pre-push")
    const told = await call()
    assert.strictEqual(told.exit, 3)
    assert.include(told.stderr, "\nHandoffHuman: GitStateChanged\n")
    assert.match(told.stderr, /changed while an agent worked: hooks /)
    const { exit, stderr } = await call()
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(agents(), 1)
  })

  it("a merge base that moves ends each call until the old one is back", async ({ world }) => {
    const { agents, call } = calls(world, "git branch -f main HEAD")
    const [from = "", to = ""] = ["main", "HEAD"].map((name) => world.git("rev-parse", name).trim())
    for (const ended of [await call(), await call()]) {
      assert.strictEqual(ended.exit, 3)
      assert.include(ended.stderr, `the merge base is ${to}, and was ${from} when the round began`)
    }
    world.git("branch", "-f", "main", from)
    assert.strictEqual((await call()).exit, 0)
    assert.strictEqual(agents(), 1)
    // What moves it after the call has ended is no longer of the round.
    world.git("commit", "-q", "--allow-empty", "-m", "Three")
    world.git("branch", "-f", "main", "HEAD^")
    assert.strictEqual((await call()).exit, 0)
  })

  it("a merge base that a person allows is named by the audit and the attestation", async ({ world }) => {
    const { agents, call } = calls(world, "git branch -f main HEAD")
    assert.strictEqual((await call()).exit, 3)
    const { exit, stderr } = await call("moved-base")
    assert.strictEqual(exit, 0, stderr)
    const to = world.git("rev-parse", "main").trim()
    assert.include((await world.step("audit")).stdout, `a person allowed another merge base: ${to}`)
    assert.include((await world.step("attest")).stdout, `"movedBases":["${to}"]`)
    assert.strictEqual(agents(), 1)
  })
})
