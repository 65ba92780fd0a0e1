// Two worktrees that share a repo id do not share a run.
// A worktree resumes its own newest run, whichever run `latest` names.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { events, logPath, logText, runs } from "./log.ts"
import { blocked, clean } from "./plans.ts"
import { it, type World } from "./support.ts"
import { until } from "./wait.ts"

const second = (world: World): string => {
  const path = join(world.dir, "other", "repo")
  mkdirSync(join(world.dir, "other"))
  world.git("worktree", "add", "-q", "--detach", path)
  return path
}

/** The first event of each run, oldest first. */
const created = (world: World) => runs(world).map((run) => events(world, "RunCreated", undefined, run)[0])

describe.concurrent("two worktrees of one repository", () => {
  it("have runs of their own below one repo id, and each resumes its own", async ({ world }) => {
    const cwd = second(world)
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
    idle(await world.stepFrom({ cwd }, "--uncommitted", "--advance-level"), "advanced level: low -> medium")
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: medium -> high")
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: high -> xhigh")
    idle(await world.stepFrom({ cwd }, "--uncommitted", "--advance-level"), "advanced level: medium -> high")
    assert.deepEqual(
      created(world).map((event) => event?.["worktree"]),
      [world.repo, cwd]
    )
  })

  it("apply the reasons to the worktree's own newest run alone", { tags: "slow" }, async ({ world }) => {
    const cwd = second(world)
    await world.step("--uncommitted", "--advance-level")
    await world.stepFrom({ cwd }, "--uncommitted", "--level", "high", "--advance-level")
    await world.step("--uncommitted", "--level", "medium", "--advance-level")
    await world.stepFrom({ cwd }, "--uncommitted", "--level", "high", "--advance-level")
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
    assert.deepEqual(
      created(world).map((event) => [event?.["worktree"], event?.["startLevel"], event?.["because"]]),
      [
        [world.repo, "low", "NoLatestPointer"],
        [cwd, "high", "NoLatestPointer"],
        [world.repo, "medium", "LevelMismatch"],
        [world.repo, "low", "LevelMismatch"]
      ]
    )
  })

  const withoutLast = (text: string): string => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)
  const broken: ReadonlyArray<readonly [string, (text: string) => string]> = [
    [
      "damaged",
      (text) => withoutLast(text) + text.slice(withoutLast(text).length).replace("BatchOpened", "BatchOpeneD")
    ],
    ["rolled back", withoutLast]
  ]
  for (const [name, change] of broken) {
    it(`continue with their own run when another's log is ${name}`, { tags: "slow" }, async ({ world }) => {
      const cwd = second(world)
      await world.step("--uncommitted", "--advance-level")
      await world.stepFrom({ cwd }, "--uncommitted", "--advance-level")
      await world.stepFrom({ cwd }, "--uncommitted", "--advance-level")
      writeFileSync(logPath(world), change(logText(world)))
      idle(await world.step("--uncommitted", "--advance-level"), "advanced level: medium -> high")
      binaryError(await world.stepFrom({ cwd }, "--uncommitted", "--advance-level"))
    })

    it(`continue with no older run when their newest log is ${name}`, { tags: "slow" }, async ({ world }) => {
      const cwd = second(world)
      await world.step("--uncommitted", "--advance-level")
      await world.step("--uncommitted", "--level", "medium", "--advance-level")
      await world.step("--uncommitted", "--level", "medium", "--advance-level")
      const own = logPath(world)
      await world.stepFrom({ cwd }, "--uncommitted", "--advance-level")
      writeFileSync(own, change(readFileSync(own, "utf8")))
      binaryError(await world.step("--uncommitted", "--advance-level"))
    })
  }

  it("review their own files: codex runs in the root of the worktree that was asked", async ({ world }) => {
    world.plan("default", clean)
    const cwd = second(world)
    handoff(await world.stepFrom({ cwd }, "--uncommitted", "-n", "1"), 5, "Retrospective")
    assert.deepEqual(world.calls().map((call) => call.cwd), [cwd])
  })
})

describe.concurrent("invocations at the same time", () => {
  it("four first ones share one run and spawn no reviewer twice", async ({ world }) => {
    world.plan("default", blocked(clean))
    const steps = [1, 2, 3, 4].map(() => world.step("--uncommitted", "-n", "2", "--ceiling", "low"))
    await until("both reviewers run", () => world.calls().length >= 2)
    world.release()
    for (const ended of await Promise.all(steps)) outcome(ended, 0, "DoneFixedPoint")
    assert.lengthOf(runs(world), 1)
    assert.lengthOf(world.calls(), 2)
  })

  it(
    "a mark does not wait for a step that waits, and the step then continues from it",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("low", blocked(clean))
      world.plan("medium", clean)
      const waiting = world.step("--uncommitted", "-n", "1", "--ceiling", "medium")
      await until("the reviewer runs", () => world.calls().length === 1)
      idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
      outcome(await waiting, 0, "DoneFixedPoint")
    }
  )
})
