// Stop: nothing of a job that is ended survives, wherever it went, and waiting for the machine has a bound.
// Survivors are counted by the mark in their environment, over all of /proc.
import { Clock, Duration, Effect } from "effect"
import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import { processAt } from "../../../../src/platform/Processes.ts"
import { readJournal } from "../../../../src/platform/guard/Journal.ts"
import { stopAll, waitUntil } from "../../../../src/platform/guard/Stop.ts"
import { eventually, exited, fault, living, marked, sh, unstarted, withBench } from "./guarded.ts"

/** Part of a shell script, without apostrophes. */
const orphan = (pid: string) => `exec </dev/null >/dev/null 2>&1; echo $$ >${pid}; sleep 3600; :`

const everything = sh.children(2) + sh.stubborn

describe.concurrent("a stop", () => {
  it("ends the whole tree, in its group and in other sessions", () =>
    withBench(async (bench) => {
      const script = everything + sh.mark(bench.path("pids")) + sh.forever
      const orders = ["a", "b", "c"].map((place) => bench.order(script, {}, place))
      await bench.launch(...orders)
      await eventually("three at work", () =>
        existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 3)
      for (const { id } of orders) {
        await eventually("all its children", () =>
          marked(id).length >= 7)
      }
      await bench.stop(...orders)
      for (const { id } of orders) assert.deepStrictEqual(marked(id), [])
      for (const order of orders) {
        assert.deepStrictEqual(await bench.lookOnce(order), exited(143))
        const journal = readJournal(order.files.journal)
        assert.deepStrictEqual(journal._tag === "Started" ? journal.struck : null, ["stopped"])
      }
    }))

  it("ends what ignores SIGTERM after a grace", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.ignoreTerm + everything + sh.mark(bench.path("pid")) + sh.forever)
      await bench.launch(order)
      await eventually("the command at work", () => existsSync(bench.path("pid")))
      await bench.stop(order)
      assert.deepStrictEqual(marked(order.id), [])
      assert.deepStrictEqual(await bench.lookOnce(order), exited(137))
    }))

  it("reaches children that dropped their environment", () =>
    withBench(async (bench) => {
      const pid = bench.path("pid")
      const child = `setsid env -i /bin/sh -c 'echo $$ >${pid}; trap "" TERM; sleep 3600; :'`
      const order = bench.order(`${child} & wait; :`)
      await bench.launch(order)
      const unmarked = Number(await eventually("the child", () => existsSync(pid) && bench.read(pid).trim()))
      assert.notInclude(marked(order.id), unmarked)
      await bench.stop(order)
      assert.isFalse(living(unmarked))
    }))

  it("reaches an orphan without variables and open files, in a session of its own", () =>
    withBench(async (bench) => {
      const pid = bench.path("pid")
      const order = bench.order(`( env -i setsid sh -c '${orphan(pid)}' & ); ${sh.forever}`)
      await bench.launch(order)
      const child = Number(await eventually("the child", () => existsSync(pid) && bench.read(pid).trim()))
      await eventually("an orphan", () => {
        const known = marked(order.id)
        return !known.includes(child) && !known.includes(processAt(child, process.env)?.parent ?? 0)
      })
      assert.isAbove(await bench.stop({ ...order, id: "" }), 0)
      assert.isFalse(living(child))
    }))

  it("keeps a job that has not begun from ever beginning", () =>
    withBench(async (bench) => {
      const job = bench.job()
      await bench.stop(job)
      assert.deepStrictEqual(await bench.lookOnce(job), unstarted)
      assert.strictEqual(bench.read(job.files.journal), `fenced ${job.id}\n`)
    }))

  it(
    "right after the start, at any moment, leaves nothing and never hangs",
    { tags: "slow" },
    () =>
      withBench(async (bench) => {
        for (let turns = 3; turns <= 36; turns += 3) {
          const order = bench.order(sh.children(1) + sh.forever, {}, `p${turns}`)
          await bench.launch(order)
          for (let turn = 0; turn < turns; turn += 1) await bench.lookOnce(order)
          await bench.stop(order)
          assert.deepStrictEqual(marked(order.id), [])
          assert.include(["Exited", "Unstarted"], (await bench.lookOnce(order))._tag)
        }
      })
  )

  it("of what has ended, twice, or known by its files alone, does nothing", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      await bench.launch(order)
      const sighting = await bench.ended(order)
      await bench.stop({ ...order, id: "" })
      await bench.stop(order, order)
      assert.deepStrictEqual(await bench.lookOnce(order), sighting)
    }))

  it(
    "says so when somebody unseen holds the lock, and calls it as the caller does",
    { tags: "slow" },
    () =>
      withBench(async (bench) => {
        const order = bench.order("")
        await bench.launch(order)
        await bench.ended(order)
        const fd = openSync(order.files.lock, "a")
        try {
          await eventually("the lock", () => flockDescriptors([fd], "exclusive", process.env))
          assert.strictEqual(
            await fault(Effect.runPromise(stopAll([order], "stopping 1 agent"))),
            "stopping 1 agent: a process that cannot be seen from here still holds its lock; end it where it runs"
          )
        } finally {
          closeSync(fd)
        }
      })
  )

  it("leaves other processes of this user alone", () =>
    withBench(async (bench) => {
      const bystander = spawn("sleep", ["3600"], { stdio: "ignore" })
      try {
        const order = bench.order(sh.forever)
        await bench.launch(order)
        await bench.begun(order)
        await bench.stop(order)
        assert.isTrue(living(bystander.pid ?? 0))
      } finally {
        bystander.kill("SIGKILL")
      }
    }))
})

