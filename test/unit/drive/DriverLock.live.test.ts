// DriverLock.live: one process at a time in a worktree, whatever it drives; a dead driver holds nothing.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { afterEach, assert, beforeEach, it } from "vitest"
import { layer } from "../../../src/drive/DriverLock.live.ts"
import { AlreadyDriven, Drivers } from "../../../src/drive/DriverLock.ts"
import { layer as logs } from "../../../src/log/EventLog.live.ts"
import type { EventLog } from "../../../src/log/EventLog.ts"
import { layer as runs } from "../../../src/run/RunStore.live.ts"
import type { RunStore } from "../../../src/run/RunStore.ts"
import { Environment } from "../../../src/platform/Environment.ts"

let base = ""
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "drivers-")))
  for (const clone of ["p/app", "q/app"]) git("init", "-q", clone)
  git("-C", "p/app", "-c", "user.name=t", "-c", "user.email=t", "commit", "-q", "--allow-empty", "-m", "one")
  git("-C", "p/app", "worktree", "add", "-q", join(base, "linked"))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: base })
const at = (name: string): string => join(base, name)
const target = (targetKey = "uncommitted", root = "state") => ({ root: at(root), repoId: "repo", targetKey })
const layers = Layer.mergeAll(layer, runs, logs)
const asking = <A, E>(use: Effect.Effect<A, E, Drivers | RunStore | EventLog>) =>
  Effect.runPromise(use.pipe(Effect.provide(layers), Effect.provideService(Environment, process.env)))

/** How another call for a target in a worktree ends, while the first one drives `p/app`. */
const beside = (worktree: string, other = target("base/main")) =>
  asking(
    Drivers.use(({ driving }) =>
      driving(target(), at("p/app"), () =>
        Effect.promise(() =>
          asking(Drivers.use(({ driving }) =>
            driving(other, at(worktree), () =>
              Effect.succeed("drives")).pipe(
                Effect.catchTag("AlreadyDriven", Effect.succeed)
              )
          ))
        ))
    )
  )

it("refuses a second driver of the worktree, whatever its target, with the name of the first", async () => {
  for (const other of [target(), target("base/main"), target("plan/p")]) {
    const refused = await beside("p/app", other)
    assert.instanceOf(refused, AlreadyDriven)
    assert.include(String(refused), `process ${process.pid} drives this worktree (uncommitted), since 20`)
  }
})

it("refuses it from another state root too, which does not name the first", async () => {
  const refused = await beside("p/app", target("uncommitted", "other"))
  assert.instanceOf(refused, AlreadyDriven)
  assert.match(String(refused), /^AlreadyDriven: another process drives this worktree/)
})

it.each(["q/app", "linked"])(
  "does not refuse the driver of %s",
  async (worktree) => assert.strictEqual(await beside(worktree, target()), "drives")
)

it("has a lock in the state root where there is no git directory to lock", async () => {
  mkdirSync(at("plain"))
  const both = (other: string) =>
    asking(
      Drivers.use(({ driving }) =>
        driving(target(), at("plain"), () =>
          Effect.promise(() =>
            asking(Effect.exit(Drivers.use(({ driving }) =>
              driving(target("base/main"), at(other), () =>
                Effect.void)
            )))
          ))
      )
    )
  assert.deepStrictEqual([(await both("plain"))._tag, (await both("none"))._tag], ["Failure", "Success"])
})

it("writes nothing into the git directory, and its lock ends with the driver", async () => {
  const held = (): boolean => {
    try {
      execFileSync("flock", ["--nonblock", at("linked/../p/app/.git/worktrees/linked"), "true"])
      return false
    } catch {
      return true
    }
  }
  const names = () => readdirSync(at("p/app/.git"), { recursive: true }).sort()
  const before = names()
  const inside = await asking(
    Drivers.use(({ driving }) => driving(target(), at("linked"), () => Effect.sync(() => [held(), names()])))
  )
  assert.deepStrictEqual([inside, held()], [[true, before], false])
})

it("lets the driver of a plan drive its code, and shows both while it does", async () => {
  const plan = target("plan/p")
  const seen = await asking(
    Drivers.use(({ driving, present }) => {
      const both = Effect.all([present(plan), present(target())])
      return Effect.gen(function*() {
        const [inner, outer] = yield* driving(plan, at("p/app"), () =>
          Effect.gen(function*() {
            const inner = yield* driving(target(), at("p/app"), () => both)
            return [inner, yield* both] as const
          }))
        return [inner, outer, yield* both]
      })
    })
  )
  const { pid } = process
  assert.deepStrictEqual(seen, [[[pid], [pid]], [[pid], []], [[], []]])
})

it("shows the drivers of two clones of one name, and looking writes nothing", async () => {
  const seen = await asking(Drivers.use(({ driving, present }) =>
    Effect.gen(function*() {
      const before = yield* present(target())
      const work = driving(target(), at("q/app"), () => present(target()))
      return [before, readdirSync(base).includes("state"), yield* driving(target(), at("p/app"), () => work)]
    })
  ))
  assert.deepStrictEqual(seen, [[], false, [process.pid, process.pid]])
})
