// zombies: a worker that wakes up after its lease, or is started again, leaves alone what another of its machine runs.
// Each begins below the path of its fleet.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Layer } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { type FleetTarget } from "../../src/fleet/FleetTargets.ts"
import { CLI, processesWith } from "../process/world.ts"
import { eventually, kill } from "../unit/platform/guard/processes.ts"
import { makeStore, querying } from "./databases.ts"
import { makeFleet } from "./fleets.ts"
import { type Server, startServer } from "./postgres.ts"

const rests = ({ standing }: FleetTarget): boolean => standing === "Done" || standing === "Parked"

interface Row {
  readonly machine: string | null
  readonly deliveries: number
  readonly state: string
}

describe.runIf(inject("postgres") !== null)("workers of one machine", () => {
  // A worker refuses a server with fsync off, like the suite's server.
  let server: Server
  let url = ""
  let fleet: ReturnType<typeof makeFleet>
  const workers: Array<ChildProcess> = []
  beforeAll(async () => {
    server = await startServer(true)
    url = server.database("zombies")
    await makeStore(url, "zombies_writer")
    fleet = makeFleet(url)
    await fleet.name(url)
  })
  afterAll(async () => {
    for (const child of workers) child.kill("SIGKILL")
    for (const pid of processesWith((all) => all.includes(`FAKE_CODEX_DIR=${fleet.env.FAKE_CODEX_DIR}`))) kill(pid)
    fleet.remove()
    await server.remove()
  })

  const run = <A, E>(use: Effect.Effect<A, E, Layer.Success<ReturnType<typeof makeFleet>["layer"]>>) =>
    Effect.runPromise(Effect.provide(use, fleet.layer))
  const hire = (name: string): ChildProcess => {
    const child = spawn(process.execPath, [CLI, "fleet", "worker", "--name", name, "--capacity", "1"], {
      cwd: fleet.dir,
      env: { ...fleet.env, OODA_STORE: url },
      stdio: "ignore"
    })
    workers.push(child)
    return child
  }
  /** How many processes of reviewers live. */
  const under = (): number =>
    processesWith((all) =>
      all.includes(`FAKE_CODEX_DIR=${fleet.env.FAKE_CODEX_DIR}`) && all.some((one) => one.startsWith("OODA_ATTEMPT="))
    ).length
  /** Waits until the newest attempt is as it is expected to be. */
  const row = (expected: (row: Row) => boolean) =>
    Effect.gen(function*() {
      while (true) {
        const [found] = yield* Effect.promise(() =>
          querying(url, (sql) =>
            sql<Row>`select machine, deliveries, state from ooda_attempt order by made_at desc limit 1`)
        )
        if (found !== undefined && expected(found)) {
          return found
        }
        yield* Effect.sleep(100)
      }
    }).pipe(Effect.timeout("40 seconds"))

  it("begin below the recorded path alone, and where no link leads there", () => {
    const work = join(fleet.dir, "work")
    const begin = (...args: ReadonlyArray<string>) => {
      const env = { ...fleet.env, OODA_STORE: url }
      return spawnSync(process.execPath, [CLI, "fleet", "worker", ...args], { cwd: fleet.dir, env, encoding: "utf8" })
    }
    const elsewhere = /^error: [^\n]*: the fleet works in [^\n]*\/work on every machine \[[^\n]*\]\n$/
    const other = begin("--work", "/else")
    assert.strictEqual(other.status, 6)
    assert.match(other.stderr, elsewhere)
    mkdirSync(join(fleet.dir, "real"))
    rmSync(work, { recursive: true })
    symlinkSync(join(fleet.dir, "real"), work)
    assert.match(begin("--work", work).stderr, elsewhere)
    rmSync(work)
  })

  it.each(
    [
      ["wakes up", "SIGSTOP", (one: ChildProcess) => void one.kill("SIGCONT")],
      ["is killed and started again", "SIGKILL", () => void hire("one")]
    ] as const
  )("where the first %s", async (_, signal, back) => {
    fleet.scenario("default", "sleep 6; clean")
    const pr = signal === "SIGSTOP" ? 1 : 2
    const one = fleet.pushed(pr, `${pr}\n`, { ceiling: "low", batchSize: 1 })
    const first = hire("one")
    const end = await run(Effect.gen(function*() {
      yield* fleet.submit(one)
      yield* row(({ machine, state }) => machine === "one" && state === "leased")
      // The reviewer runs by now.
      yield* Effect.sleep(1500)
      first.kill(signal)
      // An abandoned review ends with its worker: a place of an account is free by then.
      if (signal === "SIGKILL") yield* Effect.promise(() => eventually("the reviewers' end", () => under() === 0, 4000))
      hire("two")
      yield* row(({ machine, state }) => machine === "two" && state === "leased")
      yield* Effect.sleep(1000)
      back(first)
      return yield* fleet.awaitTarget(one, rests)
    }))
    assert.deepStrictEqual([end.standing, end.end?.header], ["Done", "DoneFixedPoint"])
    assert.deepStrictEqual(await run(row(() => true)), { machine: "two", deliveries: 2, state: "exited" })
    for (const child of workers) child.kill("SIGKILL")
  })
})
