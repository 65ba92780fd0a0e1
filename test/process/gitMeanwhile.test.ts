// gitMeanwhile: what happens in a repository while an agent works: the agent's answer is kept, whoever did it.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { eventually, it, type World } from "./world.ts"

/** Calls of `converge` whose only agent does `what`; the first review has a finding. */
const calls = (world: World, what: string, target: ReadonlyArray<string> = ["--base", "main"]) => {
  world.git("checkout", "-q", "-b", "work")
  appendFileSync(`${world.repo}/a.txt`, "two\n")
  if (target.includes("--base")) world.git("commit", "-qam", "Two")
  world.scenario("1", "issues 1")
  const agent = `echo x >>${world.path("agents")}; echo fixed >>a.txt; ${what}; printf 'role: worker\\n'; ` +
    'echo "task_id: $OODA_TASK_ID"; echo "status: pass"; echo "git_range: HEAD..HEAD"'
  const args = ["converge", ...target, "--no-test", "--retro", "never", "-n", "1", "--ceiling", "low"]
  const asked = (allow: ReadonlyArray<string>) => [
    ...[...args, "--agent-cmd", agent],
    ...["unsandboxed", ...allow].flatMap((kind) => ["--allow", kind])
  ]
  return {
    call: (...allow: ReadonlyArray<string>) => world.step(...asked(allow)),
    start: () => world.start(asked([])),
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
      assert.include(ended.stderr, `the change is compared with ${to}, and with ${from} when the round began`)
    }
    const inspected = await world.step(
      "converge",
      "--base",
      "main",
      "--no-test",
      "-n",
      "1",
      "--ceiling",
      "low",
      "--inspect"
    )
    assert.strictEqual(inspected.exit, 3, inspected.stderr)
    world.git("branch", "-f", "main", from)
    assert.strictEqual((await call()).exit, 0)
    assert.strictEqual(agents(), 1)
    // What moves it after the call has ended is no longer of the round.
    world.git("commit", "-q", "--allow-empty", "-m", "Three")
    world.git("branch", "-f", "main", "HEAD^")
    assert.strictEqual((await call()).exit, 0)
  })

  it("a commit of uncommitted work ends each call until it is taken back", async ({ world }) => {
    const from = world.git("rev-parse", "HEAD").trim()
    const { agents, call } = calls(world, "git commit -qam Hidden", ["--uncommitted"])
    const ended = [await call(), await call()]
    const to = world.git("rev-parse", "HEAD").trim()
    for (const { exit, stderr } of ended) {
      assert.strictEqual(exit, 3, stderr)
      assert.include(stderr, `the change is compared with ${to}, and with ${from} when the round began`)
    }
    // Neither another ladder nor a step nor an edit is a way around it.
    const others = [
      ["converge", "--uncommitted", "--no-test", "--level", "medium", "--ceiling", "medium", "--allow", "unsandboxed"],
      ["--uncommitted", "-n", "1", "--strict"]
    ]
    appendFileSync(`${world.repo}/a.txt`, "three\n")
    for (const args of others) {
      const refused = await world.step(...args)
      assert.strictEqual(refused.exit, 6, refused.stderr)
      assert.include(refused.stderr, `the change is compared with ${to}, and with ${from} when the round began`)
    }
    world.git("reset", "-q", "--soft", from)
    const { exit, stderr } = await call()
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(agents(), 1)
  })

  it("a directory that becomes a linked worktree ends each call until it is none", async ({ world }) => {
    mkdirSync(`${world.repo}/new`)
    writeFileSync(`${world.repo}/new/code.txt`, "code\n")
    const worktree = "mv new was && git worktree add -q --detach new && mv was/code.txt new && rmdir was"
    const { agents, call } = calls(world, worktree)
    for (const { exit, stderr } of [await call(), await call()]) {
      assert.strictEqual(exit, 3, stderr)
      assert.include(stderr, " without new, and with ")
    }
    world.git("worktree", "remove", "--force", "new")
    mkdirSync(`${world.repo}/new`)
    writeFileSync(`${world.repo}/new/code.txt`, "code\n")
    const { exit, stderr } = await call()
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(agents(), 1)
  })

  it("a driver that is ended leaves it to its own target alone", async ({ world }) => {
    const { agents, call, start } = calls(world, `while [ ! -e ${world.path("go")} ]; do sleep 0.05; done`)
    const first = start()
    await eventually("an agent", () => existsSync(world.path("agents")))
    first.signal("SIGTERM")
    assert.strictEqual((await first.ended).exit, 8)
    const other = await world.step("converge", "--uncommitted", "--no-test", "--yes", "-n", "1")
    assert.strictEqual(other.exit, 6, other.stderr)
    assert.match(
      other.stderr,
      /an agent or a test of base\/main still works in this worktree \[`ooda-codex-review stop --run /
    )
    const ladder = await world.step(
      ...["converge", "--base", "main", "--no-test", "-n", "1", "--level", "medium", "--ceiling", "medium"],
      ...["--agent-cmd", "true", "--allow", "unsandboxed", "--fresh"]
    )
    assert.strictEqual(ladder.exit, 6, ladder.stderr)
    assert.match(ladder.stderr, /an agent or a test of run \S+ still works \[`ooda-codex-review stop --run /)
    writeFileSync(world.path("go"), "")
    const { exit, stderr } = await call()
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(agents(), 1)
  })

  it("a merge base that a person allows is named by the audit and the attestation", async ({ world }) => {
    const { agents, call } = calls(world, "git branch -f main HEAD")
    assert.strictEqual((await call()).exit, 3)
    const { exit, stderr } = await call("moved-base")
    assert.strictEqual(exit, 0, stderr)
    const to = world.git("rev-parse", "main").trim()
    assert.include((await world.step("audit")).stdout, `a person allowed that the change is compared with ${to}`)
    assert.include((await world.step("attest")).stdout, `"movedBases":["${to}"]`)
    assert.strictEqual(agents(), 1)
  })
})
