// Guard: a guarded command from start to end: its files, its status, its surroundings, and who hears of its end.
// Conditions are waited for, never slept for, and no test leaves a process behind.
import { Effect, Fiber } from "effect"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import { listen, makeGuard } from "../../../../src/platform/guard/Guard.ts"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { type Bench, eventually, exited, fault, marked, sh, talking, withBench } from "./guarded.ts"

// A process, or one of its descriptors, may be gone between the listing and the look.
const openFiles = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

describe("a command", () => {
  it("leaves both streams, their sum and its status, for no one but the user", () =>
    withBench(async (bench) => {
      const order = bench.order("echo said; echo warn >&2; echo more")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      const { exit, log, out } = order.files
      assert.strictEqual(bench.read(out), "said\nmore\n")
      assert.strictEqual(bench.read(log), "warn\nsaid\nmore\n")
      assert.strictEqual(bench.read(exit), "0\n")
      for (const file of readdirSync(bench.dir)) {
        assert.strictEqual(statSync(`${bench.dir}/${file}`).mode & 0o777, 0o600)
      }
      assert.strictEqual(statSync(bench.dir).mode & 0o777, 0o700)
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it.each([["exit 7", 7], ["kill -s TERM $$", 143], ["kill -s KILL $$", 137], ["kill -s XFSZ $$", 153]])(
    "that ends with %s has status %i",
    (script, status) =>
      withBench(async (bench) => {
        const order = bench.order(script)
        await bench.launch(order)
        assert.deepStrictEqual(await bench.ended(order), exited(status))
        assert.isTrue(existsSync(order.files.exit))
      })
  )

  it("has its standard output appended on a line of its own", () =>
    withBench(async (bench) => {
      const order = bench.order("printf 'no end of line' >&2; printf answer")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.strictEqual(bench.read(order.files.log), "no end of line\nanswer")
      assert.strictEqual(bench.read(order.files.out), "answer")
    }))

  it("that prints nothing leaves empty files", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.deepStrictEqual([bench.read(order.files.log), bench.read(order.files.out)], ["", ""])
    }))

  it("runs in its directory and environment, without standard input or foreign descriptors", () =>
    withBench(async (bench) => {
      const environment = { PATH: process.env["PATH"], ONLY: "this", UNSET: undefined }
      const order = bench.order(sh.mark(bench.path("pid")) + sh.waitFor(bench.path("go")), { environment })
      await bench.launch(order)
      const mark = bench.path("pid")
      const pid = await eventually("the command at work", () => existsSync(mark) && bench.read(mark).trim())
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      assert.include(variables, "ONLY=this")
      assert.include(variables, `OODA_ATTEMPT=${order.id}`)
      assert.isUndefined(variables.find((one) => one.startsWith("HOME=") || one.startsWith("UNSET=")))
      assert.strictEqual(readlinkSync(`/proc/${pid}/cwd`), bench.work)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/0`), "/dev/null")
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/1`), order.files.out)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/2`), order.files.log)
      // The lock lives exactly as long as the wrapper: nothing else may hold its file open.
      const { group, wrapper } = await bench.begun(order)
      const holders = await eventually("every process of the job past its start", () => {
        const open = marked(order.id).map((one) => ({ pid: one, files: openFiles(one) }))
          .filter(({ files }) => files.includes(order.files.lock))
        return open.length === 1 && open
      })
      assert.deepStrictEqual(holders.map((one) => one.pid), [wrapper.pid])
      assert.strictEqual(group.pgid, Number(pid))
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(order), exited(0))
    }))

  it("reads a file as its standard input, whole and to its end", () =>
    withBench(async (bench) => {
      const text = `first line\n${"x".repeat(200_000)}\nno newline at the end`
      writeFileSync(bench.path("a prompt's file"), text)
      const order = bench.order("cat; echo; readlink /proc/self/fd/0 >&2", { input: bench.path("a prompt's file") })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.strictEqual(bench.read(order.files.out), `${text}\n`)
      assert.isTrue(bench.read(order.files.log).startsWith(`${bench.path("a prompt's file")}\n`))
    }))

  it("that cannot be run ends with the reason in its log", () =>
    withBench(async (bench) => {
      const order = bench.order("", { command: [bench.path("missing")] })
      await bench.launch(order)
      const sighting = await bench.ended(order)
      assert.include([126, 127], sighting._tag === "Exited" ? sighting.status : null)
      assert.include(bench.read(order.files.log), "missing")
    }))

  it("is looked at and ended by guards that did not start it", () =>
    withBench(async (bench) => {
      const [one, two] = [bench.order(sh.forever, {}, "a"), bench.order(sh.waitFor(bench.path("go")), {}, "b")]
      await bench.launch(one, two)
      await Promise.all([bench.begun(one), bench.begun(two)])
      bench.later()
      assert.deepStrictEqual((await bench.look(one, two)).map(({ _tag }) => _tag), ["Alive", "Alive"])
      await bench.stop(one)
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual([await bench.ended(one), await bench.ended(two)], [exited(143), exited(0)])
    }))
})

describe("what goes wrong", () => {
  it("while jobs are looked at is called as the caller calls it", () =>
    withBench(async (bench) => {
      const job = bench.job()
      const files = { ...job.files, journal: `${bench.work}/\0` }
      const guard = makeGuard(talking)
      const looking = Effect.runPromise(guard.look([{ ...job, files }], "looking at agents", { acting: true }))
      assert.match(await fault(looking), /^looking at agents: .*null bytes/)
    }))
})

describe("listening", () => {
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

  describe("a listener", () => {
    it("hears the end of a command once its exit file exists, and of the next command in the same place", () =>
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
})

describe("at scale", () => {
  const sixtyFour = (bench: Bench, script: string) =>
    Array.from({ length: 64 }, (_, i) => bench.order(sh.mark(bench.path("pids")) + script, {}, `p${i}`))

  const allAtWork = (bench: Bench) =>
    eventually(
      "all at work",
      () => existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 64
    )

  describe("sixty-four commands", () => {
    it(
      "run side by side, are looked at together, and end each with its status",
      { tags: "slow" },
      () =>
        withBench(async (bench) => {
          const orders = sixtyFour(
            bench,
            `while [ ! -e ${bench.path("go")} ]; do sleep 0.3; done; echo warn >&2; echo said`
          )
          await bench.launch(...orders)
          await allAtWork(bench)
          for (const order of orders) await bench.begun(order)
          assert.isTrue((await bench.look(...orders)).every(({ _tag }) => _tag === "Alive"))
          writeFileSync(bench.path("go"), "")
          for (const order of orders) {
            assert.deepStrictEqual(await bench.ended(order), exited(0))
            assert.strictEqual(bench.read(order.files.log), "warn\nsaid\n")
          }
          await eventually("nothing left", () => orders.every(({ id }) => marked(id).length === 0))
        })
    )

    it("are stopped together, with all they started", { tags: "slow" }, () =>
      withBench(async (bench) => {
        const orders = sixtyFour(bench, sh.children(1) + sh.forever)
        await bench.launch(...orders)
        await allAtWork(bench)
        await bench.stop(...orders)
        for (const { id } of orders) assert.deepStrictEqual(marked(id), [])
        assert.isTrue((await bench.look(...orders)).every(({ _tag }) => _tag === "Exited"))
      }))
  })
})
