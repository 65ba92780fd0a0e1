// Streams: a step's output is not read: standard output is closed, full, or was never open.
// What was committed stays committed, and the exit code is the Outcome's.
import { assert, describe, it } from "vitest"
import { type Place, useBench, type Way } from "./bench.ts"
import { eventsOf, latestRun, stateOf } from "./disk.ts"
import { freely, type Step } from "./gate.ts"
import { continues } from "./looping.ts"

const bench = useBench()

const through = (redirections: string): Way => ({ through: ["sh", "-c", `exec "$@" ${redirections}`, "sh"] })
const ways: ReadonlyArray<readonly [string, Way]> = [
  ["a reader that has gone away", { stdio: "closed" }],
  ["a full device", through(">/dev/full")],
  ["a closed descriptor", through(">&-")],
  ["both streams closed", through(">&- 2>&-")],
  ["both streams and the input closed", through("<&- >&- 2>&-")],
  ["both streams on a full device", through(">/dev/full 2>/dev/full")]
]

/** Whether the log still is what it was, line by line, but for what a step adds. */
const kept = (on: Place, before: ReadonlyArray<string>) => {
  const run = latestRun(on.state) ?? assert.fail("no run")
  assert.deepStrictEqual(run.raw.slice(0, before.length), [...before])
  assert.strictEqual(run.torn.length, 0)
  return run
}

describe.each(ways)("with %s", (_, way) => {
  it("a mark is recorded, with and without a document", async () => {
    const place = bench().place()
    for (const [args, level] of [[["--advance-level"], "medium"], [["--advance-level", "--json"], "high"]] as const) {
      const before = latestRun(place.state)?.raw ?? []
      const ended = await freely(bench(), place, { args }, way)
      assert.strictEqual(ended.exit, 7, ended.stderr)
      assert.include(["Idle\n", ""], ended.stderr)
      const run = kept(place, before)
      assert.strictEqual(run.raw.length, Math.max(1, before.length) + 1)
      assert.strictEqual(stateOf(run).current_level, level)
    }
  })

  it("a loop step ends as it should, and the next one continues", async () => {
    const place = bench().place()
    const step: Step = { args: ["-n", "1", "--json"], scenario: "issues 1" }
    const ended = await freely(bench(), place, step, way)
    assert.strictEqual(ended.exit, 5, ended.stderr)
    const run = kept(place, [])
    assert.strictEqual(eventsOf(run, "ReviewFinished").length, 1)
    await continues(bench(), place, step, { ...ended, header: "HandoffAgent: AddressBatch" }, "next")
    assert.deepStrictEqual(kept(place, run.raw).raw, [...run.raw])
  })
})
