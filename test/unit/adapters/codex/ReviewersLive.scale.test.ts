// Sixty-four reviewers at once: all start, all are seen, all end, and looking at them costs next to nothing.
// The one rule: bounds are generous for a loaded machine; the exact figures belong to the benchmark.
import { existsSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { eventually, exited, marked, withBench } from "./bench.ts"

describe("sixty-four reviewers", () => {
  it("run side by side, are looked at cheaply, and end each with its status", () => withBench(async (bench) => {
    const attempts = Array.from({ length: 64 }, (_, index) => bench.attempt(index + 1))
    const go = bench.path("go")
    await bench.launch(attempts, `mark ${bench.path("pids")};wait ${go};issues 1`)
    await eventually("all at work", () =>
      existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 64)
    for (const attempt of attempts) await bench.begun(attempt)
    assert.isTrue((await bench.look(...attempts)).every(({ _tag }) => _tag === "Alive"))
    const used = process.cpuUsage()
    for (let turn = 0; turn < 20; turn += 1) await bench.look(...attempts)
    const { system, user } = process.cpuUsage(used)
    // Ten looks a second then take less than a third of one processor, at worst.
    assert.isBelow((system + user) / 1000 / 20, 30)
    writeFileSync(go, "")
    for (const attempt of attempts) {
      assert.deepStrictEqual(await bench.ended(attempt), exited(0))
      assert.isTrue(bench.read(attempt.files.log).endsWith(bench.read(attempt.files.out)))
    }
    await eventually("nothing left", () => attempts.every(({ id }) => marked(id).length === 0))
  }))

  it("are stopped together, with all they started", () => withBench(async (bench) => {
    const attempts = Array.from({ length: 64 }, (_, index) => bench.attempt(index + 1))
    await bench.launch(attempts, `children 1;mark ${bench.path("pids")};wait never`)
    await eventually("all at work", () =>
      existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 64)
    await bench.stop(...attempts)
    for (const { id } of attempts) assert.deepStrictEqual(marked(id), [])
    assert.isTrue((await bench.look(...attempts)).every(({ _tag }) => _tag === "Exited"))
  }))
})
