// Transcripts of half a gigabyte are taken in by their ends: a step's memory does not grow with them.
// Memory alone is measured here, which no other process can slow down; times belong to the benchmark.
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { eventually, it, type World } from "./world.ts"

const argv = ["--uncommitted", "-n", "3", "--ceiling", "low"]

/** Runs a step and returns its peak memory in bytes. */
const measured = async (world: World, args: ReadonlyArray<string>) => {
  const [shim, rss] = [world.path("rss.mjs"), world.path("rss")]
  writeFileSync(
    shim,
    // The kernel's own mark of this program. Of `resourceUsage` the process that started it is a part.
    `import { readFileSync, writeFileSync } from "node:fs"
const most = () => /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]
process.on("exit", () => writeFileSync(${JSON.stringify(rss)}, most()))`
  )
  const ended = await world.start(args, { NODE_OPTIONS: `--import ${shim}` }).ended
  return { ended, most: Number(readFileSync(rss, "utf8")) * 1024 }
}

describe("three transcripts of 500 MB", () => {
  it("are taken in, watched and judged within 150 MB of memory", async ({ world }) => {
    world.scenario("default", `log exec;log /bin/bash -lc 'git diff' in /repo;wait ${world.path("go")};clean`)
    const first = world.start(argv)
    await eventually("three at work", () => world.calls().length === 3)
    first.signal("SIGKILL")
    await first.ended
    const dir = join(world.runDir(), "levels", "level-low", "batch-1")
    const of = (slot: number, kind: string) => join(dir, `low-${slot}.${kind}`)
    await eventually("what they print", () => [1, 2, 3].every((slot) => statSync(of(slot, "log")).size > 0))
    for (const slot of [1, 2, 3]) truncateSync(of(slot, "log"), 500_000_000)
    const inspected = await measured(world, [...argv, "--inspect"])
    assert.strictEqual(inspected.ended.header, "WouldAdvance: AwaitReviews")
    world.release("go")
    await eventually("three ends", () => [1, 2, 3].every((slot) => existsSync(of(slot, "exit"))))
    for (const slot of [1, 2, 3]) assert.isAbove(statSync(of(slot, "log")).size, 500_000_000)
    const taken = await measured(world, argv)
    assert.strictEqual(taken.ended.header, "DoneFixedPoint", taken.ended.stderr)
    for (const { most } of [inspected, taken]) assert.isBelow(most, 150 * 2 ** 20)
  })
})
