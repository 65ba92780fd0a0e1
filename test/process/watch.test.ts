// `status --follow` and `watch`: a run that another process drives.
// It only looks; the run's log is the same byte for byte with it and without it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { screenAfter } from "../support/screen.ts"
import { eventually, it, type World } from "./world.ts"
import { onTerminal, terminals } from "./terminals.ts"

const argv = ["--uncommitted", "-n", "2", "--ceiling", "low"]

/** Two reviewers that work on a command until they are let go; the second finds something. */
const scene = async (world: World) => {
  world.scenario("default", `log exec;log /bin/bash -lc 'git diff' in /repo;wait ${world.path("go")};clean`)
  world.scenario("2", `wait ${world.path("go")};issues 2`)
  const step = world.start(argv)
  await eventually("both reviewers at work", () => world.calls().length === 2)
  return step
}

describe.concurrent("watch, where nothing can be redrawn,", () => {
  it("prints what happens and ends when no process works on the run", async ({ world }) => {
    const step = await scene(world)
    const watch = world.start(["status", "--follow"])
    await eventually("the reviewers", () => watch.said().includes("low 2"))
    world.release("go")
    const { exit, stderr, stdout } = await watch.ended
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: "" })
    assert.strictEqual((await step.ended).header, "HandoffAgent: AddressBatch")
    assert.match(stdout, /^run \S+: uncommitted in \S+, not strict, last event \d+s ago\n\nlow 1 {5}running /)
    assert.match(stdout, /\nlow {6}2 reviews {3}2 findings {2}\d+s\n {11}P1 {2}/)
    assert.match(
      stdout,
      /\nneeds you: 1 of 2 reviews at low found issues\n[^]*\nfixed it yourself: {2}ooda-codex-review /
    )
    const lines = stdout.split("\n").filter((line) => /^low/.test(line))
    assert.deepEqual(lines, [...new Set(lines)], "nothing is printed twice")
  })

  it("prints documents with --json", async ({ world }) => {
    await scene(world)
    const watch = world.start(["watch", "--uncommitted", "--json"])
    await eventually("the command of a reviewer", () => watch.said().includes("$ git diff"))
    world.release("go")
    const documents = (await watch.ended).stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    for (const one of documents) assert.strictEqual(one.run.run, world.runs()[0])
    for (const one of documents) assert.deepInclude(one, { schema: 1, level: "low", batch: 1 })
    assert.deepInclude(documents.at(-1), { state: "NeedsYou", text: "1 of 2 reviews at low found issues" })
    const rows = documents.flatMap(({ work }) => work)
    const working = rows.find(({ activity }: { activity: string }) => activity === "$ git diff")
    assert.strictEqual(working.state, "Running")
    assert.isNumber(working.elapsed)
    assert.isNumber(working.silentFor)
  })

  it(
    "changes nothing, and leaves no process, when it is interrupted or killed",
    { tags: "slow" },
    async ({ world }) => {
      const step = await scene(world)
      const files = () => readdirSync(world.runDir(), { recursive: true }).sort()
      const log = () => readFileSync(join(world.runDir(), "manifest.jsonl"), "utf8")
      const before = { files: files(), log: log() }
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        const watch = world.start(["watch"])
        await eventually("its first lines", () => watch.said().includes("low 2"))
        watch.signal(signal)
        assert.strictEqual((await watch.ended).exit, 0)
      }
      assert.deepEqual({ files: files(), log: log() }, before)
      world.release("go")
      assert.strictEqual((await step.ended).exit, 5)
    }
  )

  it("says who has to act when no one drives the run", { tags: "slow" }, async ({ world }) => {
    const step = await scene(world)
    step.signal("SIGKILL")
    await step.ended
    const watch = world.start(["watch"])
    await eventually("its first lines", () => watch.said().includes("low 2"))
    world.release("go")
    const { stdout } = await watch.ended
    assert.match(stdout, /\ninterrupted: 2 reviews at low ended and are not recorded\n/)
    assert.match(stdout, /\ncontinue: {2}ooda-codex-review --uncommitted -n 2\n$/)
  })

  it("reports a stop, a failure and a batch that has not begun", { tags: "slow" }, async ({ world }) => {
    const step = await scene(world)
    const watch = world.start(["watch"])
    await eventually("its first lines", () => watch.said().includes("low 2"))
    await world.step("stop", "--uncommitted")
    await step.ended
    assert.match((await watch.ended).stdout, /\ninterrupted: the reviews at low were stopped\n/)
    world.scenario("default", "fail Quota exceeded. Check your plan and billing details.")
    assert.strictEqual((await world.step(...argv)).exit, 6)
    assert.match((await world.step("watch")).stdout, /\nneeds you: 2 reviews at low failed: Quota exceeded\. /)
    await world.step("--uncommitted", "--mark-address-passed")
    assert.match((await world.step("watch")).stdout, /\ninterrupted: the next step reviews at low\n/)
  })

  it("could not, without a run, and found something wrong in a damaged one", async ({ world }) => {
    const none = await world.step("watch")
    assert.strictEqual(none.exit, 6)
    assert.match(none.stderr, /^error: no run of this repository/)
    await world.step("--uncommitted", "--advance-level")
    const path = join(world.runDir(), "manifest.jsonl")
    writeFileSync(path, readFileSync(path, "utf8").replace("low", "lox"))
    const damaged = await world.step("watch")
    assert.strictEqual(damaged.exit, 1)
    assert.match(
      damaged.stderr,
      /^error: .*damaged at line 1, byte 0: bad hash \[audit says more; --fresh starts another run\]\n$/
    )
    assert.strictEqual((await world.step("watch", "--nonsense")).exit, 64)
    assert.strictEqual((await world.step("watch", "--help")).exit, 0)
  })
})

describe.runIf(terminals).concurrent("watch on a terminal", () => {
  it("redraws one line a reviewer below what happened, and ends with how the run is", async ({ world }) => {
    await scene(world)
    const watch = onTerminal(world, { errors: "same", out: "tty" }, "watch")
    await eventually("a second frame", () => (watch.tty().match(/low 2/g) ?? []).length >= 2)
    world.release("go")
    assert.strictEqual(await watch.ended, 0)
    const { lines, wraps } = screenAfter(watch.tty(), 100)
    assert.isTrue(wraps)
    assert.isEmpty(lines.filter((line) => /^low \d/.test(line)))
    assert.match(
      lines.join("\n"),
      /\nlow {6}2 reviews {3}2 findings {2}\d+s\n[^]*\nneeds you: 1 of 2 reviews at low found issues\n/
    )
  })
})
