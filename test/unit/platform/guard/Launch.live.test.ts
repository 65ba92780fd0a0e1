// The start of jobs: an earlier job in the same place is over and moved away, and a failed start leaves nothing.
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import type { EarlierJob } from "../../../../src/platform/guard/Job.ts"
import { launchAll } from "../../../../src/platform/guard/Launch.ts"
import { type Bench, exited, fault, filesIn, marked, sh, unstarted, withBench } from "./guarded.ts"

/** The jobs of a place before one, newest first, known by their files alone. */
const before = (bench: Bench, number: number): ReadonlyArray<EarlierJob> =>
  Array.from({ length: number - 1 }, (_, back) => {
    const earlier = number - 1 - back
    const files = filesIn(bench.dir, "a", earlier)
    const moves = (["exit", "out", "log"] as const).map((kind) => ({
      from: files[kind],
      to: `${bench.dir}/a.${earlier}.${kind}`
    }))
    return { id: "", files, moves }
  })

describe("a job after another in the same place", () => {
  it("finds the first one's files moved to the names that the caller gave", () =>
    withBench(async (bench) => {
      const first = bench.order("echo first >&2; exit 9")
      await bench.launch(first)
      assert.deepStrictEqual(await bench.ended(first), exited(9))
      const second = bench.order("echo second >&2", { earlier: before(bench, 2) }, "a", 2)
      await bench.launch(second)
      assert.deepStrictEqual(await bench.ended(second), exited(0))
      assert.strictEqual(bench.read(`${bench.dir}/a.1.exit`), "9\n")
      assert.strictEqual(bench.read(`${bench.dir}/a.1.log`), "first\n")
      assert.strictEqual(bench.read(`${bench.dir}/a.1.out`), "")
      assert.strictEqual(bench.read(second.files.log), "second\n")
      assert.strictEqual(bench.read(second.files.exit), "0\n")
    }))

  it("is never shown the first one's files while it starts", () =>
    withBench(async (bench) => {
      const first = bench.order("exit 9")
      await bench.launch(first)
      await bench.ended(first)
      const second = bench.order("", { earlier: before(bench, 2) }, "a", 2)
      const starting = { _tag: "Alive" as const, silentFor: 0, waitingForNetwork: 0, bytes: 0 }
      assert.deepStrictEqual(await bench.lookOnce(second), starting)
    }))

  it("ends what an earlier one left running, however many jobs ago", () =>
    withBench(async (bench) => {
      const first = bench.order(sh.children(1) + sh.forever)
      await bench.launch(first)
      await bench.begun(first)
      const third = bench.order("", { earlier: before(bench, 3) }, "a", 3)
      await bench.launch(third)
      assert.deepStrictEqual(marked(first.id), [])
      assert.deepStrictEqual(await bench.ended(third), exited(0))
      assert.strictEqual(bench.read(`${bench.dir}/a.1.exit`), "143\n")
      // The second was never begun, and now it never can be.
      assert.strictEqual(bench.read(filesIn(bench.dir, "a", 2).journal), "fenced \n")
    }))
})

describe("a start that fails", () => {
  it("for want of a directory names it, and the job is unstarted at once", () =>
    withBench(async (bench) => {
      const order = bench.order("", { cwd: bench.path("nowhere") })
      assert.match(await fault(bench.launch(order)), /^the directory \S+nowhere: .*no such file/)
      assert.deepStrictEqual(await bench.lookOnce(order), unstarted)
      writeFileSync(bench.path("file"), "")
      const another = bench.order("", { cwd: bench.path("file") }, "b")
      assert.match(await fault(bench.launch(another)), /^the directory \S+file: is not a directory$/)
    }))

  it("for want of its input names the job, and nothing is run", () =>
    withBench(async (bench) => {
      const missing = bench.order(sh.mark(bench.path("pid")), { input: bench.path("prompt") })
      assert.match(await fault(bench.launch(missing)), /^starting a: .*no such file.*prompt/)
      const directory = bench.order(sh.mark(bench.path("pid")), { input: bench.work }, "b")
      assert.match(await fault(bench.launch(directory)), /^starting b: .*work is not a file$/)
      assert.deepStrictEqual(await bench.look(missing, directory), [unstarted, unstarted])
      assert.isFalse(existsSync(bench.path("pid")))
    }))

  it("for an argument that is too long names the job, and others still run", () =>
    withBench(async (bench) => {
      const order = bench.order("x".repeat(200_000))
      assert.match(await fault(bench.launch(order)), /^starting a: .*E2BIG/)
      assert.deepStrictEqual(await bench.lookOnce(order), unstarted)
      const other = bench.order("", {}, "b")
      await bench.launch(other)
      assert.deepStrictEqual(await bench.ended(other), exited(0))
    }))

  it("because a file is in the way of the jobs' directory names the path", () =>
    withBench(async (bench) => {
      mkdirSync(dirname(bench.dir))
      writeFileSync(bench.dir, "")
      const reason = await fault(bench.launch(bench.order("")))
      assert.match(reason, /^starting commands: /)
      assert.include(reason, bench.dir)
    }))

  it("twice over runs the command once", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.mark(bench.path("pids")) + sh.waitFor(bench.path("go")))
      await bench.launch(order)
      assert.strictEqual(
        await fault(bench.launch(order)),
        "starting commands: they are already being started; call again"
      )
      await bench.begun(order)
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.lengthOf(bench.read(bench.path("pids")).trim().split("\n"), 1)
    }))

  it("leaves no lock open, whichever job it is about", () =>
    withBench(async (bench) => {
      const fine = bench.order("")
      const files = filesIn(`${bench.work}/file`, "b", 1)
      writeFileSync(`${bench.work}/file`, "")
      await fault(bench.launch(fine, { ...bench.order("", {}, "b"), files }))
      const open = readdirSync("/proc/self/fd").flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)]
        } catch {
          return []
        }
      })
      assert.isEmpty(open.filter((path) => path.endsWith(".lock")))
      assert.deepStrictEqual(await bench.lookOnce(fine), unstarted)
    }))

  it("does not happen with nothing to start", () => Effect.runPromise(launchAll([], "starting nothing")))
})
