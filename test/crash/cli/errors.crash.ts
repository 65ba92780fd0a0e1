// Errors: file calls of the built CLI that fail with EIO, and those that write with ENOSPC.
// One line that says so, nothing acknowledged, nothing half done; the next step is right.
import { assert, describe, it } from "vitest"
import { oneIn, tried } from "../tried.ts"
import { type Ended, type Place, useBench } from "./bench.ts"
import { latestRun, runsIn } from "./disk.ts"
import { chosen, endingBadly, freely, label, type Step, undisturbed } from "./gate.ts"
import { allSound, continues, linesIn, keepsLines } from "./looping.ts"
import { givesMark, linesBefore, type Marked, nothingLost } from "./marking.ts"
import { trials } from "./pool.ts"

const made: { opened: Place | null } = { opened: null }
const bench = useBench(async (bench) => {
  made.opened = bench.place()
  const opened = await freely(bench, made.opened, { args: ["--level", "xhigh", "--mark-address-failed", "x"] })
  assert.strictEqual(opened.exit, 3, opened.stderr)
})

/** Checks that an ending is a BinaryError in one line and nothing else. */
const refused = (ended: Ended, where: string): void => {
  assert.strictEqual(ended.exit, 6, where)
  assert.match(ended.stderr, /^BinaryError: \S[^\n]*\n$/, where)
  assert.strictEqual(ended.stdout, "", where)
}

/** Every trial: each chosen call with EIO, and each that writes with ENOSPC. */
const failures = (calls: Parameters<typeof chosen>[0], every: number) =>
  tried([
    ...chosen(calls, every).map((at) => ({ at, how: "EIO" as const })),
    ...chosen(calls, Number.POSITIVE_INFINITY).map((at) => ({ at, how: "ENOSPC" as const }))
  ])

const mark: Marked = {
  args: ["--level", "xhigh", "--restart-from-floor"],
  mark: { _tag: "RestartFromFloor" }
}

describe.each([
  { name: "opening the first run", first: true, every: 3 },
  { name: "a mark", first: false, every: 1 }
])("a file call that fails: $name", ({ every, first, name }) => {
  it("ends in BinaryError with nothing recorded, or does no harm", async () => {
    const from = first ? null : made.opened
    const before = linesBefore(from)
    const whole = await undisturbed(bench(), from, mark)
    const all = failures(whole.calls, every)
    let errors = 0
    await trials(all, async ({ at, how }) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, mark, at, how)
      const where = label(whole.calls, at, how, ended)
      nothingLost(place, before, whole.place, first ? 2 : 1, where)
      const run = latestRun(place.state) ?? runsIn(place.state)[0]
      const added = (run?.raw.length ?? 0) - before.length
      assert.strictEqual(run?.torn.length ?? 0, 0, where)
      if (ended.exit === 6) {
        errors++
        refused(ended, where)
        assert.isAtMost(added, first ? 1 : 0, where)
      } else {
        assert.deepStrictEqual([ended.exit, ended.stdout], [whole.ended.exit, whole.ended.stdout], where)
        assert.strictEqual(added, first ? 2 : 1, where)
      }
      await givesMark(bench(), place, mark, where)
    })
    // A sample of few may have more than its share of those that do no harm.
    assert.isAbove(errors, all.length / 2 - 2 * (oneIn - 1))
    console.log(`${name}: ${errors} errors in ${all.length} trials at ${whole.calls.length} calls`)
  })
})

describe("a file call that fails: a loop step", () => {
  it("ends in BinaryError, or as if nothing had been; the next one ends so", async () => {
    const from = made.opened ?? assert.fail("no place")
    const before = linesIn(from)
    const step: Step = { args: ["--level", "xhigh", "-n", "2"] }
    const whole = await undisturbed(bench(), from, step)
    assert.strictEqual(whole.ended.header, "DoneFixedPoint")
    const all = failures(whole.calls, 4)
    const places: Array<Place> = []
    let errors = 0
    await trials(all, async ({ at, how }) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, step, at, how)
      const where = label(whole.calls, at, how, ended)
      keepsLines(place, before, 0, where)
      if (ended.exit === 6) {
        errors++
        refused(ended, where)
      } else assert.strictEqual(ended.header, whole.ended.header, where)
      await continues(bench(), place, step, whole.ended, where)
      places.push(place)
    })
    assert.isAbove(errors, all.length / 3 - 2 * (oneIn - 1))
    await allSound(bench(), places)
    console.log(`a loop step: ${errors} errors in ${all.length} trials at ${whole.calls.length} calls`)
  })
})
