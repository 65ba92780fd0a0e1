// Sixty-four commands at once: all start, all are seen, all end, and looking at them costs next to nothing.
// The one rule: bounds are generous for a loaded machine; the exact figures belong to the benchmark.
import { existsSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type Bench, eventually, exited, marked, sh, withBench } from "./guarded.ts"

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
          `while [ ! -e ${bench.path("go")} ]; do sleep 0.3; done; echo told >&2; echo said`
        )
        await bench.launch(...orders)
        await allAtWork(bench)
        for (const order of orders) await bench.begun(order)
        assert.isTrue((await bench.look(...orders)).every(({ _tag }) => _tag === "Alive"))
        writeFileSync(bench.path("go"), "")
        for (const order of orders) {
          assert.deepStrictEqual(await bench.ended(order), exited(0))
          assert.strictEqual(bench.read(order.files.log), "told\nsaid\n")
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
