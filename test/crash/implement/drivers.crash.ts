// Drivers: `implement` killed where it accepts, marks and writes the plan, at any moment, and beside a second driver.
// What was committed stays, no agent runs again, the plan's file is whole, and each task is done once.
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { type Ended, useBench, type Way } from "../cli/bench.ts"
import { numbers } from "../cli/random.ts"
import { type Driven, headerOf, killing } from "../converge/driven.ts"
import { agentsOnce, committed, keeps, ranIn, toldTruly } from "../converge/holding.ts"
import { isDone, makeWorking, planIsWhole, work } from "./working.ts"

const bench = useBench()

const rounds = Number(process.env["CRASH_ROUNDS"] ?? "12")
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)

const working = async (on: Driven, way: Way = {}): Promise<Ended> => {
  const before = committed(on)
  const ended = await work(bench(), on, way)
  const where = `seed ${seed}, ${on.dir}: exit ${ended.exit} ${ended.signal ?? ""}\n${ended.stderr}`
  keeps(on, before, where)
  toldTruly(on, ended, where)
  agentsOnce(on, where)
  planIsWhole(on, where)
  return ended
}

/** One call that is killed after so many milliseconds; null lets it live. */
const dying = async (on: Driven, after: number | null): Promise<Ended> => {
  let timer: NodeJS.Timeout | undefined
  const onStart = (child: ChildProcess): void => {
    if (after !== null) timer = setTimeout(() => child.kill("SIGKILL"), after)
  }
  const ended = await working(on, { onStart })
  clearTimeout(timer)
  return ended
}

// What changes the disk between a review and the next cycle: the plan's file among it.
const places = "^(CodeReviewed|CycleAccepted|TasksMarked) (?!.*scratch)"

describe("a driver of a plan", () => {
  it("killed at every call by which it accepts and marks is followed by another one", async () => {
    const seen = path.join(bench().root, "seen-plan")
    fs.writeFileSync(seen, "")
    const on = makeWorking(bench())
    for (let deaths = 0;; deaths++) {
      const ended = await working(on, killing(on, seen, { CRASH_PLACES: places, CRASH_HOW: "half" }))
      if (ended.signal !== null) continue
      assert.strictEqual(headerOf(ended), "DoneAccepted", ended.stderr)
      await isDone(bench(), on, "at every call")
      const died = fs.readFileSync(seen, "utf8").split("\n")
      assert.isTrue(died.some((place) => place.includes("plan.md")), "the plan was written")
      console.log(`${deaths} deaths`)
      return
    }
  }, 300_000)

  it("killed at any moment is followed by another one", async () => {
    const number = numbers(seed)
    const on = makeWorking(bench())
    for (let deaths = 0;;) {
      const ended = await dying(on, deaths < rounds ? 300 + number() * 1500 : null)
      if (ended.signal !== null) {
        deaths++
        continue
      }
      assert.strictEqual(headerOf(ended), "DoneAccepted", `seed ${seed}: ${ended.stderr}`)
      return isDone(bench(), on, `seed ${seed}, ${deaths} deaths`)
    }
  }, 300_000)

  it("keeps a second one away, and the one that is left continues", async () => {
    const on = makeWorking(bench())
    const number = numbers(seed * 10 + 1)
    let [calls, done, refused] = [0, 0, 0]
    const driver = async () => {
      while (done === 0) {
        const ended = await dying(on, calls++ < 8 ? 500 + number() * 2500 : null)
        if (ended.signal !== null) continue
        if (headerOf(ended) === "DoneAccepted") done++
        else {
          assert.match(headerOf(ended), /^BinaryError: process \d+ drives this worktree \(/, `seed ${seed}`)
          refused++
          await pause(1000)
        }
      }
    }
    await Promise.all([driver(), driver()])
    await isDone(bench(), on, `seed ${seed}`)
    assert.isAbove(refused, 0)
  }, 300_000)

  it.each(["agent", "test"])("continues where its %s was killed", async (who) => {
    const on = makeWorking(bench())
    fs.writeFileSync(path.join(on.dir, `kills-${who}`), `rm "$CRASH_PLACE/kills-${who}"; kill -9 $PPID $$\n`)
    const ended = await work(bench(), on)
    assert.strictEqual(headerOf(ended), "DoneAccepted", ended.stderr)
    agentsOnce(on, ended.stderr, 2)
    const twice = ranIn(on).filter(({ ran }) => ran.length > 1).map(({ task }) => task)
    assert.deepStrictEqual(twice, who === "agent" ? ["cycle-1/implement"] : [])
    await isDone(bench(), on, who)
  }, 120_000)
})
