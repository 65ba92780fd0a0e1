// Marks: the built CLI killed at its file calls while it opens the first run and while it records a mark.
// The one rule: no acknowledged line is lost and none invented; given again, the mark decides from what is committed.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Ending } from "../program.ts"
import { type Bench, makeBench, type Place } from "./bench.ts"
import { chosen, endingBadly, freely, label, undisturbed, writes } from "./gate.ts"
import { givesMark, linesBefore, type Marked, nothingLost } from "./marking.ts"
import { trials } from "./pool.ts"

const made: { bench: Bench | null; handedOff: Place | null } = { bench: null, handedOff: null }
const bench = (): Bench => made.bench ?? assert.fail("no bench")
beforeAll(async () => {
  made.bench = makeBench()
  // A run whose first batch has been handed off with issues: every recording mark does something there.
  const place = bench().place()
  const ended = await freely(bench(), place, { args: ["-n", "2"], scenario: "issues 1" })
  assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", ended.stderr)
  made.handedOff = place
})
afterAll(() => made.bench?.remove())

// Longer than what a line of the log holds: its text becomes a file of the run first.
const reason = `a reason ${"of many words ".repeat(800)}`
const clean: Marked = { args: ["--mark-retro-clean"], mark: { _tag: "RetroClean" } }
const changes: Marked = {
  args: ["--mark-retro-changes", reason],
  mark: { _tag: "RetroChanges", reason: { text: reason } }
}
const cases = [
  { name: "opening the first run", first: true, every: 1, step: clean },
  { name: "a clean retrospective", first: false, every: 1, step: clean },
  { name: "issues addressed", first: false, every: 4, step: { args: ["--mark-address-passed"], mark: { _tag: "AddressPassed" } } },
  { name: "a retrospective with changes", first: false, every: 4, step: changes }
] as const satisfies ReadonlyArray<{ name: string; first: boolean; every: number; step: Marked }>

describe.each(cases)("a step killed at its file calls: $name", ({ every, first, name, step }) => {
  it("leaves what was acknowledged, and the next one decides from it", async () => {
    const from = first ? null : made.handedOff
    const before = linesBefore(from)
    const whole = await undisturbed(bench(), from, step)
    const adds = first ? 2 : 1
    nothingLost(whole.place, before, whole.place, adds, "undisturbed")
    const tried: ReadonlyArray<{ readonly at: number; readonly how: Ending }> = [
      ...chosen(whole.calls, every).map((at) => ({ at, how: "kill" as const })),
      ...writes(whole.calls).map((at) => ({ at, how: "half" as const }))
    ]
    await trials(tried, async ({ at, how }) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, step, at, how)
      const where = label(whole.calls, at, how, ended)
      assert.strictEqual(ended.signal, "SIGKILL", where)
      assert.strictEqual(ended.stdout + ended.stderr, "", where)
      nothingLost(place, before, whole.place, adds, where)
      await givesMark(bench(), place, step, where)
    })
    console.log(`${name}: ${tried.length} deaths at ${whole.calls.length} file calls`)
  })
})