/** A clock whose time of day goes where it likes, and whose timers end in their order without taking time. */
const clockOf = (timeOfDay: () => number) => {
  const slept: Array<number> = []
  const asleep = new Map<() => void, number>()
  let passed = 0
  let turn: NodeJS.Timeout | undefined
  const wakeFirst = () => {
    const [first] = [...asleep].sort(([, a], [, b]) => a - b)
    if (first === undefined) return
    const [wake, due] = first
    passed = due
    asleep.delete(wake)
    wake()
  }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: timeOfDay,
    currentTimeMillis: Effect.sync(timeOfDay),
    currentTimeNanosUnsafe: () => BigInt(timeOfDay()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(timeOfDay()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const wake = () => resume(Effect.void)
        slept.push(Duration.toMillis(duration))
        asleep.set(wake, passed + Duration.toMillis(duration))
        // Once all that runs has gone to sleep.
        clearTimeout(turn)
        turn = setTimeout(wakeFirst, 2)
        return Effect.sync(() => asleep.delete(wake))
      })
  }
  return { clock, slept }
}

const day = 86_400_000

const timesOfDay: ReadonlyArray<readonly [string, () => () => number]> = [
  ["stops", () => () => 0],
  ["goes back with every look", () => {
    let now = 1e12
    return () => now -= day
  }],
  ["leaps ahead with every look", () => {
    let now = 0
    return () => now += day
  }]
]

describe("waiting", () => {
  it("is over at once when the condition holds", async () => {
    const { clock, slept } = clockOf(() => 0)
    const held = waitUntil("waiting", 2000, () => true).pipe(Effect.provideService(Clock.Clock, clock))
    assert.isTrue(await Effect.runPromise(held))
    assert.deepStrictEqual(slept, [])
  })

  it.each(timesOfDay)("lasts as long as was said when the time of day %s", async (_, timeOfDay) => {
    const { clock, slept } = clockOf(timeOfDay())
    const held = waitUntil("waiting", 2000, () => false).pipe(Effect.provideService(Clock.Clock, clock))
    assert.isFalse(await Effect.runPromise(held))
    const pauses = slept.filter((pause) => pause !== 2000)
    assert.include(slept, 2000)
    assert.deepStrictEqual([...new Set(pauses)], [20, 40, 80, 100])
    // The last pause is the one that the limit cut short.
    const whole = pauses.slice(0, -1).reduce((sum, pause) => sum + pause, 0)
    assert.isTrue(whole < 2000 && whole + 100 >= 2000, String(whole))
  })

  it.each(timesOfDay)("sees the condition come true when the time of day %s", async (_, timeOfDay) => {
    const { clock } = clockOf(timeOfDay())
    let looks = 0
    const held = waitUntil("waiting", 2000, () => ++looks === 4).pipe(Effect.provideService(Clock.Clock, clock))
    assert.isTrue(await Effect.runPromise(held))
    assert.strictEqual(looks, 4)
  })

  it("looks once more when the time has passed", async () => {
    const { clock } = clockOf(() => 0)
    // Its pauses never end, as when the machine was held for longer than the limit.
    const sleep = (time: Duration.Duration) => Duration.toMillis(time) === 50 ? Effect.yieldNow : Effect.never
    const held = { ...clock, sleep }
    let looks = 0
    const waited = waitUntil("waiting", 50, () => ++looks === 2).pipe(Effect.provideService(Clock.Clock, held))
    assert.isTrue(await Effect.runPromise(waited))
  })

  it("fails with what the look throws", async () => {
    const fault = await Effect.runPromise(Effect.flip(waitUntil("waiting", 2000, () => {
      throw new Error("broken")
    })))
    assert.strictEqual(fault.message, "waiting: broken")
  })

  it("ends where it cannot be interrupted, too", async () =>
    assert.isFalse(await Effect.runPromise(Effect.uninterruptible(waitUntil("waiting", 50, () => false)))))
})
