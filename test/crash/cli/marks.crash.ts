// Marks: the built CLI killed at its file calls while it opens the first run and while it records a mark.
// No acknowledged line is lost and none invented; given again, the mark decides from what is committed.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import type { Ending } from "../program.ts"
import { tried } from "../tried.ts"
import { type Place, useBench } from "./bench.ts"
import { latestRun } from "./disk.ts"
import { deadly, endingBadly, freely, label, undisturbed, writes } from "./gate.ts"
import { givesMark, linesBefore, type Marked, nothingLost } from "./marking.ts"
import { trials } from "./pool.ts"

const made: { handedOff: Place | null; torn: Place | null } = { handedOff: null, torn: null }
const bench = useBench(async (bench) => {
  // A run whose first batch has been handed off with issues: every recording mark does something there.
  const place = bench.place()
  const ended = await freely(bench, place, { args: ["-n", "2"], scenario: "issues 1" })
  assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", ended.stderr)
  const torn = bench.place(place)
  const log = path.join(latestRun(torn.state)?.dir ?? "", "manifest.jsonl")
  fs.appendFileSync(log, fs.readFileSync(log).subarray(0, 200))
  Object.assign(made, { handedOff: place, torn })
})

// Longer than what a line of the log holds: its text becomes a file of the run first.
const reason = `a reason ${"of many words ".repeat(800)}`
const clean: Marked = { args: ["--mark-retro-clean"], mark: { _tag: "RetroClean" } }
const addressed: Marked = { args: ["--mark-address-passed"], mark: { _tag: "AddressPassed" } }
const changes: Marked = {
  args: ["--mark-retro-changes", reason],
  mark: { _tag: "RetroChanges", reason: { text: reason } }
}
const cases = [
  { name: "opening the first run", from: null, every: 4, step: clean },
  { name: "a clean retrospective", from: "handedOff", every: 1, step: clean },
  { name: "issues addressed", from: "handedOff", every: 4, step: addressed },
  { name: "a retrospective with changes", from: "handedOff", every: 4, step: changes },
  { name: "issues addressed, on a torn tail", from: "torn", every: 4, step: addressed }
] as const

describe.each(cases)("a step killed at its file calls: $name", ({ every, from: start, name, step }) => {
  it("leaves what was acknowledged, and the next one decides from it", async () => {
    const from = start === null ? null : made[start]
    const before = linesBefore(from)
    const whole = await undisturbed(bench(), from, step)
    const adds = from === null ? 2 : 1
    nothingLost(whole.place, before, whole.place, adds, "undisturbed")
    const all = tried<{ readonly at: number; readonly how: Ending }>([
      ...deadly(whole.calls, every).map((at) => ({ at, how: "kill" as const })),
      ...writes(whole.calls).map((at) => ({ at, how: "half" as const }))
    ])
    await trials(all, async ({ at, how }) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, step, at, how)
      const where = label(whole.calls, at, how, ended)
      assert.strictEqual(ended.signal, "SIGKILL", where)
      assert.strictEqual(ended.stdout + ended.stderr, "", where)
      nothingLost(place, before, whole.place, adds, where)
      await givesMark(bench(), place, step, where)
    })
    console.log(`${name}: ${all.length} deaths at ${whole.calls.length} file calls`)
  })
})
