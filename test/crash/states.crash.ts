// Crash states: every disk that a kill or a power loss at any file call may leave, enumerated in memory.
// The one rule: this alone finds a missing fsync; killing processes cannot, since the kernel keeps what they wrote.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Disk } from "../unit/adapters/log/disk.ts"
import { fileOf, onlyRun } from "../unit/adapters/log/onlyRun.ts"
import { created, note, unlocked } from "../unit/adapters/log/temporaryLog.ts"
import { explore } from "./explore.ts"
import { mutants, type Mutation, unchanged } from "./mutants.ts"
import { reviewRun } from "../../src/core/run/ReviewRun.ts"

const run = onlyRun("/state")
const files = { log: fileOf("/state", "manifest.jsonl"), head: fileOf("/state", "head.json") }

const nothing = () => Promise.resolve(new Disk())

/** A disk that durably holds a run of two lines, "1" and "2", followed by a torn tail. */
const torn = async (): Promise<Disk> => {
  const disk = new Disk()
  await Effect.runPromise(
    Effect.flatMap(
      unlocked(disk.files).create(reviewRun, run, [created(), note("1")]),
      (head) => unlocked(disk.files).append(reviewRun, run, head, [note("2")])
    )
  )
  const log = disk.see(files.log) ?? assert.fail("no log")
  const head = disk.see(files.head) ?? assert.fail("no anchor")
  return Disk.of(new Map([
    [files.log, Buffer.concat([log, Buffer.from("{\"v\":1,\"seq\":3,\"at")])],
    [files.head, head]
  ]))
}

const scenarios = (mutate: Mutation) => [
  () => explore(torn, ["1", "2"], ["3"], mutate),
  () => explore(nothing, [], ["1", "2", "3"], mutate)
]

describe("after a kill and a power loss at any file call", () => {
  it("every acknowledged line is there and the next append works", async () => {
    for (const scenario of scenarios(unchanged)) {
      const explored = await scenario()
      assert.isNull(explored.violation)
      console.log(`${explored.kills} kills, ${explored.states} states of the disk`)
    }
  })
})

describe("the exploration catches", () => {
  for (const [name, mutate] of Object.entries(mutants)) {
    it(name, async () => {
      for (const scenario of scenarios(mutate)) {
        if ((await scenario()).violation !== null) return
      }
      assert.fail("a log without this safeguard kept every promise")
    })
  }
})
