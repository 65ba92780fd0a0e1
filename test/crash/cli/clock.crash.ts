// Clock: the time of day goes backwards between two steps, and under one that waits.
// Order is the order of the lines; a clock decides neither what is newest nor how long is waited.
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { type Ended, type Place, useBench } from "./bench.ts"
import { eventsOf, latestRun, runsIn, stateOf } from "./disk.ts"
import { endingBadly, freely, type Step, undisturbed } from "./gate.ts"
import { allSound, noReviewTwice } from "./looping.ts"
import { trials } from "./pool.ts"

const bench = useBench()

const clock = fileURLToPath(new URL("clock.mjs", import.meta.url))
const day = 86_400_000
const shifted = (days: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${clock}`,
  CLOCK_SHIFT: String(days * day)
})
const jumping = (after: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${clock}`,
  CLOCK_JUMP: String(-day),
  CLOCK_AFTER: String(after)
})
const texts = ({ exit, stderr, stdout }: Ended): string => `exit ${exit}\n${stdout}${stderr}`
const loop: Step = { args: ["-n", "1"], scenario: "issues 1" }

/** Gives the marks one after the other at the days named, and returns what they said on standard output. */
const given = async (on: Place, cwd: string, marks: ReadonlyArray<readonly [string, number]>) => {
  const said: Array<string> = []
  for (const [mark, days] of marks) {
    said.push((await freely(bench(), on, { args: mark.split(" ") }, { cwd, env: shifted(days) })).stdout)
  }
  return said
}

describe("a clock that goes backwards", () => {
  it("between steps leaves one run, sound, with its lines in the order they were given", async () => {
    const place = bench().place()
    const said = await given(place, bench().repo, [["--advance-level", 0], ["--advance-level", -0.25]])
    const ended = await freely(bench(), place, loop, { env: shifted(-0.5) })
    assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", texts(ended))
    said.push(...await given(place, bench().repo, [["--mark-address-passed", -0.75], ["--advance-level", -0.25]]))
    assert.deepStrictEqual(said, [
      "advanced level: low -> medium\n",
      "advanced level: medium -> high\n",
      "address passed at high (1 review(s) with issues); dropped to medium\n",
      "advanced level: medium -> high\n"
    ])
    const [run, ...others] = runsIn(place.state)
    assert.deepStrictEqual(others, [])
    const times = run?.lines.map(({ at }) => at) ?? []
    assert.notDeepEqual([...times].sort(), times, "the shim moves the clock")
    noReviewTwice(place, "clock backwards")
    await allSound(bench(), [place])
  })

  it("does not make an older run of a worktree its newest", async () => {
    const place = bench().place()
    const origin = "https://example.org/shared.git"
    const [first, second] = ["a", "b"].map((name) => bench().makeRepo(path.join(bench().root, name, "repo"), origin))
    if (first === undefined || second === undefined) return assert.fail("no worktrees")
    await given(place, first, [["--advance-level", 0]])
    const way = { cwd: first, env: shifted(-1) }
    const fresh = await freely(bench(), place, { ...loop, args: ["--fresh", "-n", "1"] }, way)
    assert.strictEqual(fresh.header, "HandoffAgent: AddressBatch", texts(fresh))
    // `latest` now belongs to the other worktree, so the first one looks for its own newest run.
    await given(place, second, [["--advance-level", -1]])
    assert.deepStrictEqual(await given(place, first, [["--mark-address-passed", -1]]), [
      "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 2\n"
    ])
  })

  it("under a step that waits for its reviewers does not keep it waiting", async () => {
    const step: Step = { args: ["-n", "1"], scenario: "sleep 1;issues 1" }
    await trials([1, 8, 16, 24], async (after) => {
      const ended = await freely(bench(), bench().place(), step, { env: jumping(after) })
      assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", texts(ended))
    })
  })

  it("does not put off the next try of a reviewer", async () => {
    const place = bench().place()
    const fails = "fail exceeded retry limit, last status: 429 Too Many Requests"
    // The first try fails; the step ends while it waits to try again. (Files carry the true time, a day before.)
    const args = ["-n", "1", "--step-timeout", "1s", "--idle-timeout", "50h"]
    const idle = await freely(bench(), place, { args, scenario: fails }, { env: shifted(1) })
    assert.strictEqual(idle.header, "Idle", texts(idle))
    assert.strictEqual(eventsOf(latestRun(place.state) ?? assert.fail("no run"), "ReviewFailed").length, 1)
    const ended = await freely(bench(), place, loop)
    assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", texts(ended))
  })

  it("under a step that waits for a reviewer that was never started does not keep it waiting", async () => {
    const whole = await undisturbed(bench(), null, { ...loop, spawns: true })
    const spawn = whole.calls.findIndex(({ name, path }) => name === "spawn" && path === "/bin/sh") + 1
    assert.isAbove(spawn, 0, "the wrapper's start is one of the calls")
    await trials([4, 16, 32], async (after) => {
      const place = bench().place()
      const killed = await endingBadly(bench(), place, { ...loop, spawns: true }, spawn, "kill")
      assert.strictEqual(killed.signal, "SIGKILL", texts(killed))
      const run = latestRun(place.state) ?? assert.fail("no run")
      assert.strictEqual(eventsOf(run, "ReviewStarted").length, 1)
      const ended = await freely(bench(), place, loop, { env: jumping(after) })
      assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", texts(ended))
      assert.strictEqual(stateOf(latestRun(place.state) ?? run).batch._tag, "Started")
      noReviewTwice(place, `a jump after ${after}`)
    })
  })
})
