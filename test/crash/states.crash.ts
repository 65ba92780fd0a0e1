// Crash states: every disk that a kill or a power loss at any file call may leave, enumerated in memory.
// This alone finds a missing fsync; killing processes cannot, since the kernel keeps what they wrote.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { logFiles } from "../../src/log/LogFile.live.ts"
import type { TaggedEvent } from "../../src/log/StreamKind.ts"
import { Disk } from "../unit/log/disk.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { reviewSample, type Sample, shoppingSample } from "../unit/log/samples.ts"
import { unlocked } from "../unit/log/temporaryLog.ts"
import { explore } from "./explore.ts"
import { mutants, type Mutation, unchanged } from "./mutants.ts"

const run = onlyRun("/state")

const nothing = () => Promise.resolve(new Disk())

/** A disk that durably holds a log of two lines, "1" and "2", followed by a torn tail. */
const torn = async <E extends TaggedEvent, S>({ begun, kind, note }: Sample<E, S>): Promise<Disk> => {
  const disk = new Disk()
  const files = logFiles(run, kind.kind)
  await Effect.runPromise(
    Effect.flatMap(
      unlocked(disk.files).create(kind, run, [begun, note("1")]),
      (head) => unlocked(disk.files).append(kind, run, head, [note("2")])
    )
  )
  const log = disk.see(files.log) ?? assert.fail("no log")
  const head = disk.see(files.head) ?? assert.fail("no anchor")
  return Disk.of(
    new Map([
      [files.log, Buffer.concat([log, Buffer.from('{"v":1,"seq":3,"at')])],
      [files.head, head]
    ])
  )
}

const scenarios = <E extends TaggedEvent, S>(sample: Sample<E, S>, mutate: Mutation, lines: ReadonlyArray<string>) => [
  () => explore(sample, () => torn(sample), ["1", "2"], ["3"], mutate),
  () => explore(sample, nothing, [], lines, mutate)
]

const kinds: Readonly<Record<string, (mutate: Mutation) => ReturnType<typeof scenarios>>> = {
  "a review run": (mutate) => scenarios(reviewSample, mutate, ["1", "2", "3"]),
  "a kind that the program does not know": (mutate) => scenarios(shoppingSample, mutate, ["1", "2"])
}

describe.each(Object.entries(kinds))(
  "the log of %s, after a kill and a power loss at any file call",
  (_, explorations) => {
    it("has every acknowledged line, and the next append works", async () => {
      for (const exploration of explorations(unchanged)) {
        const explored = await exploration()
        assert.isNull(explored.violation)
        console.log(`${explored.kills} kills, ${explored.states} states of the disk`)
      }
    })
  }
)

describe.each(Object.entries(kinds))("the exploration of the log of %s catches", (_, explorations) => {
  for (const [name, mutate] of Object.entries(mutants)) {
    it(name, async () => {
      for (const exploration of explorations(mutate)) {
        if ((await exploration()).violation !== null) return
      }
      assert.fail("a log without this safeguard kept every promise")
    })
  }
})
