// takeover: how long the reviews of a worker that is killed, or stopped forever, wait for another one.
import { setTimeout as pause } from "node:timers/promises"
import { figure, quantile } from "./figures.ts"
import { open } from "./office.ts"

const lease = 3000
const rounds = 10

interface Held {
  readonly id: string
  readonly machine: string
  readonly state: string
  readonly deliveries: number
}

const held = "select id, machine, state, deliveries from ooda_attempt"

/** Measures one signal. Each round has a pull request of its own. */
const measured = async (signal: "SIGKILL" | "SIGSTOP"): Promise<void> => {
  const office = await open({ capacity: 8, active: 200, lease, review: 2000, retro: "clean" })
  const took: Array<number> = []
  let again = 0
  try {
    office.hire("other")
    for (let round = 1; round <= rounds; round++) {
      const name = `dying-${round}`
      office.hire(name)
      await pause(1500)
      await office.submit(round * 100, 4, { ceiling: "low", batchSize: 4 })
      let its: ReadonlyArray<Held> = []
      while (its.length === 0) {
        its = await office.ask<Held>(`${held} where machine = '${name}' and state = 'leased'`)
      }
      office.workers.get(name)?.kill(signal)
      const from = performance.now()
      const done = await office.ask<Held>(`${held} where state = 'exited'`)
      const open = new Set(its.map(({ id }) => id))
      while (open.size > 0) {
        for (const { id, machine, state } of await office.ask<Held>(held)) {
          if (!open.has(id) || (machine === name && state !== "exited")) continue
          open.delete(id)
          // What it had delivered before the signal needs no other worker.
          if (machine !== name) took.push((performance.now() - from) / 1000)
        }
        await pause(20)
      }
      const now = new Map((await office.ask<Held>(held)).map((row) => [row.id, row]))
      again += done.filter(({ deliveries, id }) => now.get(id)?.deliveries !== deliveries).length
      office.workers.get(name)?.kill("SIGKILL")
    }
    const half = quantile(took, 0.5).toFixed(2)
    const what = `take-over after ${signal}, lease ${lease / 1000} s, ${took.length} reviews, p50 ${half} s, p95`
    figure(what, quantile(took, 0.95), "s", { most: lease / 1000 + 2 })
    figure("finished reviews that were run again", again, "", { most: 0 })
    figure("workers that ended by themselves", office.endedAlone(), "", { most: 0 })
  } finally {
    await office.close()
  }
}

/** Measures both signals. */
export const takeover = async (): Promise<void> => {
  await measured("SIGKILL")
  await measured("SIGSTOP")
}
