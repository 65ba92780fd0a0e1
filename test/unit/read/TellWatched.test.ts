// TellWatched: what has changed is told once, as lines, as documents, or drawn with the ends of batches above it.
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { LiveView } from "../../../src/drive/LiveView.ts"
import { Progress, silent, type Watcher, type WorkRow } from "../../../src/review/Progress.ts"
import { initial } from "../../../src/run/Manifest.ts"
import { Output } from "../../../src/platform/Process.ts"
import { tellWatched, type Watched } from "../../../src/read/Watch.ts"
import { created } from "../run/events.ts"

const manifest = initial(created())
const test = (activity: string): WorkRow => ({
  name: "test 1",
  state: "running",
  elapsed: 5,
  activity,
  silentFor: null
})
const view = (...work: ReadonlyArray<WorkRow>): LiveView => ({
  place: { _tag: "OnLadder", floor: "low", level: "low", ceiling: null, batch: 1, round: null },
  used: { rounds: 0, time: 0, tokens: 0 },
  limits: { maxRounds: null, maxTime: null, maxTokens: null },
  byAgents: 0,
  work
})
const clean = { level: "low", slot: 1, state: "clean", elapsed: null, activity: "", silentFor: null } as const
const frame = (driven: LiveView, more: object = {}): Watched => ({
  _tag: "Reviewers",
  at: 0,
  manifest,
  rows: [clean],
  driven,
  ...more
})
const over = { over: { end: { _tag: "Complete", withIssues: 0, size: 1 }, manifest } }
const end: Watched = { _tag: "Ended", at: 0, manifest, end: { _tag: "DriverEnded", outcome: "DoneFixedPoint" } }

/** What is written of these. */
const written = async (json: boolean, all: ReadonlyArray<Watched>, watcher: Watcher = silent) => {
  let text = ""
  const output = { write: (part: string) => Effect.sync(() => void (text += part)) }
  const telling = Effect.flatMap(tellWatched(json), ({ told }) => Effect.forEach(all, told))
  const quiet = telling.pipe(Effect.provideService(Output, output), Effect.provideService(Progress, watcher))
  await Effect.runPromise(quiet)
  return text.replaceAll("1970-01-01T00:00:00.000Z", "AT").trimEnd().split("\n")
}
const all = [frame(view()), frame(view(test("a"))), frame(view(test("a"))), frame(view(test("b")), over), end]

it("a line is told for each change and for each end", async () =>
  assert.deepStrictEqual(await written(false, all), [
    "AT  low-1     clean",
    "AT  level low  batch 1",
    "AT  test 1    running       0s  a",
    "AT  test 1    running       0s  b",
    "AT  low batch 1 is complete: 1 clean review",
    "the driver ended in DoneFixedPoint"
  ]))

it("a reviewer of another batch is told although it stands as the one before", async () => {
  const next = { ...manifest, batch_number: 2 }
  const lines = await written(false, [frame(view()), frame(view(), { manifest: next })])
  assert.deepStrictEqual(lines, ["AT  low-1     clean", "AT  level low  batch 1", "AT  low-1     clean"])
})

it("a document is told for each of them", async () => {
  const documents = (await written(true, all)).map((line) => JSON.parse(line))
  assert.deepStrictEqual(documents.map(({ end, slot, work }) => end ?? slot ?? work[0].activity), [
    1,
    "a",
    "b",
    "Complete",
    "DriverEnded"
  ])
})

it("what is drawn is taken away for the end of a batch, and drawn again below it", async () => {
  const drawn: Array<string> = []
  const watcher: Watcher = {
    ...silent,
    on: true,
    show: (rows, driven) => Effect.sync(() => void drawn.push(`${rows.length} ${driven?.work.length}`)),
    clear: Effect.sync(() => void drawn.push("cleared"))
  }
  assert.deepStrictEqual(await written(false, all, watcher), [
    "AT  low batch 1 is complete: 1 clean review",
    "the driver ended in DoneFixedPoint"
  ])
  assert.deepStrictEqual(drawn, ["1 0", "1 1", "1 1", "cleared", "1 1"])
})
