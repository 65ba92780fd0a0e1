// Drivers: `converge` killed at any moment, by itself, and beside a second driver and a person who steps and marks.
// What was committed stays, no agent runs again, and one call more comes to a fixed point that is proven.
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { type Ended, useBench, type Way } from "../cli/bench.ts"
import { numbers } from "../cli/random.ts"
import { byHand, drive, type Driven, continues, headerOf, makeDriven } from "./driven.ts"
import { agentsOnce, committed, driverEvents, isProven, keeps, ranIn, toldTruly } from "./holding.ts"

const bench = useBench()

const rounds = Number(process.env["CRASH_ROUNDS"] ?? "90")
const lasting = Number(process.env["CRASH_SECONDS"] ?? "12") * 1000
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)

/** Kills a process after a while; says when it is no longer needed. */
const dying = (after: number | null) => {
  let timer: NodeJS.Timeout | undefined
  const onStart = (child: ChildProcess): void => {
    if (after !== null) timer = setTimeout(() => child.kill("SIGKILL"), after)
  }
  const way: Way = { onStart }
  return { way, over: () => clearTimeout(timer) }
}

const calls = async (on: Driven, after: number | null, call: (way: Way) => Promise<Ended>): Promise<Ended> => {
  const { over, way } = dying(after)
  const before = committed(on)
  const ended = await call(way)
  over()
  const where = `seed ${seed}, ${on.dir}: exit ${ended.exit} ${ended.signal ?? ""}\n${ended.stderr}`
  keeps(on, before, where)
  return ended
}

const driving = async (on: Driven, after: number | null): Promise<Ended> => {
  const ended = await calls(on, after, (way) => drive(bench(), on, [], way))
  toldTruly(on, ended, `seed ${seed}`)
  agentsOnce(on, `seed ${seed}: ${ended.stderr}`)
  return ended
}

describe("a driver killed at any moment", () => {
  it("is followed by one that continues", async () => {
    let deaths = 0
    let runs = 0
    const one = async (chain: number) => {
      const number = numbers(seed * 10 + chain)
      while (deaths < rounds) {
        const on = makeDriven(bench())
        runs++
        for (;;) {
          const ended = await driving(on, deaths < rounds ? 150 + number() * 1500 : null)
          if (ended.signal !== null) deaths++
          if (continues(ended)) continue
          assert.strictEqual(headerOf(ended), "DoneFixedPoint", `seed ${seed}: ${ended.stderr}`)
          await isProven(bench(), on, `seed ${seed}`)
          break
        }
      }
    }
    await Promise.all([0, 1, 2].map(one))
    console.log(`seed ${seed}: ${deaths} deaths in ${runs} runs`)
  }, 900_000)
})

describe("two drivers and a person on one working copy", () => {
  it("lose nothing of each other, and one call more proves the fixed point", async () => {
    const on = makeDriven(bench())
    const until = Date.now() + lasting
    const counts = { deaths: 0, refused: 0, fixed: 0, asked: 0, byHand: 0 }
    const met = () => Math.min(counts.deaths, counts.refused, counts.byHand) > 0
    // A busy machine takes longer until the drivers have met.
    const isLasting = () => Date.now() < until || (!met() && Date.now() < until + 120_000)
    const fix = () => fs.writeFileSync(path.join(on.repo, "a.txt"), "one\ngreen\n")
    const driver = async (which: number) => {
      const number = numbers(seed * 10 + which)
      while (isLasting()) {
        const ended = await driving(on, number() < 0.8 ? 200 + number() * 2500 : null)
        if (ended.signal !== null) counts.deaths++
        else if (/^BinaryError: process \d+ drives this worktree \(/.test(headerOf(ended))) {
          counts.refused++
          await pause(200)
        } else if (ended.exit === 0) {
          counts.fixed++
          fs.writeFileSync(path.join(on.repo, "a.txt"), "one\nbug\n")
        } else if (ended.exit === 3) {
          counts.asked++
          fix()
        } else assert.isTrue(continues(ended), `seed ${seed}: ${ended.stderr}`)
      }
    }
    const person = async () => {
      const number = numbers(seed * 10 + 9)
      const acts = [
        [],
        ["--mark-address-passed"],
        ["--mark-address-failed", "by hand"],
        ["--mark-retro-clean"],
        ["--mark-retro-changes", "a pattern"]
      ]
      while (isLasting()) {
        await pause(number() * 1500)
        const ended = await calls(
          on,
          number() < 0.3 ? number() * 1000 : null,
          (way) => byHand(bench(), on, acts[Math.floor(number() * acts.length)] ?? [], way)
        )
        if (ended.signal === null) counts.byHand++
      }
    }
    await Promise.all([driver(0), driver(1), person()])
    let last = await driving(on, null)
    for (let more = 0; more < 3 && (last.exit === 3 || continues(last)); more++) {
      if (last.exit === 3) fix()
      last = await driving(on, null)
    }
    assert.strictEqual(headerOf(last), "DoneFixedPoint", `seed ${seed}: ${last.stderr}`)
    await isProven(bench(), on, `seed ${seed}`)
    assert.isTrue(met(), JSON.stringify(counts))
    console.log(`seed ${seed}: ${JSON.stringify(counts)}`)
  }, 300_000)
})

const ending = { alone: "kill -9 $$", "with its guard": "kill -9 $PPID $$" } as const
const killed = Object.entries(ending).flatMap(([how, kill]) =>
  (["agent", "test"] as const).map((who) => ({ how, kill, who }))
)

describe.concurrent.each(killed)("an $who killed $how while its driver lives", ({ kill, who }) => {
  it("is followed by another one", async () => {
    const on = makeDriven(bench())
    fs.writeFileSync(path.join(on.dir, `kills-${who}`), `rm "$CRASH_PLACE/kills-${who}"; ${kill}\n`)
    const ended = await drive(bench(), on)
    assert.strictEqual(headerOf(ended), "DoneFixedPoint", ended.stderr)
    agentsOnce(on, ended.stderr, 2)
    const twice = ranIn(on).filter(({ ran }) => ran.length > 1).map(({ task }) => task)
    assert.deepStrictEqual(twice, who === "agent" ? ["round-1/address"] : [])
    if (who === "test") {
      const failed = driverEvents(on).filter(({ _tag, exit }) => _tag === "TestFinished" && exit !== 0)
      assert.isAtLeast(failed.length, 2)
    }
    await isProven(bench(), on, who)
  }, 120_000)
})
