// A guarded command from start to end: its files, its exit status, its surroundings.
// The one rule: conditions are waited for, never slept for, and no test leaves a process behind.
import { existsSync, readdirSync, readlinkSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeGuard } from "../../../../src/platform/guard/Guard.ts"
import { eventually, exited, fault, marked, sh, talking, withBench } from "./guarded.ts"

// A process, or one of its descriptors, may be gone between the listing and the look.
const openFiles = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

describe("a command", () => {
  it("leaves both streams, their sum and its status, for nobody but the user", () =>
    withBench(async (bench) => {
      const order = bench.order("echo said; echo told >&2; echo more")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      const { exit, log, out } = order.files
      assert.strictEqual(bench.read(out), "said\nmore\n")
      assert.strictEqual(bench.read(log), "told\nsaid\nmore\n")
      assert.strictEqual(bench.read(exit), "0\n")
      for (const file of readdirSync(bench.dir)) {
        assert.strictEqual(statSync(`${bench.dir}/${file}`).mode & 0o777, 0o600)
      }
      assert.strictEqual(statSync(bench.dir).mode & 0o777, 0o700)
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it.each([["exit 7", 7], ["kill -s TERM $$", 143], ["kill -s KILL $$", 137], ["kill -s XFSZ $$", 153]])(
    "that ends with %s has status %i",
    (script, status) =>
      withBench(async (bench) => {
        const order = bench.order(script)
        await bench.launch(order)
        assert.deepStrictEqual(await bench.ended(order), exited(status))
        assert.isTrue(existsSync(order.files.exit))
      })
  )

  it("has its standard output appended on a line of its own", () =>
    withBench(async (bench) => {
      const order = bench.order("printf 'no end of line' >&2; printf answer")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.strictEqual(bench.read(order.files.log), "no end of line\nanswer")
      assert.strictEqual(bench.read(order.files.out), "answer")
    }))

  it("that prints nothing leaves empty files", () =>
    withBench(async (bench) => {
      const order = bench.order("")
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.deepStrictEqual([bench.read(order.files.log), bench.read(order.files.out)], ["", ""])
    }))

  it("runs in its directory and environment, without standard input or foreign descriptors", () =>
    withBench(async (bench) => {
      const environment = { PATH: process.env["PATH"], ONLY: "this", UNSET: undefined }
      const order = bench.order(sh.mark(bench.path("pid")) + sh.waitFor(bench.path("go")), { environment })
      await bench.launch(order)
      const mark = bench.path("pid")
      const pid = await eventually("the command at work", () => existsSync(mark) && bench.read(mark).trim())
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      assert.include(variables, "ONLY=this")
      assert.include(variables, `OODA_ATTEMPT=${order.id}`)
      assert.isUndefined(variables.find((one) => one.startsWith("HOME=") || one.startsWith("UNSET=")))
      assert.strictEqual(readlinkSync(`/proc/${pid}/cwd`), bench.work)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/0`), "/dev/null")
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/1`), order.files.out)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/2`), order.files.log)
      // The lock lives exactly as long as the wrapper: nothing else may hold its file open.
      const { group, wrapper } = await bench.begun(order)
      const holders = await eventually("every process of the job past its start", () => {
        const open = marked(order.id).map((one) => ({ pid: one, files: openFiles(one) }))
          .filter(({ files }) => files.includes(order.files.lock))
        return open.length === 1 && open
      })
      assert.deepStrictEqual(holders.map((one) => one.pid), [wrapper.pid])
      assert.strictEqual(group.pgid, Number(pid))
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(order), exited(0))
    }))

  it("reads a file as its standard input, whole and to its end", () =>
    withBench(async (bench) => {
      const text = `first line\n${"x".repeat(200_000)}\nno newline at the end`
      writeFileSync(bench.path("a prompt's file"), text)
      const order = bench.order("cat; echo; readlink /proc/self/fd/0 >&2", { input: bench.path("a prompt's file") })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      assert.strictEqual(bench.read(order.files.out), `${text}\n`)
      assert.isTrue(bench.read(order.files.log).startsWith(`${bench.path("a prompt's file")}\n`))
    }))

  it("that cannot be run ends with the reason in its log", () =>
    withBench(async (bench) => {
      const order = bench.order("", { command: [bench.path("missing")] })
      await bench.launch(order)
      const sighting = await bench.ended(order)
      assert.include([126, 127], sighting._tag === "Exited" ? sighting.status : null)
      assert.include(bench.read(order.files.log), "missing")
    }))

  it("is looked at and ended by guards that did not start it", () =>
    withBench(async (bench) => {
      const [one, two] = [bench.order(sh.forever, {}, "a"), bench.order(sh.waitFor(bench.path("go")), {}, "b")]
      await bench.launch(one, two)
      await Promise.all([bench.begun(one), bench.begun(two)])
      bench.later()
      assert.deepStrictEqual((await bench.look(one, two)).map(({ _tag }) => _tag), ["Alive", "Alive"])
      await bench.stop(one)
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual([await bench.ended(one), await bench.ended(two)], [exited(143), exited(0)])
    }))
})

describe("what goes wrong", () => {
  it("while jobs are looked at is called as the caller calls it", () =>
    withBench(async (bench) => {
      const job = bench.job()
      const files = { ...job.files, journal: `${bench.work}/\0` }
      const guard = makeGuard(talking)
      const looking = Effect.runPromise(guard.look([{ ...job, files }], "looking at agents", { acting: true }))
      assert.match(await fault(looking), /^looking at agents: .*null bytes/)
    }))
})
