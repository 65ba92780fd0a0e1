// Restores: `converge --undo-on-red` killed at every call of a restore that changes the disk.
// The next driver or person finds the worktree in the state before or after, never between.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { useBench } from "../cli/bench.ts"
import { photo } from "../../support/snapshots.ts"
import { byHand, drive, continues, headerOf, killing, makeDriven } from "./driven.ts"
import { agentsOnce, committed, driverEvents, isProven, keeps } from "./holding.ts"

const bench = useBench()

const byHandAfter = 6

describe("a restore that is cut off", () => {
  it("is finished by the next driver", async () => {
    const on = makeDriven(bench())
    const before = photo(on.repo)
    let edited: string | null = null
    const seen = path.join(bench().root, "seen")
    fs.writeFileSync(seen, "")
    fs.writeFileSync(path.join(on.dir, "hopeless"), "")
    const flags = ["--undo-on-red", "--fix-attempts", "0"]
    let [deaths, cut] = [0, 0]
    for (let lines = committed(on);;) {
      const way = killing(on, seen, { CRASH_PLACES: "^(TestFinished|WorktreeRestored|start: \\w+ /repo/(?!\\.git))" })
      const ended = await drive(bench(), on, flags, way)
      const where = `after ${fs.readFileSync(seen, "utf8").split("\n").at(-2)}\n${ended.stderr}`
      lines = keeps(on, lines, where)
      agentsOnce(on, where)
      if (!continues(ended)) {
        assert.strictEqual(headerOf(ended), "HandoffHuman: TestsFailedTriage", where)
        break
      }
      deaths++
      const torn = JSON.stringify(photo(on.repo))
      // The first death after the agent comes before the restore begins.
      if (photo(on.repo)["a.txt"]?.endsWith("\nred\n") === true) edited ??= torn
      const between = edited !== null && torn !== edited && torn !== JSON.stringify(before)
      if (between) cut++
      // Drivers continue it, until a person's step finishes it.
      if (!between || cut < byHandAfter) continue
      const step = await byHand(bench(), on, [])
      assert.strictEqual(step.exit, 5, `${where}\n${step.stderr}`)
      assert.deepStrictEqual(photo(on.repo), before, where)
    }
    assert.deepStrictEqual(photo(on.repo), before)
    assert.isAtLeast(cut, byHandAfter)
    const restored = driverEvents(on).filter(({ _tag }) => _tag === "WorktreeRestored")
    assert.isAtLeast(restored.length, 1)
    fs.rmSync(path.join(on.dir, "hopeless"))
    // The worktree is as the last call left it, so another round has to be asked for.
    const last = await drive(bench(), on, ["--again"])
    assert.strictEqual(headerOf(last), "DoneFixedPoint", last.stderr)
    await isProven(bench(), on, "restored")
    console.log(`${deaths} deaths, ${cut} of them with the worktree between`)
  }, 600_000)
})
