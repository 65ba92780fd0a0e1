// cap: how many reviewers use an account at once whose cap is below what its workers could run, while these are killed.
// The workers are the built program, and each reviewer is a process: it may outlive its worker.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import { ManagedRuntime, Redacted } from "effect"
import { realFleet } from "../../test/fleet/realFleets.ts"
import { remembering } from "../../test/fleet/remembered.ts"
import { figure } from "./figures.ts"
import { marking } from "./marks.ts"
import { CLI, type Held, heldBy, kept, proved } from "./proof.ts"

const account = { name: "team", cap: 7 }
const names = ["one", "two", "three"]
const capacity = 8
const every = 3000

// Places are numbered from 1; those beyond the workers' capacity have no holder.
const held = `select count(*)::int as places from generate_series(1, ${names.length * capacity}) place
  where exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
    and ((classid::bigint << 32) | objid::bigint) = hashtextextended('account ${account.name} place ' || place, 0))`

const measured = async (pulls: number, stubborn: boolean): Promise<void> => {
  const marks = marking(stubborn)
  const repositories = { name: "One.\n" }
  const working = ["--capacity", `${capacity}`, "--active", "40"]
  const fleet = await realFleet({ account, cli: CLI, codex: marks.folder, repositories, secrets: {}, working })
  const server = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(fleet.url), maxConnections: 1 }))
  const ask = <A extends object>(text: string): Promise<ReadonlyArray<A>> =>
    server.runPromise(PgClient.PgClient.use((sql) => sql.unsafe<A>(text)))
  const state = { places: 0, deaths: 0, over: false }
  const struck: Array<Held> = []
  const looking = (async () => {
    while (!state.over) {
      marks.look()
      await pause(20)
    }
  })()
  const seen = remembering(ask)
  const watching = (async () => {
    while (!state.over) {
      const [row] = await ask<{ places: number }>(held)
      state.places = Math.max(state.places, row?.places ?? 0)
      await seen.look()
      await pause(50)
    }
  })()
  try {
    writeFileSync(join(fleet.control, "default"), `sleep ${stubborn ? 2 : 1}; clean`)
    for (let pr = 1; pr <= pulls; pr++) {
      fleet.push("name", pr, `${pr}\n`)
      fleet.submit("name", pr, ["--ceiling", "medium", "-n", "4"])
    }
    for (const name of names) fleet.hire(name)
    const from = Date.now()
    const rests = async () =>
      (await ask<{ n: number }>("select count(*)::int as n from ooda_target where standing in ('Done', 'Parked')"))[0]
        ?.n
    while (((await rests()) ?? 0) < pulls) {
      if (Date.now() - from > 60_000 + pulls * 10_000) throw new Error("not all runs are done")
      await pause(every)
      const name = names[Math.floor(Math.random() * names.length)] ?? "one"
      fleet.workers.get(name)?.kill("SIGKILL")
      state.deaths++
      struck.push(...await heldBy(ask, name))
      fleet.hire(name)
    }
    state.over = true
    await Promise.all([looking, watching])
    const { begun, gone, most } = marks.seen()
    console.log(`      an account of ${account.cap}, ${names.length} workers of ${capacity}, ${state.deaths} x SIGKILL`)
    const [limit, how] = [{ most: account.cap }, stubborn ? "that outlast SIGTERM" : "that end by SIGTERM"]
    figure("places taken at once, by the locks of the server", state.places, "", limit)
    figure(`reviewers ${how} at once, by their own marks of start and end`, most, "", limit)
    figure(`reviewers that began, ${gone} of them killed before they could mark their end`, begun, "", null)
    // Otherwise nothing was limited, and nothing was measured.
    figure("the account was used up: places taken at once", state.places, "", { least: account.cap })
    kept(await seen.compared())
    const proven = { dir: fleet.dir, url: fleet.url, ask, endedAlone: () => fleet.endedAlone().length }
    await proved(proven, { pulls, slots: 8, again: { all: null, others: null }, struck })
  } finally {
    state.over = true
    await Promise.allSettled([looking, watching])
    await server.dispose()
    await fleet.remove()
    marks.remove()
  }
}

/** Measures reviewers that end when they are asked to, as codex does, and such as have to be killed. */
export const cap = async (pulls: number): Promise<void> => {
  await measured(pulls, false)
  await measured(pulls, true)
}
