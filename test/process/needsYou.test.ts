// A call of `converge` or `implement` that needs a person: what it says, in how many lines, and what a fix by hand, another try and an
// undo lead to.
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { made } from "./implementing.ts"
import { it, type World } from "./world.ts"

const test = "! grep -q bad a.txt || { echo 'not ok 1 - lowest'; echo 'expected 2'; exit 1; }"

/** A reviewer that finds something in every code but that with `good`, and an agent that writes `bad`. */
const stuck = async (world: World) => {
  const agent = join(world.dir, "agent")
  writeFileSync(
    agent,
    [
      "#!/bin/sh",
      "id=$(grep -o 'task_id: [a-z0-9/-]*' | head -1)",
      "echo bad >>a.txt; echo 'export const helper = 1' >helper.ts",
      "printf 'role: worker\\n%s\\nstatus: pass\\ngit_range: HEAD..HEAD\\nissues: none\\n\\ndone\\n' \"$id\"",
      ""
    ].join("\n")
  )
  chmodSync(agent, 0o755)
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  world.scenario("default", "clean")
  world.scenario("1", "issues 1")
  const what = ["--uncommitted", "-n", "1", "--ceiling", "low", "--retro", "never", "--fix-attempts", "1"]
  const args = ["converge", ...what, "--agent-cmd", agent, "--allow", "unsandboxed", "--test", test]
  return { args, first: await world.step(...args) }
}

/** What is said below the story: the header and what follows it. */
const page = (stderr: string): ReadonlyArray<string> => {
  const lines = stderr.trimEnd().split("\n")
  return lines.slice(lines.findIndex((line) => line.startsWith("HandoffHuman: ")))
}

const commandOf = (lines: ReadonlyArray<string>, what: string): string =>
  lines.find((line) => line.startsWith(`${what}:`))?.slice(what.length + 1).trim() ?? assert.fail(lines.join("\n"))

describe.concurrent("converge whose agent fails", () => {
  it("says so in its story, quotes the agent's last words and names its transcript", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.scenario("default", "issues 1")
    const what = ["--uncommitted", "-n", "1", "--ceiling", "low", "--no-test"]
    const agent = ["--agent-cmd", "echo out of memory >&2; exit 9", "--allow", "unsandboxed"]
    const { exit, stderr } = await world.step("converge", ...what, ...agent)
    assert.strictEqual(exit, 3, stderr)
    const [header, reason = "", place = ""] = page(stderr)
    assert.strictEqual(header, "HandoffHuman: AgentFailed")
    assert.match(reason, /^needs you: the agent failed: ".*out of memory.*" \[/)
    assert.include(readFileSync(/^ {2}transcript: (\S+)$/.exec(place)?.[1] ?? "", "utf8"), "out of memory")
    assert.match((await world.step("status")).stdout, /^round 1 {2}the agent failed on 1 finding$/m)
  })
})

