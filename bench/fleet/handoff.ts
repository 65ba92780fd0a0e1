// handoff: two drivers that come to one handoff at the same moment, each over connections of its own: one of them marks.
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { targetOf } from "../../src/fleet/Submission.ts"
import { turn } from "../../src/fleet/Turn.ts"
import { stored } from "../../src/fleetLayers.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { Signals } from "../../src/platform/Process.ts"
import { code, trees } from "./clones.ts"
import { figure } from "./figures.ts"
import { open, submissionOf } from "./office.ts"

const drivers = 2
const asked = { ceiling: "medium", batchSize: 1 }
const turning = { codexBin: "codex", idleTimeout: 600_000, reviewTimeout: 600_000, retro: "clean" } as const

/** Measures so many handoffs, each of a pull request of its own. */
export const handoff = async (count: number): Promise<void> => {
  const office = await open({ capacity: 8, active: 40, lease: 3000, review: 50, retro: "park" })
  const runtimes = Array.from({ length: drivers }, () =>
    ManagedRuntime.make(
      Layer.mergeAll(
        Layer.orDie(stored(Redacted.make(office.url))),
        trees(office.dir),
        code(office.dir),
        Layer.succeed(Environment, {}),
        Layer.succeed(Signals, { asked: Effect.never })
      )
    ))
  const marks = async (): Promise<Map<string, number>> => {
    const rows = await office.ask<{ run: string; marks: number }>(`
      select r.run_id as run, count(*) filter (where e->>'_tag' = 'LevelOutcomeRecorded')::int as marks
      from ooda_line l join ooda_run r on r.id = l.run,
        jsonb_array_elements(convert_from(l.bytes, 'UTF8')::jsonb->'events') e group by r.run_id`)
    return new Map(rows.map(({ marks, run }) => [run, marks]))
  }
  let refused = 0
  try {
    await office.submit(1, count, asked)
    office.hire("one")
    for (const until = Date.now() + 60_000 + count * 1000; await office.standing("Parked") < count;) {
      if (Date.now() > until) throw new Error("not all runs have come to their handoff")
      await pause(200)
    }
    office.workers.get("one")?.kill("SIGKILL")
    const before = [...(await marks()).values()].reduce((sum, marks) => sum + marks, 0)
    for (let pr = 1; pr <= count; pr++) {
      const target = targetOf(office.root, submissionOf(pr, asked))
      await Promise.all(runtimes.map((runtime) =>
        runtime.runPromise(
          turn(target, turning, 1).pipe(
            Effect.tapError((error) =>
              Effect.sync(() => {
                if (error._tag === "LogConflict" || error._tag === "HeadMoved") refused++
              })
            ),
            Effect.retry({ times: 20 })
          )
        )
      ))
    }
    const after = [...(await marks()).values()]
    const what = `${count} handoffs, ${drivers} drivers at each`
    figure(`${what}: marks on those with the fewest`, Math.min(...after), "", { least: 1 })
    figure(`${what}: marks on those with the most`, Math.max(...after), "", { most: 1 })
    figure("marks before a driver came", before, "", { most: 0 })
    // Otherwise the drivers came one after the other, and nothing was measured.
    figure("turns refused because the other driver had written", refused, "", { least: 1 })
  } finally {
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
    await office.close()
  }
}
