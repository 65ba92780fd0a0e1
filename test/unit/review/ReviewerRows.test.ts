// ReviewerRows: what a person is shown of a batch: living reviewers with what they do, and the others as recorded.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import { observe } from "../../../src/review/Observe.ts"
import { gatherRows, Progress, silent } from "../../../src/review/Progress.ts"
import { batchStarted, finished, started } from "../run/events.ts"
import { onMachine, opened } from "../run/opened.ts"
import { alive, exited, looking } from "./reviewers.ts"

describe("the rows of a batch", () => {
  const rows = async () => {
    const read: Array<string> = []
    const tail = ({ slot }: ReviewRef) => Effect.sync(() => (read.push(`slot ${slot}`), "exec\ngit diff in /repo\n"))
    const states = [{ ...alive, silentFor: 7000 }, exited()]
    const rows = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(
          [batchStarted({ size: 4 }), started(), started({ slot: 2, id: "id-2" }), started({ slot: 3, id: "id-3" })],
          [finished("Clean", { slot: 3 })]
        )
        return yield* gatherRows(run, yield* observe(run, false))
      }).pipe(Effect.provide(Layer.succeed(Progress, { ...silent, on: true, tail }))),
      {
        reviewers: looking(({ slot }) => states[slot - 1] ?? alive)
      }
    )
    return { read, rows }
  }

  it("say what a living reviewer does, and that another has ended", async () => {
    const { rows: all } = await rows()
    assert.deepStrictEqual(all.map(({ slot, state }) => [slot, state]), [
      [1, "running"],
      [2, "ended"],
      [3, "clean"],
      [4, "queued"]
    ])
    assert.deepInclude(all[0], { level: "low", silentFor: 7000, activity: "$ git diff" })
    assert.deepInclude(all[1], { silentFor: null })
  })

  it("cost a look into the transcripts of the living alone", async () => assert.lengthOf((await rows()).read, 1))

  it("are none before the batch is started", async () =>
    assert.deepStrictEqual(await onMachine(Effect.flatMap(opened(), (run) => gatherRows(run, []))), []))
})
