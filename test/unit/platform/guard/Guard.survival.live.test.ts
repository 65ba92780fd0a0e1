// Commands outlive the process that started them, whatever ends it.
// The starter is a real process in a group of its own, and the signal goes to the whole group.
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { eventually, exited, kill, living, marked, sh, withBench } from "./guarded.ts"

const directory = mkdtempSync(join(tmpdir(), "ooda-parent-"))
const program = join(directory, "jobParent.mjs")

beforeAll(() =>
  build({
    input: fileURLToPath(new URL("./jobParent.ts", import.meta.url)),
    platform: "node",
    output: { file: program, format: "esm" }
  })
)
afterAll(() => rmSync(directory, { recursive: true }))

/** Starts a starter; `started` says whether it has got as far as to have spawned everything. */
const starter = (orders: ReadonlyArray<Order>) => {
  let said = ""
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(orders)], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  child.stdout?.on("data", (part: Buffer) => (said += part.toString()))
  const pid = child.pid ?? assert.fail("the starter did not start")
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const end = async (signal: NodeJS.Signals) => {
    if (living(pid)) kill(-pid, signal)
    await ended
  }
  return { started: () => said === "started\n", end }
}

describe("commands", () => {
  it("that end while their directory is away have ended once it is back, with all that they printed", () =>
    withBench(async (bench) => {
      const order = bench.order(`echo to stderr >&2; ${sh.waitFor(bench.path("go"))} echo done; exit 3`)
      await bench.launch(order)
      const { wrapper } = await bench.begun(order)
      await eventually("its work", () => existsSync(order.files.log) && readFileSync(order.files.log, "utf8") !== "")
      const away = `${bench.dir}-away`
      renameSync(bench.dir, away)
      writeFileSync(bench.path("go"), "")
      await eventually("the end of its wrapper", () => !living(wrapper.pid))
      renameSync(away, bench.dir)
      assert.deepStrictEqual(await bench.ended(order), exited(3))
      assert.strictEqual(readFileSync(order.files.out, "utf8"), "done\n")
      assert.strictEqual(readFileSync(order.files.log, "utf8"), "to stderr\ndone\n")
    }))

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "live on when %s ends their starter's group",
    (signal) =>
      withBench(async (bench) => {
        const script = `${sh.mark(bench.path("pids"))}${sh.waitFor(bench.path("go"))} echo done`
        const orders = [bench.order(script, {}, "a"), bench.order(script, {}, "b")]
        const { end, started } = starter(orders)
        await eventually("the starter's word", started)
        await end(signal)
        for (const order of orders) {
          const { group, wrapper } = await bench.begun(order)
          assert.isTrue(living(wrapper.pid))
          assert.isTrue(living(group.pgid))
          assert.strictEqual((await bench.lookOnce(order))._tag, "Alive")
        }
        await eventually("both at work", () => existsSync(bench.path("pids")))
        writeFileSync(bench.path("go"), "")
        for (const order of orders) {
          assert.deepStrictEqual(await bench.ended(order), exited(0))
        }
        assert.lengthOf(bench.read(bench.path("pids")).trim().split("\n"), 2)
      })
  )

  it("that are tied end with their starter, and only they", { tags: "slow" }, () =>
    withBench(async (bench) => {
      const script = `${sh.mark(bench.path("pids"))}${sh.stubborn}${sh.ignoreTerm}${sh.forever}`
      const [tied, orphan] = [bench.order(script, { tied: true }, "a"), bench.order(script, { tied: true }, "c")]
      const free = bench.order(script, {}, "b")
      const { end, started } = starter([tied, free, orphan])
      await eventually("the starter's word", started)
      await eventually("all at work", () =>
        existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 3)
      assert.strictEqual((await bench.lookOnce(tied))._tag, "Alive")
      kill((await bench.begun(orphan)).wrapper.pid)
      await end("SIGKILL")
      await eventually("nothing left of one without a wrapper", () =>
        marked(orphan.id).length === 0)
      assert.deepStrictEqual(await bench.ended(tied), exited(137))
      await eventually("nothing left", () => marked(tied.id).length === 0)
      assert.strictEqual((await bench.lookOnce(free))._tag, "Alive")
    }))

  it("that are tied end as they do while their starter lives", { tags: "slow" }, () =>
    withBench(async (bench) => {
      const order = bench.order("echo done; exit 3", { tied: true })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(3))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it(
    "of a starter that is killed while it starts them run once or never",
    { tags: "slow" },
    () =>
      withBench(async (bench) => {
        const round = async (number: number): Promise<ReadonlyArray<string>> => {
          const pids = bench.path(`pids-${number}`)
          const orders = Array.from({ length: 12 }, (_, i) => bench.order(sh.mark(pids), {}, `p${number}-${i}`))
          const { end } = starter(orders)
          // Killed at once, when its first lock is there, when its last lock is there, then at ever more journals.
          const last = orders[number < 2 ? 0 : number === 2 ? 11 : (number - 3) * 2] ?? assert.fail("no job")
          if (number > 0) {
            await eventually("a part of the start", () => existsSync(number < 3 ? last.files.lock : last.files.journal))
          }
          await end("SIGKILL")
          const ends = await Promise.all(orders.map((order) => bench.ended(order)))
          assert.isEmpty(ends.filter(({ _tag }) => _tag !== "Exited" && _tag !== "Unstarted"))
          const ran = existsSync(pids) ? bench.read(pids).trim().split("\n").length : 0
          assert.strictEqual(ran, ends.filter(({ _tag }) => _tag === "Exited").length)
          return ends.map(({ _tag }) => _tag)
        }
        const seen = new Set((await Promise.all([0, 1, 2, 3, 4, 5, 6].map(round))).flat())
        assert.deepStrictEqual([...seen].sort(), ["Exited", "Unstarted"])
      })
  )
})