describe.concurrent("converge whose tests stay red", () => {
  it("says what failed, what is open, what changed and what to call, in at most 15 lines", async ({ world }) => {
    const { first } = await stuck(world)
    assert.strictEqual(first.exit, 3, first.stderr)
    const [header, ...lines] = page(first.stderr)
    assert.strictEqual(header, "HandoffHuman: TestsFailedTriage")
    assert.isAtMost(lines.length, 15, lines.join("\n"))
    assert.match(lines[0] ?? "", /^needs you: ! grep -q bad a\.txt .* still fails \(exit 1\)$/)
    assert.deepStrictEqual(lines.slice(1, 3), ["  | not ok 1 - lowest", "  | expected 2"])
    const [, log = ""] = /^ {2}log: (\S+)$/.exec(lines[3] ?? "") ?? []
    assert.include(readFileSync(log, "utf8"), "not ok 1 - lowest")
    assert.match(lines[4] ?? "", /^1 review, 2 files changed, \+\d -0/)
    assert.match(lines.join("\n"), /\nopen:\n {2}P1 {2}a\.txt:1 {2}Finding 1\n/)
    assert.match(commandOf(lines, "fixed it yourself"), /^ooda-codex-review converge --uncommitted .*--agent-cmd /)
    assert.match(commandOf(lines, "let an agent try again"), /--again$/)
    assert.strictEqual(commandOf(lines, "take it back"), "ooda-codex-review undo")
    assert.include((await world.step("status")).stdout, lines[0] ?? "")
    assert.match((await world.step("runs")).stdout, /needs you: .* still fails/)
  })

  it(
    "ends the same way while nothing changes, and takes a fix by hand for an answer",
    { tags: "slow" },
    async ({ world }) => {
      const { args, first } = await stuck(world)
      const calls = world.calls().length
      const second = await world.step(...args)
      assert.strictEqual(second.exit, 3, second.stderr)
      assert.match(page(second.stderr)[1] ?? "", /; nothing has changed since$/)
      const inspected = await world.step(...args, "--inspect")
      assert.deepStrictEqual([inspected.exit, inspected.header], [3, page(first.stderr)[0]])
      writeFileSync(join(world.repo, "a.txt"), "two\nbad and worse\n")
      const worse = await world.step(...args)
      assert.strictEqual(worse.exit, 3, worse.stderr)
      assert.match(page(worse.stderr)[1] ?? "", /still fails \(exit 1\)$/)
      assert.strictEqual(world.calls().length, calls, "no review was paid for")
      writeFileSync(join(world.repo, "a.txt"), "two\ngood\n")
      const foretold = await world.step(...args, "--inspect")
      assert.strictEqual(foretold.exit, 4)
      assert.match(foretold.stderr, /^runs ! grep .* first, since the code changed\nWouldAdvance: /)
      const fixed = await world.step(...args)
      assert.strictEqual(fixed.exit, 0, fixed.stderr)
      assert.match(fixed.stderr, /\ndone: reviewed clean at low\n[^]*\nDoneFixedPoint\n$/)
      assert.strictEqual((await world.step("audit")).exit, 0)
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Fixed/)
    }
  )

  it(
    "is taken back to before its round, which another call begins anew; so does --again",
    { tags: "slow" },
    async ({ world }) => {
      const { args } = await stuck(world)
      writeFileSync(join(world.repo, "mine.ts"), "export const mine = 1\n")
      const undone = await world.step("undo")
      assert.strictEqual(undone.exit, 0, undone.stderr)
      assert.match(undone.stdout, /written {2}a\.txt[^]*removed {2}helper\.ts/)
      assert.strictEqual(readFileSync(join(world.repo, "a.txt"), "utf8"), "two\n")
      assert.strictEqual(readFileSync(join(world.repo, "mine.ts"), "utf8"), "export const mine = 1\n")
      rmSync(join(world.repo, "mine.ts"))
      const undoneText = "interrupted: undo changed the code since; the same call continues from there"
      assert.include((await world.step("status")).stdout, `\n${undoneText}\n`)
      assert.include((await world.step("runs")).stdout, undoneText)
      assert.strictEqual((await world.step(...args)).exit, 3)
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Undone[^]*RoundStarted +round 2/)
      assert.strictEqual((await world.step(...args, "--again")).exit, 3)
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Again[^]*RoundStarted +round 3/)
    }
  )
})

describe.concurrent("converge that cannot start its reviewers", () => {
  it("ends, and status says why and not that its process died", async ({ world }) => {
    const codex = world.path("codex")
    copyFileSync("fixtures/fake-codex/codex", codex)
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    const what = ["--uncommitted", "-n", "1", "--ceiling", "low", "--test", `rm -f ${codex}`]
    const { exit, stderr } = await world.step("converge", ...what, "--codex-bin", codex)
    assert.strictEqual(exit, 6, stderr)
    const why = stderr.trimEnd().split("\n").at(-1)?.replace("BinaryError: ", "") ?? ""
    const { stdout } = await world.step("status")
    assert.include(stdout, `\nneeds you: ${why.slice(0, 100)}`)
    assert.notInclude(stdout, "died")
    assert.include((await world.step("replay")).stdout, "DriverEnded")
  })
})

describe.concurrent("reviews that fail for different causes", () => {
  it("end converge with a last line that names both", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.scenario("1", "exit 3")
    world.scenario("2", "fail You've hit your usage limit.")
    const what = ["--uncommitted", "-n", "2", "--ceiling", "low", "--retries", "0", "--test", "true"]
    const { exit, stderr } = await world.step("converge", ...what)
    assert.strictEqual(exit, 6, stderr)
    const last = stderr.trimEnd().split("\n").at(-1) ?? ""
    assert.match(last, /^BinaryError: 2 reviews at low failed: /)
    const causes = last.split(" failed: ")[1]?.split("; ").sort()
    assert.deepStrictEqual(causes, ["You've hit your usage limit", "codex gave no reason for ending"])
  })

  it(
    "end implement --then converge with the same line, and status says the same",
    { tags: "slow" },
    async ({ world }) => {
      const { start } = made(world)
      world.scenario("default", "exit 3")
      const { exit, stderr } = await start("--then", "converge", "-n", "2", "--ceiling", "low", "--retries", "0").ended
      assert.strictEqual(exit, 6, stderr)
      const last = stderr.trimEnd().split("\n").at(-1) ?? ""
      assert.match(last, /^BinaryError: 2 reviews at low failed: /)
      assert.isBelow(last.length, 140)
      assert.include((await world.step("status")).stdout, last.replace("BinaryError: ", "needs you: "))
    }
  )
})

