// Streams: a step's output is not read: standard output is closed, full, or was never open.
// What was committed stays committed, and the exit code is the Outcome's, but for a document that could not be written.
import { assert, describe, it } from "vitest"
import { type Place, useBench, type Way } from "./bench.ts"
import { eventsOf, latestRun, stateOf } from "./disk.ts"
import { freely, type Step } from "./gate.ts"
import { continues } from "./looping.ts"

const bench = useBench()

const through = (redirections: string): Way => ({ through: ["sh", "-c", `exec "$@" ${redirections}`, "sh"] })
// Node opens /dev/null in place of a closed descriptor, so nobody can tell that a document is lost there.
const ways: ReadonlyArray<readonly [name: string, isLost: boolean, Way]> = [
  ["a reader that has gone away", true, { stdio: "closed" }],
  ["a full device", true, through(">/dev/full")],
  ["a closed descriptor", false, through(">&-")],
  ["both streams closed", false, through(">&- 2>&-")],
  ["both streams and the input closed", false, through("<&- >&- 2>&-")],
  ["both streams on a full device", true, through(">/dev/full 2>/dev/full")]
]

/** Whether the log still is what it was, line by line, but for what a step adds. */
const kept = (on: Place, before: ReadonlyArray<string>) => {
  const run = latestRun(on.state) ?? assert.fail("no run")
  assert.deepStrictEqual(run.raw.slice(0, before.length), [...before])
  assert.strictEqual(run.torn.length, 0)
  return run
}

describe.each(ways)("with %s", (_, isLost, way) => {
  it("a mark is recorded, with and without a document", async () => {
    const place = bench().place()
    const marks: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["--advance-level"], "medium"],
      [["--advance-level", "--json"], "high"]
    ]
    for (const [args, level] of marks) {
      const before = latestRun(place.state)?.raw ?? []
      const ended = await freely(bench(), place, { args }, way)
      const isWritten = !isLost || !args.includes("--json")
      assert.strictEqual(ended.exit, isWritten ? 7 : 6, ended.stderr)
      assert.match(ended.stderr, isWritten ? /^(?:Idle\n)?$/ : /^(?:Idle\n[^\n]*cannot be written[^\n]*\n)?$/)
      const run = kept(place, before)
      assert.strictEqual(run.raw.length, Math.max(1, before.length) + 1)
      assert.strictEqual(stateOf(run).current_level, level)
    }
  })

  it("a loop step ends as it should, and the next one continues", async () => {
    const place = bench().place()
    const step: Step = { args: ["-n", "1", "--json"], scenario: "issues 1" }
    const ended = await freely(bench(), place, step, way)
    assert.strictEqual(ended.exit, isLost ? 6 : 5, ended.stderr)
    const run = kept(place, [])
    assert.strictEqual(eventsOf(run, "ReviewFinished").length, 1)
    await continues(bench(), place, step, { ...ended, exit: 5, header: "HandoffAgent: AddressBatch" }, "next")
    assert.deepStrictEqual(kept(place, run.raw).raw, [...run.raw])
  })
})
