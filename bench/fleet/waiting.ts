// waiting: what a worker costs that has nothing to do, and one whose hundred runs wait for their reviews.
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { figure } from "./figures.ts"
import { type Office, open } from "./office.ts"

const seconds = 20
const name = "one"

/** Milliseconds of processor time that a process has used; a tick is 10 ms. */
const used = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const measured = async (office: Office, who: string): Promise<number> => {
  const pid = office.workers.get(name)?.pid
  const committed = async () => {
    const [row] = await office.ask<{ n: number }>(
      "select (xact_commit + xact_rollback)::int as n from pg_stat_database where datname = current_database()"
    )
    return row?.n ?? Number.NaN
  }
  const [cpu, transactions] = [used(pid), await committed()]
  await pause(seconds * 1000)
  const [connections] = await office.ask<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() " +
      "and backend_type = 'client backend' and pid <> pg_backend_pid()"
  )
  const spent = (used(pid) - cpu) / seconds
  // Two of them were questions of this function.
  const rate = ((await committed()) - transactions - 2) / seconds
  figure(`${who}: processor time`, spent, "ms/s", { most: 10 })
  figure(`${who}: transactions`, rate, "a second", { most: 5 })
  return connections?.n ?? Number.NaN
}

/** Measures one worker on a private server. */
export const waiting = async (): Promise<void> => {
  const office = await open({ capacity: 1, active: 200, lease: 30_000, review: 600_000, retro: "clean" })
  try {
    office.hire(name)
    await pause(5000)
    const idle = "a worker with nothing to do"
    // Nothing is submitted yet, so the worker's connections are the only ones.
    figure(`${idle}: connections`, await measured(office, idle), "", { most: 3 })
    await office.submit(1, 100, { ceiling: "low", batchSize: 1 })
    while (await office.standing("Active") < 100) await pause(500)
    await pause(10_000)
    await measured(office, "a worker with 100 runs that wait")
  } finally {
    await office.close()
  }
}
