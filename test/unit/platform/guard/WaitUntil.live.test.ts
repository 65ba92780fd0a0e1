// Waiting for the machine: at once when it holds, for as long as it was said, whatever the time of day does.
import { Clock, Duration, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { waitUntil } from "../../../../src/platform/guard/Stop.ts"

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
  ["stands still", () => () => 0],
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
