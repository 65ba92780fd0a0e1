// TellPlan: lines for people who do not watch a terminal, frames for those who do, documents for programs.
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { LiveView } from "../../../src/drive/LiveView.ts"
import { Output } from "../../../src/platform/Process.ts"
import { Progress, silent, type Watcher } from "../../../src/review/Progress.ts"
import { drivenFields, tellPlan } from "../../../src/read/Watch.ts"
import { runName } from "../../../src/run/Document.ts"
import { runRef } from "../run/events.ts"

const view = (activity: string): LiveView => ({
  place: {
    _tag: "InPlan",
    plan: "p.md",
    cycle: { number: 1, open: true, round: 0, tasks: [{ index: 2, title: "Sum" }] },
    done: 0,
    pending: null
  },
  used: { rounds: 1, time: 0, tokens: 0 },
  limits: { maxRounds: null, maxTime: null, maxTokens: null },
  byAgents: 0,
  work: [{ name: "test 1", state: "running", elapsed: 5, activity, silentFor: null }]
})

/** What is written where these views are watched, and then the end of a driver. */
const written = async (json: boolean, views: ReadonlyArray<LiveView>, watcher: Watcher = silent) => {
  let text = ""
  const telling = Effect.gen(function*() {
    const { told } = yield* tellPlan(runRef(), json)
    for (const one of views) yield* told({ _tag: "InPlan", at: 0, view: one })
    yield* told({ _tag: "Ended", at: 0, outcome: null })
  })
  await Effect.runPromise(telling.pipe(
    Effect.provideService(Output, { write: (part) => Effect.sync(() => void (text += part)) }),
    Effect.provideService(Progress, watcher)
  ))
  return text.replaceAll("1970-01-01T00:00:00.000Z", "AT").trimEnd().split("\n")
}
const gone = "the driver is gone without a word; the next call of implement goes on"

it("a change is told once", async () =>
  assert.deepStrictEqual(await written(false, [view("a"), view("a"), view("b")]), [
    "AT  p.md  cycle 1  task 2 Sum  0 done",
    "AT  test 1    running       0s  a",
    "AT  test 1    running       0s  b",
    gone
  ]))

it("a document is told for each change", async () => {
  const all = (await written(true, [view("a"), view("a"), view("b")])).map((line) => JSON.parse(line))
  assert.deepStrictEqual(all.map(({ end, work }) => end ?? work[0].activity), ["a", "b", "DriverEnded"])
  assert.deepInclude(all[0], { schema: 1, run: runName(runRef()), ...drivenFields(view("a")) })
})

it("a terminal is drawn on, and the end stands below it", async () => {
  const seen: Array<string> = []
  const watcher: Watcher = {
    ...silent,
    on: true,
    show: (_, driven) => Effect.sync(() => void seen.push(driven?.work[0]?.activity ?? "")),
    clear: Effect.sync(() => void seen.push("cleared"))
  }
  assert.deepStrictEqual(await written(false, [view("a"), view("a")], watcher), [gone])
  assert.deepStrictEqual(seen, ["a", "a", "cleared"])
})
