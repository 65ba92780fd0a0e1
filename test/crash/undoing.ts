// undoing: a program for the crash suite that takes a snapshot, undoes, or finishes an undo that was cut off.
import { Effect } from "effect"
import { layer } from "../../src/code/Snapshots.live.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { Snapshots } from "../../src/code/Snapshots.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"

const [, , state = "", repo = "", what = "", number = "1"] = process.argv

const asked = Snapshots.use((snapshots) => {
  const run = onlyRun(state)
  const options = { partial: false, round: 1 }
  const to = { _tag: "Snapshot", number: Number(number) } as const
  switch (what) {
    case "take":
      return Effect.asVoid(snapshots.take(run, repo, { _tag: "BeforeAgent", agent: 1 }, options))
    case "take-after":
      return Effect.asVoid(snapshots.take(run, repo, { _tag: "AfterAgent", agent: 1 }, options))
    case "undo":
      return Effect.asVoid(snapshots.restore(run, repo, to, { force: false, partial: false }))
    case "finish":
      return Effect.asVoid(snapshots.finish(run, repo))
    default:
      return Effect.map(snapshots.list(run), (list) => {
        for (const one of list) process.stdout.write(`snapshot ${one.number}\n`)
      })
  }
})

Effect.runPromise(asked.pipe(Effect.provide(layer), Effect.provideService(Environment, process.env))).catch(
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 6
  }
)
