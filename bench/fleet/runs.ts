// runs: pull requests that come to their fixed points while workers are killed or stopped, and the database crashes.
import { setTimeout as pause } from "node:timers/promises"
import { figure } from "./figures.ts"
import { open } from "./office.ts"
import { proved, remembering } from "./proof.ts"

const lease = 3000
const names = ["one", "two", "three", "four"]

/** What is done to the fleet, and how long it may take. Times in milliseconds. */
export interface Ordeal {
  readonly pulls: number
  readonly every: number
  /** What befalls a worker, if anything does; a stopped one wakes up after two leases. */
  readonly by: "SIGKILL" | "SIGSTOP" | null
  readonly crashes: number
  readonly limit: number
  /** The most reviews that may be run again, of a hundred; without it as many as there are. */
  readonly again?: number
}

/** Takes pull requests of four levels with three reviewers each to their fixed points. */
export const runs = async ({ again = Infinity, by, crashes, every, limit, pulls }: Ordeal): Promise<void> => {
  const office = await open({ capacity: 8, active: 40, lease, review: 300 })
  const state = { struck: 0, crashed: 0, over: false }
  try {
    const lines = remembering(office)
    await office.submit(1, pulls, { ceiling: "xhigh", batchSize: 3 })
    const from = Date.now()
    for (const name of names) office.hire(name)
    const watching = (async () => {
      while (!state.over) {
        await lines.look().catch(() => {})
        await pause(500)
      }
    })()
    // A run that is parked has failed, and nobody here lets it go on.
    const rests = async (): Promise<number> => await office.standing("Done") + await office.standing("Parked")
    for (let done = 0; done < pulls; done = await rests()) {
      await pause(every)
      if (state.crashed < crashes && done >= (pulls * (state.crashed + 1)) / (crashes + 1)) {
        await office.server.crash()
        await office.server.start()
        state.crashed++
        continue
      }
      if (Date.now() - from > 3 * limit) throw new Error(`${pulls - done} runs are not done`)
      if (by === null) continue
      const name = names[Math.floor(Math.random() * names.length)] ?? "one"
      const child = office.workers.get(name)
      state.struck++
      if (by === "SIGKILL") {
        child?.kill("SIGKILL")
        office.hire(name)
      } else {
        child?.kill("SIGSTOP")
        await pause(2 * lease)
        child?.kill("SIGCONT")
      }
    }
    const seconds = (Date.now() - from) / 1000
    state.over = true
    await watching
    const struck = by === null ? "" : `${state.struck} x ${by}, `
    const what = `${pulls} runs x 4 x 3, ${struck}${state.crashed} crashes of the database`
    figure(`${what}: until all are done`, seconds, "s", { most: limit / 1000 })
    console.log(`      ${((pulls * 12) / seconds).toFixed(1)} reviews a second`)
    await lines.check()
    await proved(office, pulls, 12, again)
  } finally {
    state.over = true
    await office.close()
  }
}
