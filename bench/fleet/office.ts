// office: a private server with a store on it, pull requests submitted to it, and workers that come and go.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, ManagedRuntime, Redacted, Result } from "effect"
import { decode, Submissions, targetOf } from "../../src/fleet/Submission.ts"
import { storeAt, stored } from "../../src/fleetLayers.ts"
import { FleetStore } from "../../src/fleet/FleetStore.ts"
import { FleetTargets } from "../../src/fleet/FleetTargets.ts"
import { querying } from "../../test/fleet/databases.ts"
import { startServer } from "../../test/fleet/postgres.ts"

const program = fileURLToPath(new URL("worker.mjs", import.meta.url))

/** How the workers of a fleet work. Times in milliseconds. */
export interface Working {
  readonly capacity: number
  readonly active: number
  readonly lease: number
  readonly review: number
  readonly retro: "park" | "clean"
}

/** What submitted pull requests ask for. */
export interface Asked {
  readonly ceiling: string
  readonly batchSize: number
}

/** What is submitted for a pull request. */
export const submissionOf = (pr: number, asked: Asked) => {
  const [head, base] = [pr, 0xfffffff].map((number) => number.toString(16).padStart(40, "0"))
  const given = { repo: "https://bench.example.org/team/name", pr, head, base, branch: "main", ...asked }
  return Result.getOrThrow(decode(given, { local: false }))
}

/** A fleet on a private server. */
export const open = async ({ active, capacity, lease, retro, review }: Working) => {
  const server = await startServer(true)
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-bench-")))
  const url = server.database("bench")
  const store = { work: dir, local: true, lease, writer: null, account: { name: "team", cap: 32 } }
  const setUp = FleetStore.use((them) => them.setUp(store))
  const { name: root } = await Effect.runPromise(Effect.provide(setUp, storeAt(Redacted.make(url))))
  const ports = ManagedRuntime.make(Layer.orDie(stored(Redacted.make(url))))
  const workers = new Map<string, ChildProcess>()
  let endedAlone = 0

  const hire = (name: string): void => {
    const words = [...[capacity, active, lease, review].map(String), retro]
    const child = spawn(process.execPath, [program, url, root, dir, name, ...words], {
      stdio: ["ignore", "inherit", "pipe"]
    })
    workers.set(name, child)
    // It says much while its database is away. All of it matters only where it ends by itself.
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (part: string) => said = (said + part).slice(-4000))
    child.once("close", (code) => {
      if (code === null) return
      endedAlone++
      console.log(said)
    })
  }

  const submit = (from: number, count: number, asked: Asked) =>
    ports.runPromise(Effect.forEach(
      Array.from({ length: count }, (_, i) => from + i),
      Effect.fnUntraced(function*(pr) {
        const submission = submissionOf(pr, asked)
        const { number } = yield* (yield* Submissions).submit(root, submission)
        yield* (yield* FleetTargets).enqueue(targetOf(root, submission), number)
      }),
      { concurrency: 4, discard: true }
    ))

  return {
    ...{ server, dir, url, root, workers, hire, submit },
    endedAlone: () => endedAlone,
    /** How many targets have this standing. */
    standing: (word: string): Promise<number> =>
      querying(url, (sql) => sql<{ n: number }>`select count(*)::int as n from ooda_target where standing = ${word}`)
        .then(([row]) => row?.n ?? 0),
    ask: <A extends object>(text: string): Promise<ReadonlyArray<A>> => querying(url, (sql) => sql.unsafe<A>(text)),
    close: async () => {
      for (const child of workers.values()) child.kill("SIGKILL")
      await ports.dispose()
      await server.remove()
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

/** What `open` gives. */
export type Office = Awaited<ReturnType<typeof open>>
