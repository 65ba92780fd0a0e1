// The bench for reviewer processes: a temporary batch directory, attempts, the fake codex, and counting what lives.
// The one rule: every bench ends with nothing of it alive, and says so when that took force.
import { randomUUID } from "node:crypto"
import {
  existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, type ManagedRuntime as Runtime, ManagedRuntime } from "effect"
import { assert, vi } from "vitest"
import { layer } from "../../../../src/adapters/codex/ReviewersLive.ts"
import { type Guarded, readJournal } from "../../../../src/adapters/process/Journal.ts"
import { slotFiles } from "../../../../src/core/run/Paths.ts"
import type { ReviewerState } from "../../../../src/core/run/ReviewerState.ts"
import { Environment, type Variables } from "../../../../src/services/Environment.ts"
import { type Attempt, Reviewers, type Launch, type ReviewerFault } from "../../../../src/services/Reviewers.ts"

// Real processes on a busy machine: a grace alone takes two seconds.
vi.setConfig({ testTimeout: 60_000 })

const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))))
/** The fake codex. */
export const FAKE = join(root, "fixtures", "fake-codex", "codex")

/** Waits for a condition, or for a text that is not empty; fails loudly when it does not come in time. */
export const eventually = async <A>(
  what: string,
  probe: () => A | null | false | undefined | "",
  ms = 20_000
): Promise<A> => {
  for (const end = Date.now() + ms; ; await pause(10)) {
    const found = probe()
    if (found !== null && found !== false && found !== undefined && found !== "") return found
    if (Date.now() > end) throw new Error(`not in time: ${what}`)
  }
}

/** The sighting of a reviewer that has ended. */
export const exited = (status: number, struck?: "deadline" | "oversize"): ReviewerState =>
  ({ _tag: "Exited", status, deadline: struck === "deadline", oversize: struck === "oversize" })

/** The living processes that carry an attempt's mark. */
export const marked = (id: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1")) &&
        readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`OODA_ATTEMPT=${id}`)
    } catch {
      return false
    }
  })

/** Whether a process lives. */
export const living = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

export interface Bench {
  readonly dir: string
  readonly work: string
  readonly path: (name: string) => string
  readonly attempt: (slot?: number, attempt?: number) => Attempt
  readonly launch: (
    attempts: ReadonlyArray<Attempt>,
    scenario: string,
    options?: Partial<Launch>,
    env?: Variables
  ) => Promise<void>
  readonly look: (...attempts: ReadonlyArray<Attempt>) => Promise<ReadonlyArray<ReviewerState>>
  readonly lookOnce: (attempt: Attempt, acting?: boolean) => Promise<ReviewerState>
  /** Looks until the attempt is no longer alive. */
  readonly ended: (attempt: Attempt) => Promise<ReviewerState>
  readonly stop: (...attempts: ReadonlyArray<Attempt>) => Promise<void>
  /** The attempt's journal, once codex's group stands in it. */
  readonly begun: (attempt: Attempt) => Promise<Guarded & { readonly group: { readonly pgid: number } }>
  readonly read: (file: string) => string
  /** A service without memory of earlier looks, as a later step has. */
  readonly later: () => void
}

/** A bench for one test. */
export const withBench = async (use: (bench: Bench) => Promise<void>): Promise<void> => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-reviewers-")))
  const work = join(dir, "work")
  const batch = join(dir, "run", "levels", "level-low", "batch-1")
  mkdirSync(work)
  const ids: Array<string> = []
  const runtimes: Array<Runtime.ManagedRuntime<Reviewers, never>> = []
  const service = () => ManagedRuntime.make(layer)
  let runtime = service()
  runtimes.push(runtime)
  const run = <A>(
    use: (codex: typeof Reviewers.Service) => Effect.Effect<A, ReviewerFault>,
    env: Variables = process.env
  ): Promise<A> => runtime.runPromise(Effect.provideService(Reviewers.use(use), Environment, env))
  const look = (attempts: ReadonlyArray<Attempt>, acting = true) => run((codex) => codex.look(attempts, { acting }))
  const lookOnce = async (attempt: Attempt, acting = true) => {
    const [sighting] = await look([attempt], acting)
    assert.isDefined(sighting)
    return sighting
  }
  try {
    await use({
      dir: batch,
      work,
      path: (name) => join(dir, name),
      attempt: (slot = 1, attempt = 1) => {
        const id = randomUUID()
        ids.push(id)
        return { id, level: "low", slot, attempt, dir: batch, files: slotFiles(batch, "low", slot, attempt) }
      },
      launch: (attempts, scenario, options = {}, env = process.env) => {
        writeFileSync(join(dir, "scenario"), scenario)
        return run((codex) =>
          codex.launch(attempts, {
            binary: "/usr/bin/env",
            argv: [`FAKE_CODEX=${scenario}`, `TMPDIR=${dir}`, FAKE, "review", "--uncommitted"],
            cwd: work,
            reviewTimeout: 120_000,
            maxTranscript: 2 ** 30,
            ...options
          }), env)
      },
      look: (...attempts) => look(attempts),
      lookOnce,
      ended: async (attempt) => {
        for (const end = Date.now() + 30_000; ; await pause(10)) {
          const sighting = await lookOnce(attempt)
          if (sighting._tag !== "Alive") return sighting
          if (Date.now() > end) throw new Error("not in time: the end of a reviewer")
        }
      },
      stop: (...attempts) => run((codex) => codex.stop(attempts)),
      begun: (attempt) =>
        eventually("codex's group in the journal", () => {
          const found = readJournal(attempt.files.run)
          return found._tag === "Guarded" && found.group !== null ? { ...found, group: found.group } : null
        }),
      read: (file) => readFileSync(file, "utf8"),
      later: () => {
        runtime = service()
        runtimes.push(runtime)
      }
    })
  } finally {
    for (const one of runtimes) await one.dispose()
    await eventually("the end of everything marked", () => {
      const left = ids.flatMap((id) => marked(id))
      for (const pid of left) process.kill(pid, "SIGKILL")
      return left.length === 0
    })
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    assert.isFalse(existsSync(dir))
  }
}
