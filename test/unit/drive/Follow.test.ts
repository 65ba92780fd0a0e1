// Follow: new events of all logs are printed once, from the beginning of each run that is followed.
import { Effect, Ref } from "effect"
import { assert, it } from "vitest"
import { follow, unfollowed, writeNew } from "../../../src/drive/Follow.ts"
import { record } from "../../../src/drive/Drive.ts"
import { Output } from "../../../src/platform/Process.ts"
import { onMachine } from "../run/opened.ts"
import { drivingRun } from "./converge/drivings.ts"

it("each event is printed once", async () => {
  const wrote: Array<string> = []
  const output = Output.of({ write: (text) => Effect.sync(() => void wrote.push(text)) })
  await onMachine(
    Effect.gen(function*() {
      const logs = yield* unfollowed
      yield* writeNew(logs)
      const driving = yield* drivingRun()
      yield* follow(logs, driving.run.ref)
      yield* writeNew(logs)
      yield* follow(logs, driving.run.ref)
      yield* record(driving, [{ _tag: "StopAsked" }])
      yield* Effect.andThen(writeNew(logs), writeNew(logs))
      assert.strictEqual((yield* Ref.get(logs)).at(-1)?.head.seq, 2)
    }).pipe(Effect.provideService(Output, output))
  )
  const rows = wrote.join("").trimEnd().split("\n").map((line) => JSON.parse(line))
  assert.deepStrictEqual(rows.map(({ event, seq, stream }) => [stream, seq, event._tag]), [
    ["review", 1, "RunCreated"],
    ["converge", 1, "ConvergeStarted"],
    ["converge", 2, "StopAsked"]
  ])
  const { repo, run, target } = rows[0].run
  assert.strictEqual(run, rows[0].event.runId)
  assert.deepStrictEqual([repo, target], [rows[0].event.repoId, "uncommitted"])
  for (const row of rows) assert.deepStrictEqual(row.run, rows[0].run)
})
