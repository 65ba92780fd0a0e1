// DriverLock.live: one process at a time; another one gets the name of the driver, and a dead driver holds nothing.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, it } from "vitest"
import { layer } from "../../../src/drive/DriverLock.live.ts"
import { driverLock } from "../../../src/run/Layout.live.ts"
import { AlreadyDriven, Drivers } from "../../../src/drive/DriverLock.ts"
import { Environment } from "../../../src/platform/Environment.ts"

let root = ""
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "drivers-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const target = () => ({ root, repoId: "repo", targetKey: "uncommitted" })
const asking = <A, E>(use: Effect.Effect<A, E, Drivers>) =>
  Effect.runPromise(use.pipe(Effect.provide(layer), Effect.provideService(Environment, process.env)))

it("a second driver of a target is refused with the name of the first; one of another target is not", async () => {
  const [error, other, after] = await asking(Drivers.use(({ driving }) =>
    Effect.gen(function*() {
      const both = yield* driving(target(), (pid) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(driving(target(), () => Effect.void))
          const other = yield* driving({ ...target(), targetKey: "base/main" }, () => Effect.succeed("drives"))
          return [error, other, pid] as const
        }))
      return [both[0], both[1], yield* driving(target(), (pid) => Effect.succeed(pid))] as const
    })
  ))
  assert.instanceOf(error, AlreadyDriven)
  assert.match(String(error), new RegExp(`driven by process ${process.pid}, since 20.* \\[watch`))
  assert.strictEqual(other, "drives")
  assert.strictEqual(after, process.pid)
})

it("a lock of another process refuses too, until that process is gone", async () => {
  await asking(Drivers.use(({ driving }) => driving(target(), () => Effect.void)))
  const held = (): boolean => {
    try {
      execFileSync("flock", ["--nonblock", driverLock(target()), "true"])
      return false
    } catch {
      return true
    }
  }
  const inside = await asking(Drivers.use(({ driving }) => driving(target(), () => Effect.sync(held))))
  assert.deepStrictEqual([inside, held()], [true, false])
})

it("the driving process is visible while it drives, and looking writes nothing", async () => {
  const [before, inside, after] = await asking(
    Drivers.use(({ driving, present }) =>
      Effect.all([present(target()), driving(target(), () => present(target())), present(target())])
    )
  )
  assert.deepStrictEqual([before, inside, after], [null, process.pid, null])
  assert.isFalse(existsSync(driverLock({ ...target(), targetKey: "other" })))
  assert.isNull(await asking(Drivers.use(({ present }) => present({ ...target(), targetKey: "other" }))))
  assert.isFalse(existsSync(driverLock({ ...target(), targetKey: "other" })))
})
