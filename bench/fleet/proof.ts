// proof: that a fleet whose parts died has lost nothing, done nothing twice, and left runs that an audit proves.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Ask, Remembered } from "../../test/fleet/remembered.ts"
import { figure, type Limit } from "./figures.ts"

/** The built program. */
export const CLI = fileURLToPath(new URL("../../../dist/ooda-codex-review.cjs", import.meta.url))
const run = promisify(execFile)

/** What is proven of a fleet. */
export interface Proven {
  readonly dir: string
  readonly url: string
  readonly ask: Ask
  readonly endedAlone: () => number
}

/** A review that a worker was running, and the how-manieth run of it that was. */
export interface Held {
  readonly id: string
  readonly deliveries: number
}

/** What a worker runs now. */
export const heldBy = (ask: Ask, name: string): Promise<ReadonlyArray<Held>> =>
  ask<Held>(`select id, deliveries from ooda_attempt where machine = '${name}' and state = 'leased'`)

/** Prints whether what was acknowledged is still there. */
export const kept = ({ lines, missingLines, missingReviews, reviews }: Remembered): void => {
  figure(`acknowledged lines missing or different, of ${lines} seen`, missingLines.length, "", { most: 0 })
  figure(`reviews handed in that are gone, of ${reviews} seen`, missingReviews.length, "", { most: 0 })
}

/** Audits each run as a person does who exported it from the store; two at once. */
const audited = async ({ dir, url }: Proven, ids: ReadonlyArray<string>): Promise<number> => {
  const left = [...ids]
  let proven = 0
  const auditor = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const to = `${dir}/exported/${id}`
      const env = { PATH: process.env["PATH"], HOME: dir, OODA_STORE: url }
      await run(process.execPath, [CLI, "fleet", "export", id, to], { env })
      // The store of the environment and a state root exclude each other.
      // What is not sound ends with 1.
      const { stdout } = await run(process.execPath, [CLI, "audit", id, "--state-root", to], {
        env: { PATH: env.PATH, HOME: env.HOME }
      }).catch((failed: { readonly stdout: string }) => failed)
      if (/\n {2}proven: [^]*\n {2}sound\n$/.test(stdout)) proven++
      else console.log(stdout)
    }
  }
  await Promise.all([auditor(), auditor()])
  return proven
}

/** What is expected of pull requests: `slots` of each are reviewed. */
export interface Expected {
  readonly pulls: number
  readonly slots: number
  /** The most reviews that may have been run again, of a hundred: all of them, and those that died with no worker. */
  readonly again: { readonly all: Limit; readonly others: Limit }
  /** What the workers were running that were killed or stopped, right then. */
  readonly struck: ReadonlyArray<Held>
}

/** Proves what pull requests have come to. */
export const proved = async (fleet: Proven, { again, pulls, slots, struck }: Expected): Promise<void> => {
  // A fourth delivery runs nothing: it only finds that three workers died.
  const attempts = await fleet.ask<Held & { state: string; slot: string }>(`
    select id, least(deliveries, 3) as deliveries, state, concat_ws(' ', target, run_id, level, batch, slot) as slot
    from ooda_attempt`)
  const exited = attempts.filter(({ state }) => state === "exited")
  const expected = pulls * slots
  figure(`verdicts missing or too many, of ${expected}`, Math.abs(exited.length - expected), "", { most: 0 })
  figure("slots with two verdicts", exited.length - new Set(exited.map(({ slot }) => slot)).size, "", { most: 0 })
  if (exited.length !== expected) {
    for (
      const row of await fleet.ask(`
        select t.target_key, t.latest, t.standing, a.run_id, a.level, a.batch, a.slot, a.attempt, a.state, a.deliveries,
          a.machine, a.made_at
        from ooda_attempt a join ooda_target t on t.id = a.target where t.id in (
          select target from ooda_attempt where state = 'exited' group by target having count(*) <> ${slots})
        order by t.id, a.made_at`)
    ) console.log(JSON.stringify(row))
  }
  const more = attempts.reduce((sum, { deliveries }) => sum + deliveries, 0) - expected
  const ends = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const died = new Set(struck.flatMap(({ deliveries, id }) => {
    const end = ends.get(id)
    return end !== undefined && (end.deliveries > deliveries || end.state === "lost") ? [`${id} ${deliveries}`] : []
  }))
  const share = (count: number): number => (count / expected) * 100
  figure(`reviews run again: ${more}`, share(more), "%", again.all)
  if (struck.length > 0) {
    const others = more - died.size
    figure(`of these held by no worker that was killed or stopped: ${others}`, share(others), "%", again.others)
  }
  figure("workers that ended by themselves", fleet.endedAlone(), "", { most: 0 })
  const ids = await fleet.ask<{ id: string }>("select last_run as id from ooda_target")
  figure("runs that an audit proves", await audited(fleet, ids.map(({ id }) => id)), `of ${pulls}`, { least: pulls })
}
