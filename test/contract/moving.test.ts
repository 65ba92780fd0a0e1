// Code that changes while it is reviewed: a strict run reads a copy, and what never rests is named.
// No verdict of code that a reviewer may have seen otherwise counts; a commit that shows nothing new does.
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { matching, outcome } from "./expect.ts"
import { events } from "./log.ts"
import { blocked, clean, editing } from "./plans.ts"
import { it, type World } from "./support.ts"
import { until } from "./wait.ts"

const HOW = ["-n", "1", "--ceiling", "low"]
const LOW = ["--uncommitted", ...HOW]

/** Runs a step whose first reviewer waits until something has been done. */
const meanwhile = async (world: World, argv: ReadonlyArray<string>, what: () => void) => {
  world.plan("default", clean)
  world.plan("call-1", blocked(clean))
  const step = world.start({}, ...argv)
  await until("the reviewer runs", () => world.calls().length === 1)
  // Times in git's index may count whole seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  what()
  world.release()
  return step.ended
}

describe.concurrent("a change that is undone during a strict review", () => {
  const undone: ReadonlyArray<readonly [string, (world: World) => void]> = [
    ["a stash", (world) => (world.git("stash"), world.git("stash", "pop"))],
    ["a directory that was away for a time", (world) => {
      renameSync(join(world.repo, "part"), join(world.repo, ".git/away"))
      mkdirSync(join(world.repo, "part"))
      world.write("part/file.txt", "one\n")
      rmSync(join(world.repo, "part"), { recursive: true })
      renameSync(join(world.repo, ".git/away"), join(world.repo, "part"))
    }]
  ]
  for (const [i, [name, what]] of undone.entries()) {
    it(`disturbs no reviewer: ${name}`, { tags: i === 0 ? [] : ["slow"] }, async ({ world }) => {
      world.write("tracked.txt", "two\n")
      mkdirSync(join(world.repo, "part"))
      world.write("part/file.txt", "two\n")
      world.write("part/.gitignore", ".gitignore\n")
      outcome(await meanwhile(world, [...LOW, "--strict"], () => what(world)), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
      assert.deepEqual(events(world, "FixedPointReached").map(({ batch }) => batch), [1])
      const audit = await world.stepFrom({ stateRoot: null }, "audit", "--uncommitted", "--state-root", world.stateRoot)
      assert.strictEqual(audit.exit, 0, audit.stdout)
      assert.match(audit.stdout, /same code as the last clean batch; isolated\n/)
    })
  }
})

describe.concurrent("a commit of the very code under review", () => {
  for (const strict of [[], ["--strict"]]) {
    const tags = strict.length === 0 ? ["slow"] : []
    it(`voids nothing against a base ${strict.join("")}`, { tags }, async ({ world }) => {
      world.git("checkout", "-qb", "topic")
      world.write("tracked.txt", "two\n")
      const argv = ["--base", "main", ...HOW, ...strict]
      outcome(await meanwhile(world, argv, () => world.git("commit", "-qam", "Two")), 0, "DoneFixedPoint")
      world.git("commit", "-q", "--amend", "-m", "Three")
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
    })
  }
})

describe.concurrent("code that never rests", () => {
  for (const strict of [[], ["--strict"]]) {
    it(
      `is reported, with what to do about it, and the next call continues ${strict.join("")}`,
      { tags: "slow" },
      async ({ world }) => {
        world.write("tracked.txt", "two\n")
        world.plan("default", editing(clean))
        const stuck = await world.step(...LOW, ...strict)
        const advice = strict.length === 0
          ? /the code changed under review again and again \(tracked\.txt\): .*--isolate.*/
          : /the copy of the code that reviewers read was changed while they ran: tracked\.txt/
        matching(stuck, 1, new RegExp(`^StuckRepeated: RunReviews:low/target-changed \\(${advice.source}\\)$`))
        const { stdout } = await world.step(...LOW, ...strict, "--json")
        assert.match(JSON.parse(stdout).message, advice)
        world.plan("default", clean)
        outcome(await world.step(...LOW, ...strict), 0, "DoneFixedPoint")
      }
    )
  }

  it("gets no advice to isolate what is isolated", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", `printf 'edited\\n' >> '${world.repo}/tracked.txt'\n${clean}`)
    const stuck = await world.step(...LOW, "--isolate")
    matching(
      stuck,
      1,
      /^StuckRepeated: RunReviews:low\/target-changed \(.* again and again \(tracked\.txt\): leave it unchanged while reviews run\)$/
    )
  })
})
