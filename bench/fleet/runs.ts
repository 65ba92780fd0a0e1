// runs: pull requests that come to their fixed points while workers are killed or stopped, and the database crashes.
import { setTimeout as pause } from "node:timers/promises"
import { remembering } from "../../test/fleet/remembered.ts"
import { figure } from "./figures.ts"
import { open } from "./office.ts"
import { type Held, heldBy, kept, proved } from "./proof.ts"

const lease = 3000
const names = ["one", "two", "three", "four"]
// A crash costs a few reviews, however many there are: fewer runs than these have no limit.
const enough = 63

/** What is done to the fleet, and how long it may take. Times in milliseconds. */
export interface Ordeal {
  readonly pulls: number
  readonly every: number
  /** What befalls a worker, if anything does; a stopped one wakes up after two leases. */
  readonly by: "SIGKILL" | "SIGSTOP" | null
  readonly crashes: number
  /** Null where no limit is set for so many runs. */
  readonly limit: number | null
}

/** Takes pull requests of four levels with three reviewers each to their fixed points. */
export const runs = async ({ by, crashes, every, limit, pulls }: Ordeal): Promise<void> => {
  const office = await open({ capacity: 8, active: 40, lease, review: 300, retro: "clean" })
  const state = { strikes: 0, crashed: 0, over: false }
  const struck: Array<Held> = []
  try {
    const seen = remembering(office.ask)
    await office.submit(1, pulls, { ceiling: "xhigh", batchSize: 3 })
    const from = Date.now()
    const patience = 3 * (limit ?? Math.max(60_000, pulls * 900))
    for (const name of names) office.hire(name)
    const watching = (async () => {
      while (!state.over) {
        await seen.look().catch(() => {})
        await pause(500)
      }
    })()
    const handedIn = async (): Promise<number> => {
      const [row] = await office.ask<{ n: number }>(
        "select count(*)::int as n from ooda_attempt where state = 'exited'"
      )
      return row?.n ?? 0
    }
    // A parked run has failed, and nothing here resumes it.
    const rests = async (): Promise<number> => await office.standing("Done") + await office.standing("Parked")
    for (let done = 0; done < pulls; done = await rests()) {
      await pause(every)
      if (state.crashed < crashes && await handedIn() >= (pulls * 12 * (state.crashed + 1)) / (crashes + 2)) {
        await office.server.crash()
        await office.server.start()
        state.crashed++
        continue
      }
      if (Date.now() - from > patience) throw new Error(`${pulls - done} runs are not done`)
      if (by === null) continue
      const name = names[Math.floor(Math.random() * names.length)] ?? "one"
      const child = office.workers.get(name)
      state.strikes++
      child?.kill(by)
      struck.push(...await heldBy(office.ask, name))
      if (by === "SIGKILL") {
        office.hire(name)
      } else {
        await pause(2 * lease)
        child?.kill("SIGCONT")
      }
    }
    const seconds = (Date.now() - from) / 1000
    state.over = true
    await watching
    const befell = by === null ? "" : `${state.strikes} x ${by}, `
    const what = `${pulls} runs x 4 x 3, ${befell}${state.crashed} crashes of the database`
    figure(`${what}: until all are done`, seconds, "s", limit === null ? null : { most: limit / 1000 })
    if (state.crashed < crashes) figure("crashes of the database", state.crashed, "", { least: crashes })
    figure("reviews", (pulls * 12) / seconds, "a second", null)
    kept(await seen.compared())
    // What a worker that is killed or stopped was running is run again, as it must be: the limit is for all others.
    const some = crashes > 0 && pulls >= enough ? { most: 1 } : null
    const again = by === null ? { all: some, others: null } : { all: null, others: some }
    if (by !== null && some !== null) {
      console.log(
        "      (What a worker was running when it was killed or stopped has to run again. 1 % is for the rest.)"
      )
    }
    await proved(office, { pulls, slots: 12, again, struck })
  } finally {
    state.over = true
    await office.close()
  }
}
