// implement: whole calls on a real repository with a real program as agent, and the subcommands that look at its run.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { made } from "./implementing.ts"
import { onTerminal, terminals } from "./terminals.ts"
import { screenAfter } from "../support/screen.ts"
import { eventually, it, type World } from "./world.ts"

const steps = ["implement", "test", "review-0", "analysis", "fix-1", "review-1"].map((step) => `cycle-1/${step}`)

/** A call whose tasks are done, so that a reviewer looks at their code and does not end. */
const onLadder = async (world: World) => {
  const { runs, start } = made(world)
  const plan = join(world.repo, "plan.md")
  writeFileSync(plan, readFileSync(plan, "utf8").replaceAll(/( {4})(description)/g, "$1done: true\r\n$1$2"))
  world.scenario("default", "wait never; clean")
  const working = start("--then", "converge", "-n", "1")
  await eventually("a reviewer", () => world.calls().length === 1)
  return { runs, working }
}

describe.concurrent("implement", () => {
  it("works through a plan, and its run can be listed, replayed and audited", async ({ world }) => {
    const { asked, runs, start } = made(world)
    const { exit, header, stderr } = await start().ended
    assert.deepStrictEqual([exit, stderr.trimEnd().split("\n").at(-1)], [0, "DoneAccepted"], `${header} ${stderr}`)
    assert.deepStrictEqual(asked(), steps)
    const text = readFileSync(join(world.repo, "plan.md"), "utf8")
    assert.strictEqual(text.match(/ {4}done: true\r\n/g)?.length, 2)
    assert.include(text, "title: Sums # kept\r\n")
    // What the program keeps is for its user alone. The code is not the program's.
    const modes = ["plan.md", "sum.txt"].map((name) => statSync(join(world.repo, name)).mode & 0o777)
    assert.deepStrictEqual(modes, [0o666, 0o666].map((mode) => mode & ~process.umask()))
    const [run = ""] = runs()
    const listed = await world.step("runs")
    assert.match(listed.stdout, new RegExp(`^${run} .* done: 2 tasks accepted$`, "m"))
    const replayed = await world.step("replay", run)
    assert.match(replayed.stdout, /TasksMarked +cycle 1: tasks 0, 1$/m)
    assert.match(replayed.stdout, /CodeReviewed +cycle 1, review 0 by agent 3: NEEDS_FIXES/)
    const audited = await world.step("audit", run)
    assert.deepStrictEqual([audited.exit, /sound/.test(audited.stdout)], [0, true], audited.stdout)
    assert.strictEqual((await world.step("replay", run, "--at", "1")).exit, 6)
    const watched = await world.step("watch", run)
    assert.match(watched.stdout, /^run \S+: plan\.md in [^]*\ndone: 2 tasks accepted\n/)
    const none = await world.step("findings", run)
    assert.deepStrictEqual([none.exit, none.stdout], [6, ""])
    assert.include(none.stderr, `run ${run} has no findings: the code of its plan has not been converged`)
  })

  it(
    "continues after it was killed, and no agent is asked twice; an inspection says so",
    { tags: "slow" },
    async ({ world }) => {
      const { asked, runs, start, wait } = made(world)
      const before = await start("--inspect").ended
      assert.deepStrictEqual([before.exit, before.stderr.trimEnd().split("\n")], [4, [
        "runs ! grep -q red sum.txt 2>/dev/null",
        "WouldAdvance: Test"
      ]])
      assert.isFalse(existsSync(world.stateRoot))
      writeFileSync(wait, "")
      const first = start()
      await eventually("an agent", () => asked().length === 1)
      first.signal("SIGKILL")
      await first.ended
      const files = readdirSync(world.stateRoot, { recursive: true })
      const between = await start("--inspect", "--json").ended
      const { run, ...rest } = JSON.parse(between.stdout)
      assert.deepInclude(rest, { exitCode: 4, action: "Ask", next: "round 1: an agent implements" })
      assert.strictEqual(run.run, runs()[0])
      assert.deepStrictEqual(readdirSync(world.stateRoot, { recursive: true }), files)
      const second = start("--json")
      await eventually("a driver", () => second.said() !== "" || runs().length === 1)
      rmSync(wait)
      const { exit, stdout } = await second.ended
      assert.strictEqual(exit, 0)
      assert.deepStrictEqual(asked(), steps)
      assert.deepInclude(JSON.parse(stdout), { outcome: "DoneAccepted", exitCode: 0 })
      assert.lengthOf(runs(), 1)
    }
  )

  it("is ended by stop, which ends its agent too", { tags: "slow" }, async ({ world }) => {
    const { asked, runs, start, wait } = made(world)
    writeFileSync(wait, "")
    const working = start()
    await eventually("an agent", () => asked().length === 1)
    const stopped = await world.step("stop", runs()[0] ?? "")
    assert.deepStrictEqual([stopped.exit, stopped.stdout.trim()], [0, "stopped 1 agent, the driver"])
    assert.strictEqual((await working.ended).exit, 8)
    assert.deepStrictEqual(world.reviewers(), [])
    assert.include((await world.step("stop", runs()[0] ?? "")).stdout, "nothing to stop")
  })

  it(
    "is ended by stop while its code goes up the ladder, with the reviewers there",
    { tags: "slow" },
    async ({ world }) => {
      const { runs, working } = await onLadder(world)
      const stopped = await world.step("stop", runs()[0] ?? "")
      assert.match(stopped.stdout, /^stopped the driver; the run of its code: .*stopped 1 reviewer/)
      assert.deepStrictEqual([stopped.exit, (await working.ended).exit], [0, 8])
      assert.deepStrictEqual(world.reviewers(), [])
    }
  )

  it("leaves no reviewer on the ladder to a stop after it was killed there", { tags: "slow" }, async ({ world }) => {
    const { runs, working } = await onLadder(world)
    working.signal("SIGKILL")
    await working.ended
    const stopped = await world.step("stop", runs()[0] ?? "")
    assert.match(stopped.stdout, /^no process works on the plan; the run of its code: stopped 1 reviewer/)
    assert.deepStrictEqual(world.reviewers(), [])
  })
})

