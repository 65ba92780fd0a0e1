// proof: that a fleet whose parts died has lost nothing, done nothing twice, and left runs that an audit proves.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { figure } from "./figures.ts"
import type { Office } from "./office.ts"

const CLI = fileURLToPath(new URL("../../../dist/ooda-codex-review.cjs", import.meta.url))
const run = promisify(execFile)

interface Line {
  readonly run: string
  readonly seq: number
  readonly hash: string
}

const named = ({ run, seq }: Line): string => `${run} ${seq}`

/** Remembers the ends of all logs as they are acknowledged; `check` looks whether each of them is still there. */
export const remembering = (office: Office) => {
  const seen = new Map<string, string>()
  const look = async (): Promise<void> => {
    const heads = await office.ask<Line>("select id::text as run, seq, hash from ooda_run")
    for (const head of heads) seen.set(named(head), head.hash)
  }
  const check = async (): Promise<void> => {
    const lines = await office.ask<Line>("select run::text, seq, hash from ooda_line")
    const there = new Map(lines.map((line) => [named(line), line.hash]))
    const missing = [...seen].filter(([name, hash]) => there.get(name) !== hash)
    figure(`acknowledged lines missing or different, of ${seen.size} seen`, missing.length, "", { most: 0 })
  }
  return { look, check }
}

/** Audits each run as a person does who exported it from the store; two at once. */
const audited = async (office: Office, ids: ReadonlyArray<string>): Promise<number> => {
  const left = [...ids]
  let proven = 0
  const auditor = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const to = `${office.dir}/exported/${id}`
      const env = { PATH: process.env["PATH"], HOME: office.dir, OODA_STORE: office.url }
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

/**
 * Proves what `pulls` pull requests of so many slots each have come to. `again`: the most reviews that may have been run
 * again, of a hundred.
 */
export const proved = async (office: Office, pulls: number, slots: number, again: number): Promise<void> => {
  const [counted] = await office.ask<{ exited: number; slots: number; begun: number }>(`
    select count(*) filter (where state = 'exited')::int as exited, sum(deliveries)::int as begun,
      count(distinct (target, run_id, level, batch, slot)) filter (where state = 'exited')::int as slots
    from ooda_attempt`)
  const { begun = Number.NaN, exited = Number.NaN, slots: found = Number.NaN } = counted ?? {}
  const expected = pulls * slots
  figure(`verdicts missing or too many, of ${expected}`, Math.abs(exited - expected), "", { most: 0 })
  figure("slots with two verdicts", exited - found, "", { most: 0 })
  figure(`reviews run again: ${begun - expected}`, ((begun - expected) / expected) * 100, "%", { most: again })
  figure("workers that ended by themselves", office.endedAlone(), "", { most: 0 })
  const ids = await office.ask<{ id: string }>("select last_run as id from ooda_target")
  figure("runs that an audit proves", await audited(office, ids.map(({ id }) => id)), `of ${pulls}`, { least: pulls })
}
