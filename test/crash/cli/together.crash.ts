// Together: ten first invocations at once, and two worktrees that share a repository id.
// One target has one run, whichever call is first; a worktree only ever meets its own.
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { decideMark, type Mark } from "../../../src/run/Mark.ts"
import { type Manifest, replay } from "../../../src/run/Manifest.ts"
import { type Ended, useBench } from "./bench.ts"
import { attemptsIn, eventsOf, latestRun, type RunOnDisk, runsIn, stateOf } from "./disk.ts"
import { freely, type Step } from "./gate.ts"
import { allSound, attemptsOnce, noReviewTwice } from "./looping.ts"

const bench = useBench()

const invocations = 10
const only = (runs: ReadonlyArray<RunOnDisk>): RunOnDisk => {
  assert.strictEqual(runs.length, 1, "one run")
  return runs[0] ?? assert.fail("no run")
}
const texts = ({ exit, stderr, stdout }: Ended): string => `exit ${exit}\n${stdout}${stderr}`

describe("ten first invocations at once", () => {
  it("of loop mode share one run and its reviewers, and end in the same Outcome", async () => {
    const place = bench().place()
    const step: Step = { args: ["-n", "2"], scenario: "sleep 1;issues 1" }
    const all = await Promise.all(Array.from({ length: invocations }, () => freely(bench(), place, step)))
    const [first] = all
    assert.strictEqual(first?.header, "HandoffAgent: AddressBatch", first?.stderr)
    for (const ended of all) assert.strictEqual(texts(ended), texts(first ?? ended))
    const run = only(runsIn(place.state))
    assert.strictEqual(latestRun(place.state)?.id, run.id)
    assert.strictEqual(eventsOf(run, "BatchStarted").length, 1)
    assert.strictEqual(attemptsIn(place.calls).length, 2)
    noReviewTwice(place, "ten loop steps")
    await allSound(bench(), [place])
    console.log(`${invocations} loop steps at once: ${run.raw.length} lines, 2 reviewers`)
  })

  it("of marks and loop mode share one run, with every mark in it once", async () => {
    const place = bench().place()
    const loop: Step = { args: ["-n", "1"], scenario: "sleep 1;issues 1" }
    const marks = ["a", "b", "c"].map((text): Step => ({ args: ["--mark-address-failed", text] }))
    const moves = Array.from({ length: 3 }, (): Step => ({ args: ["--advance-level"] }))
    const mixed = [loop, ...marks, loop, ...moves, loop, loop]
    assert.strictEqual(mixed.length, invocations)
    const all = await Promise.all(mixed.map((step) => freely(bench(), place, step)))
    const run = only(runsIn(place.state))
    all.forEach((ended, i) => {
      const expected = mixed[i] === loop ? 5 : (mixed[i]?.args.length ?? 0) > 1 ? 3 : 7
      assert.strictEqual(ended.exit, expected, texts(ended))
    })
    assert.deepStrictEqual(eventsOf(run, "AddressFailed").map(({ details }) => details.text).sort(), ["a", "b", "c"])
    assert.deepStrictEqual(all.map(({ stdout }) => stdout).filter((text) => text !== "").sort(), [
      "advanced level: high -> xhigh\n",
      "advanced level: low -> medium\n",
      "advanced level: medium -> high\n"
    ])
    assert.strictEqual(stateOf(run).current_level, "xhigh")
    const after = await freely(bench(), place, loop)
    assert.strictEqual(after.header, "HandoffAgent: AddressBatch", texts(after))
    assert.include(after.stderr, "at level xhigh")
    const attempts = attemptsOnce(place, "marks and loop steps")
    await allSound(bench(), [place])
    console.log(`${invocations} marks and loop steps at once: ${run.raw.length} lines, ${attempts.length} reviewers`)
  })
})

const marks = {
  "--mark-retro-clean": { _tag: "RetroClean" },
  "--mark-address-passed": { _tag: "AddressPassed" },
  "--advance-level": { _tag: "AdvanceLevel" },
  "--restart-from-floor": { _tag: "RestartFromFloor" }
} as const satisfies Record<string, Mark>

describe("two clones of one remote and name", () => {
  it("share a repository id and keep to their own runs, whichever was last", async () => {
    const place = bench().place()
    const origin = "https://example.org/shared.git"
    const worktrees = ["a", "b"].map((name) => bench().makeRepo(path.join(bench().root, name, "repo"), origin))
    // The other one may be about to write the first line of a run.
    const begun = () => runsIn(place.state).filter(({ lines }) => lines.length > 0)
    const mine = (cwd: string) => begun().filter((run) => stateOf(run).worktree === cwd)
    const begin = (cwd: string, n: number) => stateOf(mine(cwd)[n - 1] ?? assert.fail(`${cwd} has no run ${n}`))

    const live = async (cwd: string): Promise<void> => {
      let state: Manifest | null = null
      let seq = 1
      const flags = ["--mark-retro-clean", "--advance-level", "--mark-address-passed"] as const
      for (const fresh of [false, true]) {
        const ended = await freely(bench(), place, {
          args: ["-n", "1", ...(fresh ? ["--fresh"] : [])],
          scenario: "issues 1"
        }, { cwd })
        assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", texts(ended))
        state = begin(cwd, fresh ? 2 : 1)
        assert.strictEqual(state.current_level, "low")
        for (const flag of [...flags, "--restart-from-floor", ...flags] as const) {
          const decided = decideMark(state, marks[flag], "xhigh")
          const said = await freely(bench(), place, { args: [flag] }, { cwd })
          assert.strictEqual(said.stdout, `${decided.line}\n`, texts(said))
          state = replay(state, [{ seq: seq++, at: "", events: decided.events }])
        }
        const manifest = begin(cwd, fresh ? 2 : 1)
        assert.deepEqual([manifest.current_level, manifest.batch_number], [state.current_level, state.batch_number])
      }
    }
    await Promise.all(worktrees.map(live))
    for (const cwd of worktrees) assert.strictEqual(mine(cwd).length, 2)
    assert.strictEqual(runsIn(place.state).length, 4)
    noReviewTwice(place, "two clones")
    await allSound(bench(), [place])
    console.log("two clones at once: 2 runs each, 14 marks each")
  })
})
