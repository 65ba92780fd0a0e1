// Calls of a driver: `converge` killed before every call of a whole driven run that changes the disk, one by one.
// Each death is at another place, and the next driver continues from there, to the same fixed point.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { useBench } from "../cli/bench.ts"
import { oneIn, tried } from "../tried.ts"
import { drive, continues, headerOf, killing, makeDriven } from "./driven.ts"
import { agentsOnce, committed, isProven, keeps, toldTruly } from "./holding.ts"

const bench = useBench()

// One working copy each, and how its drivers die there: before a call, or in the midst of what they write.
const ways = ["kill", "half", "kill"] as const
const shares = ways.length

describe("a driver killed at every file call", () => {
  it("is followed by one that continues", async () => {
    const seen = path.join(bench().root, "seen")
    fs.writeFileSync(seen, "")
    const whole = async () => {
      const on = makeDriven(bench())
      const log = path.join(bench().root, "list")
      const ended = await drive(bench(), on, [], killing(on, seen, { CRASH_SHARE: "1/1", CRASH_LOG: log }))
      assert.strictEqual(headerOf(ended), "DoneFixedPoint", ended.stderr)
      await isProven(bench(), on, "undisturbed")
      const lines = fs.readFileSync(log, "utf8").split("\n").slice(0, -1)
      return [...new Set(lines.map((line) => line.split("\t")[3] ?? ""))].filter((place) => place !== "")
    }
    const places = tried(await whole())
    const only = path.join(bench().root, "only")
    fs.writeFileSync(only, places.join("\n"))
    let deaths = 0
    const share = async (number: number) => {
      const on = makeDriven(bench())
      for (let before = committed(on);;) {
        const dies = { CRASH_SHARE: `${number}/${shares}`, CRASH_ONLY: only, CRASH_HOW: ways[number] }
        const ended = await drive(bench(), on, [], killing(on, seen, dies))
        const where = `after ${fs.readFileSync(seen, "utf8").split("\n").at(-2)}\n${ended.stderr}`
        before = keeps(on, before, where)
        toldTruly(on, ended, where)
        agentsOnce(on, where)
        if (ended.signal !== null) deaths++
        if (continues(ended)) continue
        assert.strictEqual(headerOf(ended), "DoneFixedPoint", where)
        return isProven(bench(), on, where)
      }
    }
    await Promise.all(ways.map((_, i) => share(i)))
    const died = new Set(fs.readFileSync(seen, "utf8").split("\n"))
    // Whoever takes over comes to some places by another way, and dies under another name there.
    const missed = places.filter((place) => !died.has(place))
    assert.isBelow(missed.length, places.length / 8 + 2 * (oneIn - 1), missed.join("\n"))
    console.log(
      `${deaths} deaths, at ${places.length - missed.length} of ${places.length} places of an undisturbed run`
    )
  }, 900_000)
})