/** An implementer whose work fails the test; the agents that fix and review it change nothing and find nothing. */
const stuckPlan = async (world: World) => {
  const [agent, log] = [world.path("agent.sh"), world.path("agents")]
  writeFileSync(
    agent,
    [
      "#!/bin/sh",
      `echo "$OODA_TASK_ID" >>"${log}"`,
      'case "$OODA_TASK_ID" in',
      "  */review-*) echo 'VERDICT: ACCEPTABLE'; exit ;;",
      "  */implement) echo bad >>a.txt ;;",
      "esac",
      "printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\n\\nDone.\\nDONE: 0\\n' \"$OODA_TASK_ID\"",
      ""
    ].join("\n")
  )
  chmodSync(agent, 0o755)
  writeFileSync(join(world.repo, "plan.md"), "---\ntasks:\n  - title: Add\n    description: Add numbers.\n---\n")
  const flags = ["--fix-attempts", "0", "--agent-cmd", agent, "--allow", "unsandboxed", "--test", test]
  const args = ["implement", "plan.md", ...flags]
  const asked = () => readFileSync(log, "utf8").trim().split("\n")
  return { args, asked, first: await world.step(...args) }
}

describe.concurrent("implement whose tests stay red", () => {
  it(
    "ends the same way while nothing changes, and takes a fix by hand for the work",
    { tags: "slow" },
    async ({ world }) => {
      const { args, asked, first } = await stuckPlan(world)
      assert.strictEqual(first.exit, 3, first.stderr)
      const lines = page(first.stderr)
      assert.isAtMost(lines.length - 1, 15, lines.join("\n"))
      assert.strictEqual(lines[0], "HandoffHuman: TestsFailedTriage")
      assert.deepStrictEqual(lines.slice(2, 4), ["  | not ok 1 - lowest", "  | expected 2"])
      assert.match(commandOf(lines, "fixed it yourself"), /^ooda-codex-review implement plan\.md .*--agent-cmd /)
      assert.match(commandOf(lines, "let an agent try again"), /--again$/)
      assert.strictEqual(commandOf(lines, "take it back"), "ooda-codex-review undo")
      const second = await world.step(...args)
      assert.strictEqual(second.exit, 3, second.stderr)
      assert.match(page(second.stderr)[1] ?? "", /; nothing has changed since$/)
      assert.deepStrictEqual(asked(), ["cycle-1/implement", "cycle-1/test"])
      writeFileSync(join(world.repo, "a.txt"), "two\ngood\n")
      const foretold = await world.step(...args, "--inspect")
      assert.deepStrictEqual([foretold.exit, /^runs ! grep .*\nWouldAdvance: Test\n/.test(foretold.stderr)], [4, true])
      const fixed = await world.step(...args)
      assert.strictEqual(fixed.exit, 0, fixed.stderr)
      assert.match(fixed.stderr, /\nDoneAccepted\n$/)
      assert.deepStrictEqual(asked().slice(2), ["cycle-2/test", "cycle-2/review-0"])
      assert.include(readFileSync(join(world.repo, "plan.md"), "utf8"), "done: true")
      assert.strictEqual((await world.step("audit")).exit, 0)
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Fixed/)
    }
  )

  it(
    "begins another round with --again, and one anew when its work was taken back",
    { tags: "slow" },
    async ({ world }) => {
      const { args, asked } = await stuckPlan(world)
      assert.strictEqual((await world.step(...args, "--again")).exit, 3)
      assert.deepStrictEqual(asked().slice(2), ["cycle-2/implement", "cycle-2/test"])
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Again/)
      assert.strictEqual((await world.step("undo")).exit, 0)
      assert.strictEqual((await world.step(...args)).exit, 3)
      assert.match((await world.step("replay")).stdout, /PersonAnswered +Undone/)
      assert.deepStrictEqual(asked().slice(4), ["cycle-3/implement", "cycle-3/test"])
    }
  )
})
