// What undo moves aside stays with its run, is named by those who look, and comes back.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

/** What is said of the runs that are older than a second, once there is one. */
const pruned = async (world: World, ...more: ReadonlyArray<string>): Promise<string> => {
  for (;;) {
    const { stdout } = await world.step("runs", "--prune", "1s", ...more)
    if (!stdout.startsWith("no run is older")) return stdout
  }
}

describe.concurrent("what undo moved aside", () => {
  it("is named, keeps its run from being removed, and comes back", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "changed\n")
    world.scenario("default", "clean")
    world.scenario("1", "issues 1")
    const agent = "cat >/dev/null; git init -q sub; echo 'only here' >sub/.git/note"
    const ended = await world.step(
      ...["converge", "--uncommitted", "-n", "1", "--ceiling", "low", "--retro", "never", "--no-test"],
      ...["--allow", "unsandboxed", "--agent-cmd", agent]
    )
    assert.strictEqual(ended.exit, 3, ended.stderr)
    const note = join(world.repo, "sub/.git/note")
    const undone = await world.step("undo")
    assert.deepStrictEqual([undone.exit, existsSync(note)], [0, false], undone.stderr)
    const [, aside = "", back = ""] =
      /^what was moved aside is in (\S+)\nto bring it back: \S+ (.+)$/m.exec(undone.stdout) ?? []
    assert.strictEqual(readFileSync(join(aside, "sub/.git/note"), "utf8"), "only here\n", undone.stdout)
    assert.match((await world.step("status")).stdout, /1 path moved aside by undo/)
    assert.match((await world.step("doctor")).stdout, /1 path moved aside by undo/)
    const begun = await world.step("--uncommitted", "-n", "1", "--fresh")
    assert.strictEqual(begun.exit, 5, begun.stderr)
    const kept = await pruned(world)
    assert.match(kept, /1 path moved aside by undo.*--force removes that too/)
    const brought = await world.step(...back.split(" "))
    assert.deepStrictEqual([brought.exit, readFileSync(note, "utf8")], [0, "only here\n"], brought.stderr)
    await world.step(...back.replace(/\d+$/, "1").split(" "))
    assert.include(await pruned(world, "--force"), "  with sub/.git\n")
    assert.deepStrictEqual([existsSync(aside), world.runs().length], [false, 1])
  })
})
