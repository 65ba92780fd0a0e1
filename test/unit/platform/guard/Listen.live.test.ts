// Listening for the ends of commands, with real wrappers, files and watches.
// The one rule: no wait here has a limit that matters, so that a wait that hears nothing fails the test by its time.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { listen } from "../../../../src/platform/guard/Guard.ts"
import { eventually, exited, sh, withBench } from "./guarded.ts"

const forever = 1_000_000

/** How many directories and files this process watches. */
const watches = (): number =>
  readdirSync("/proc/self/fdinfo").flatMap((fd) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`, "latin1").split("\n")
    } catch {
      return []
    }
  }).filter((line) => line.startsWith("inotify wd:")).length

/** Listens to the directory of an order while something happens, which gets the wait. */
const listening = (
  order: Order,
  use: (wait: (limit?: number, exits?: ReadonlyArray<string>) => Promise<void>) => Promise<void>
): Promise<void> =>
  Effect.runPromise(Effect.scoped(
    Effect.flatMap(
      listen(dirname(order.wake)),
      (ear) => Effect.promise(() => use((limit = forever, exits = []) => Effect.runPromise(ear(exits, limit))))
    )
  ))

describe("whoever listens", () => {
  it("hears the end of a command once its exit file is there, also of the next one in its place", () =>
    withBench(async (bench) => {
      const [first, second] = [bench.order(sh.waitFor(bench.path("go"))), bench.order("exit 3", {}, "a", 2)]
      await bench.launch(first)
      await listening(first, async (wait) => {
        const woken = wait()
        writeFileSync(bench.path("go"), "")
        await woken
        assert.deepStrictEqual(await bench.lookOnce(first), exited(0))
        await bench.launch({
          ...second,
          earlier: [{ ...first, moves: [{ from: first.files.exit, to: bench.path("x") }] }]
        })
        await wait()
        assert.deepStrictEqual(await bench.lookOnce(second), exited(3))
      })
    }))

  it("hears what has happened since the wait before", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      mkdirSync(dirname(order.wake), { recursive: true })
      await listening(order, async (wait) => {
        for (let round = 0; round < 3; round += 1) {
          writeFileSync(order.wake, "")
          await wait()
        }
      })
    }))

  it("waits no longer than the limit", () =>
    withBench(async (bench) => {
      await listening(bench.order(""), (wait) => wait(20))
    }))

  it("finds an exit file by itself where nothing can be watched", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      mkdirSync(bench.dir, { recursive: true })
      await listening(order, async (wait) => {
        const woken = wait(forever, [order.files.exit])
        writeFileSync(order.files.exit, "0\n")
        await woken
      })
    }))

  it("watches nothing and asks for nothing any more once its scope ends", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      mkdirSync(dirname(order.wake), { recursive: true })
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
      const busy = () => watches() + timers()
      const before = busy()
      const listening = Effect.scoped(Effect.flatMap(listen(dirname(order.wake)), (ear) => ear([], forever)))
      const fiber = Effect.runFork(listening)
      assert.isAtLeast(busy(), before + 2)
      await Effect.runPromise(Fiber.interrupt(fiber))
      await eventually("the end of the watch", () => busy() <= before)
    }))
})

describe("a wrapper", () => {
  it("that cannot touch its wake file still leaves its exit file", () =>
    withBench(async (bench) => {
      const order = bench.order("exit 5")
      mkdirSync(dirname(order.wake), { recursive: true })
      mkdirSync(order.wake)
      chmodSync(order.wake, 0o500)
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(5))
    }))
})
