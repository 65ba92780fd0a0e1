// This machine for the doctor: its Node, its programs within a limit, its places, as the environment names them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { layer } from "../../../../src/read/doctor/Machine.live.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Machine } from "../../../../src/read/doctor/Machine.ts"
import { eventually, living } from "../../platform/guard/processes.ts"

const dir = mkdtempSync(join(tmpdir(), "ooda-machine-"))
afterAll(() => rmSync(dir, { recursive: true }))

const run = <A>(use: (machine: typeof Machine.Service) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Machine.use(use).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, { PATH: process.env["PATH"], CODEX_HOME: join(dir, "codex"), GIVEN: "yes" })
    )
  )

describe("this machine", () => {
  it("has the Node that runs this", async () =>
    assert.strictEqual(await run(({ nodeVersion }) => Effect.succeed(nodeVersion)), process.version))

  it("asks programs in the environment that is given", async () => {
    const answer = await run(({ ask }) => ask("sh", ["-c", "echo $GIVEN; pwd"], { cwd: "/", limit: 5000 }))
    assert.deepInclude(answer, { code: 0, stdout: "yes\n/\n" })
  })

  it("ends a program that does not answer in time, with all that it started", async () => {
    const script = `sleep 3600 & echo $! >${join(dir, "child")}; wait`
    const answer = await run(({ ask }) => ask("sh", ["-c", script], { cwd: dir, limit: 500 }))
    assert.deepInclude(answer, { code: null, problem: "timeout" })
    const child = Number(readFileSync(join(dir, "child"), "utf8"))
    await eventually("the child's end", () => !living(child))
  })

  it("has a place for runs, and nothing is left of having tried it", async () => {
    const root = join(dir, "state")
    assert.deepInclude(await run(({ storage }) => storage(root)), { root, exists: false, writeProblem: null })
    assert.isFalse(existsSync(root))
    assert.isEmpty(readdirSync(dir).filter((name) => name.startsWith(".ooda")))
  })

  it("has codex's home where the environment names it", async () =>
    assert.deepInclude(await run(({ codexHome }) => codexHome), { home: join(dir, "codex"), named: true }))
})
