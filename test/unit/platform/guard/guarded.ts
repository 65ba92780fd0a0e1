// guarded: a bench for commands under guard: a temporary directory, shell scripts as commands, and what lives of them.
// Every bench ends with nothing of it alive, and says so when that took force.
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { assert } from "vitest"
import { type Guard, makeGuard } from "../../../../src/platform/guard/Guard.ts"
import type { Job, JobFiles, Order, Sighting } from "../../../../src/platform/guard/Job.ts"
import { readJournal, type StartedJournal } from "../../../../src/platform/guard/Journal.ts"
import type { Transcript } from "../../../../src/platform/guard/Look.ts"
import { Environment, type Variables } from "../../../../src/platform/Environment.ts"
import { eventually, kill, marked } from "./processes.ts"

export { eventually, kill, living, marked } from "./processes.ts"

/** Pieces of shell scripts. */
export const sh = {
  /** Children that would live on: in the command's own group, and in sessions of their own. */
  children: (count: number) => "sleep 3600 & setsid sleep 3600 & ".repeat(count),
  /** A child in a session of its own that ignores SIGTERM. */
  stubborn: `setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 3600; done' & `,
  ignoreTerm: "trap '' TERM; ",
  /** Appends the command's process id to a file. */
  mark: (file: string) => `echo $$ >>'${file}'; `,
  waitFor: (file: string) => `while [ ! -e '${file}' ]; do sleep 0.05; done; `,
  forever: "while :; do sleep 3600; done"
}

/** The sighting of a command that has ended. */
export const exited = (status: number, struck?: "deadline" | "oversize"): Sighting => ({
  _tag: "Exited",
  status,
  deadline: struck === "deadline",
  oversize: struck === "oversize"
})

export const lost: Sighting = { _tag: "Lost" }
export const unstarted: Sighting = { _tag: "Unstarted" }

/** Every line is progress. */
export const talking: Transcript = { file: "log", stalledTail: () => null }

export interface Bench {
  /** Where jobs keep their files; made by the first launch. */
  readonly dir: string
  readonly work: string
  readonly path: (name: string) => string
  /** A new job in the place of that name. Jobs of one place share their log, output and exit files. */
  readonly job: (place?: string, number?: number) => Job
  /** A new job that runs a shell script. */
  readonly order: (script: string, options?: Partial<Order>, place?: string, number?: number) => Order
  readonly launch: (...orders: ReadonlyArray<Order>) => Promise<void>
  readonly look: (...jobs: ReadonlyArray<Job>) => Promise<ReadonlyArray<Sighting>>
  readonly lookOnce: (job: Job, acting?: boolean) => Promise<Sighting>
  /** Looks until the job is no longer alive. */
  readonly ended: (job: Job) => Promise<Sighting>
  readonly stop: (...jobs: ReadonlyArray<Job>) => Promise<number>
  /** The job's journal, once it names the command's group. */
  readonly begun: (job: Job) => Promise<StartedJournal & { readonly group: { readonly pgid: number } }>
  readonly read: (file: string) => string
  /** A guard without memory of earlier looks, as a later process has. */
  readonly later: () => void
}

/** The files of a job in a place: all but its journal and its lock are shared with the other jobs there. */
export const filesIn = (dir: string, place: string, number: number): JobFiles => ({
  journal: join(dir, `${place}.${number}.run`),
  lock: join(dir, `${place}.${number}.lock`),
  log: join(dir, `${place}.log`),
  out: join(dir, `${place}.out`),
  exit: join(dir, `${place}.exit`)
})

/** The message of a promise that fails. */
export const fault = async (failing: Promise<unknown>): Promise<string> => {
  try {
    await failing
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return assert.fail("it did not fail")
}

const run = <A, E>(effect: Effect.Effect<A, E>, environment: Variables = process.env): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Environment, environment))

/** A bench for one test. */
export const withBench = async (
  use: (bench: Bench) => Promise<void>,
  transcript: Transcript = talking
): Promise<void> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ooda-guard-")))
  const work = join(root, "work")
  const dir = join(root, "jobs", "here")
  mkdirSync(work)
  const ids: Array<string> = []
  let guard: Guard = makeGuard(transcript)
  const look = (jobs: ReadonlyArray<Job>, acting = true) => run(guard.look(jobs, "looking at commands", { acting }))
  const lookOnce = async (job: Job, acting = true) => {
    const [sighting] = await look([job], acting)
    return sighting ?? assert.fail("no sighting")
  }
  const job = (place = "a", number = 1): Job => {
    const id = randomUUID()
    ids.push(id)
    return { id, files: filesIn(dir, place, number) }
  }
  try {
    await use({
      dir,
      work,
      path: (name) => join(root, name),
      job,
      order: (script, options = {}, place = "a", number = 1) => ({
        ...job(place, number),
        label: `starting ${place}`,
        command: ["/bin/sh", "-c", script],
        cwd: work,
        line: null,
        environment: process.env,
        input: null,
        wake: join(root, "wake", place),
        deadline: 120_000,
        maxBytes: 2 ** 30,
        tied: false,
        earlier: [],
        ...options
      }),
      launch: (...orders) => run(guard.launch(orders, "starting commands"), orders[0]?.environment),
      look: (...jobs) => look(jobs),
      lookOnce,
      ended: async (one) => {
        for (const end = Date.now() + 30_000;; await pause(10)) {
          const sighting = await lookOnce(one)
          if (sighting._tag !== "Alive") return sighting
          if (Date.now() > end) throw new Error("not in time: the end of a command")
        }
      },
      stop: (...jobs) => run(guard.stop(jobs, "stopping commands")),
      begun: ({ files }) =>
        eventually("the command's group in the journal", () => {
          const journal = readJournal(files.journal)
          return journal._tag === "Started" && journal.group !== null ? { ...journal, group: journal.group } : null
        }),
      read: (file) => readFileSync(file, "utf8"),
      later: () => {
        guard = makeGuard(transcript)
      }
    })
  } finally {
    await eventually("the end of everything marked", () => {
      const left = ids.flatMap(marked)
      for (const pid of left) kill(pid)
      return left.length === 0
    })
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    assert.isFalse(existsSync(root))
  }
}
