// reviewerBench: attempts to review in a temporary batch directory, run by the fake codex, and what lives of them.
// Every bench ends with nothing of it alive, and says so when that took force.
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, ManagedRuntime } from "effect"
import { assert } from "vitest"
import { layer } from "../../src/review/Reviewers.live.ts"
import { batchDirectory } from "../../src/run/Layout.live.ts"
import type { AttemptRef, BatchRef } from "../../src/run/Refs.ts"
import type { ReviewerState } from "../../src/run/ReviewTokens.ts"
import { Environment, type Variables } from "../../src/platform/Environment.ts"
import { type Launch, type ReviewerFault, Reviewers } from "../../src/review/Reviewers.ts"
import { eventually, kill, marked } from "../unit/platform/guard/processes.ts"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** The fake codex. */
const FAKE = join(root, "fixtures", "fake-codex", "codex")

/** The state of a reviewer that has ended by itself. */
export const exited = (status: number): ReviewerState => ({ _tag: "Exited", status, deadline: false, oversize: false })

export interface Bench {
  readonly dir: string
  readonly work: string
  readonly path: (name: string) => string
  readonly attempt: (slot?: number, attempt?: number) => AttemptRef
  readonly launch: (
    attempts: ReadonlyArray<AttemptRef>,
    scenario: string,
    options?: Partial<Launch>,
    env?: Variables
  ) => Promise<void>
  readonly look: (attempt: AttemptRef, acting?: boolean) => Promise<ReviewerState>
  /** Looks until the attempt is no longer alive. */
  readonly ended: (attempt: AttemptRef) => Promise<ReviewerState>
  /** Listens for an end, does something, and waits for the end, with no limit. */
  readonly heard: (attempt: AttemptRef, doing: () => Promise<void>) => Promise<void>
  readonly stop: (...attempts: ReadonlyArray<AttemptRef>) => Promise<number>
  readonly read: (file: string) => string
}

/** A bench for one test. */
export const withBench = async (use: (bench: Bench) => Promise<void>): Promise<void> => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-reviewers-")))
  const work = join(dir, "work")
  const run = { root: dir, repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" }
  const batch: BatchRef = { run, level: "low", batch: 1 }
  mkdirSync(work)
  const ids: Array<string> = []
  const runtime = ManagedRuntime.make(layer)
  const through = <A>(
    use: (codex: typeof Reviewers.Service) => Effect.Effect<A, ReviewerFault>,
    env: Variables = process.env
  ): Promise<A> => runtime.runPromise(Effect.provideService(Reviewers.use(use), Environment, env))
  const look = async (attempt: AttemptRef, acting = true) => {
    const [state] = await through((codex) => codex.look([attempt], { acting }))
    return state ?? assert.fail("no state")
  }
  try {
    await use({
      dir: batchDirectory(batch),
      work,
      path: (name) => join(dir, name),
      attempt: (slot = 1, attempt = 1) => {
        const id = randomUUID()
        ids.push(id)
        return { ...batch, slot, attempt, id }
      },
      launch: (attempts, scenario, options = {}, env = process.env) => {
        const launch: Launch = {
          binary: "/usr/bin/env",
          argv: [`FAKE_CODEX=${scenario}`, `TMPDIR=${dir}`, FAKE, "review", "--uncommitted"],
          cwd: work,
          isolated: false,
          line: { seq: 2, hash: "ab" },
          reviewTimeout: 120_000,
          maxTranscript: 2 ** 30,
          ...options
        }
        return through((codex) => codex.launch(attempts, launch), env)
      },
      look,
      ended: async (attempt) => {
        for (const end = Date.now() + 30_000;; await pause(10)) {
          const state = await look(attempt)
          if (state._tag !== "Alive") return state
          if (Date.now() > end) throw new Error("not in time: the end of a reviewer")
        }
      },
      heard: (attempt, doing) =>
        through((codex) =>
          Effect.scoped(Effect.gen(function*() {
            const wait = yield* codex.listen(attempt)
            yield* Effect.promise(doing)
            yield* wait([attempt], Number.POSITIVE_INFINITY)
          }))
        ),
      stop: (...attempts) => through((codex) => codex.stop(attempts)),
      read: (file) => readFileSync(file, "utf8")
    })
  } finally {
    await runtime.dispose()
    await eventually("the end of everything marked", () => {
      const left = ids.flatMap(marked)
      for (const pid of left) kill(pid)
      return left.length === 0
    })
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    assert.isFalse(existsSync(dir))
  }
}