describe.runIf(terminals)("implement on a terminal", () => {
  it(
    "shows the cycle and who works, leaves nothing of it, and watch follows it to its end",
    { tags: "slow" },
    async ({ world }) => {
      const { args, env, wait } = made(world)
      writeFileSync(wait, "")
      const run = onTerminal(world, { errors: "same", columns: 80, env: { ...env, NO_COLOR: "1" } }, ...args, "--yes")
      await eventually("an agent at work", () => /implements: begins/.test(run.tty()))
      const frame = screenAfter(run.tty().slice(0, run.tty().lastIndexOf("\u001b[?7h") + 5), 80).lines.slice(-4)
      const watching = world.start(["watch"])
      await eventually("the watch", () => watching.said().includes("implements: begins"))
      rmSync(wait)
      assert.strictEqual(await run.ended, 0, run.tty())
      assert.deepStrictEqual(frame.map((line) => line.replaceAll(/ +\d+s/g, " 1s").replace(/ \(1s ago\)$/, "")), [
        "running: the agent works on 2 tasks",
        "0 reviews, 1s",
        "agent     running 1s  implements: begins",
        ""
      ])
      const { lines } = screenAfter(run.tty(), 80)
      assert.deepStrictEqual(lines.slice(-2), ["DoneAccepted", ""])
      for (const line of ["         review: needs fixes", "done: 2 tasks accepted"]) {
        assert.include(lines, line, lines.join("\n"))
      }
      assert.isTrue(lines.some((line) => / task 0 done: /.test(line)), lines.join("\n"))
      assert.include((await watching.ended).stdout, "\ndone: 2 tasks accepted\n")
    }
  )
})
