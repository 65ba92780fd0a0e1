// Isolation: steps that make, change and remove copies of code, killed at their file calls and programs.
// Whatever was killed, the next step continues, and no copy is left once the fixed point is reached.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { type Place, useBench } from "./bench.ts"
import { latestDir } from "./disk.ts"
import { endingBadly, freely, label, type Step, undisturbed } from "./gate.ts"
import { attemptsOnce } from "./looping.ts"
import { trials } from "./pool.ts"

const bench = useBench()

const most = Number(process.env["CRASH_ISOLATED"] ?? "16")
const isolated: Step = { args: ["-n", "1", "--isolate"], scenario: "issues 1", spawns: true }
const mark: Step = { args: ["--mark-address-passed"] }

/** At most `most` of the calls, from 1, spread evenly. */
const sample = (count: number): ReadonlyArray<number> => {
  const every = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => 1 + i * every)
}

const last: Step = { args: ["-n", "1", "--isolate", "--ceiling", "low"], spawns: true }

/** The copies of code that a place holds. */
const copies = (on: Place): ReadonlyArray<string> => {
  const dir = latestDir(on.state)
  const below = dir === null ? "" : path.join(dir, "isolated")
  return below !== "" && fs.existsSync(below) ? fs.readdirSync(below) : []
}

/** A place whose step has ended as `header` says, from a run without a batch. */
const after = async (step: Step, header: string): Promise<Place> => {
  const place = bench().place()
  await freely(bench(), place, { args: ["--mark-address-failed", "x"] })
  const ended = await freely(bench(), place, step)
  assert.strictEqual(ended.header, header, ended.stderr)
  return place
}

/** Goes on to the fixed point, and checks that no copy is left and that none was reviewed twice for one attempt. */
const ends = async (on: Place, where: string): Promise<void> => {
  const clean = await freely(bench(), on, last)
  assert.strictEqual(clean.header, "DoneFixedPoint", `${where}\n${clean.stderr}`)
  assert.deepStrictEqual(copies(on), [], where)
  attemptsOnce(on, where)
}

describe("isolation", () => {
  it("killed while a copy is made, or its reviewers run, continues and leaves nothing", async () => {
    const from = await after({ args: ["--mark-address-failed", "x"] }, "HandoffHuman: TestsFailedTriage")
    const whole = await undisturbed(bench(), from, isolated)
    assert.strictEqual(whole.ended.header, "HandoffAgent: AddressBatch", whole.ended.stderr)
    let deaths = 0
    const tried = sample(whole.calls.length)
    await trials(tried, async (at) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, isolated, at, "kill")
      if (ended.signal !== null) deaths++
      const where = label(whole.calls, at, "kill", ended)
      const next = await freely(bench(), place, isolated)
      assert.strictEqual(next.header, "HandoffAgent: AddressBatch", `${where}\n${next.stderr}`)
      assert.lengthOf(copies(place), 1, where)
      assert.strictEqual((await freely(bench(), place, mark)).exit, 7, where)
      // It becomes the next one.
      assert.lengthOf(copies(place), 1, where)
      await ends(place, where)
    })
    assert.isAtLeast(deaths, tried.length / 2)
    console.log(`isolating: ${deaths} deaths in ${tried.length} trials at ${whole.calls.length} calls`)
  })

  it("killed while a copy is removed leaves nothing after the next step", async () => {
    const from = await after(isolated, "HandoffAgent: AddressBatch")
    assert.strictEqual((await freely(bench(), from, mark)).exit, 7)
    const whole = await undisturbed(bench(), from, last)
    assert.deepStrictEqual(copies(whole.place), [])
    const tried = sample(whole.calls.length)
    await trials(tried, async (at) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, last, at, "kill")
      const where = label(whole.calls, at, "kill", ended)
      await ends(place, where)
    })
    console.log(`removing what was isolated: ${tried.length} trials at ${whole.calls.length} calls`)
  })
})
