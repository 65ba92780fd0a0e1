// Reviewers with real processes: codex's streams, its variables, its stalls, its attempts one after the other.
// The one rule: the guard has tests of its own; here is what is codex's and what the port promises.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/review/Reviewers.live.ts"
import { attemptFiles } from "../../../src/run/Layout.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { fault } from "../platform/guard/guarded.ts"
import { eventually, marked } from "../platform/guard/processes.ts"
import { exited, withBench } from "./reviewerBench.ts"

describe("a reviewer", () => {
  it("leaves what codex said, and behind its log what it answered", () =>
    withBench(async (bench) => {
      const attempt = bench.attempt()
      await bench.launch([attempt], "issues 2")
      assert.deepStrictEqual(await bench.ended(attempt), exited(0))
      const { exit, log, out } = attemptFiles(attempt)
      const body = bench.read(out)
      assert.match(body, /^The patch has problems\.\n\nFull review comments:\n\n- \[P1\] Finding 1 — /)
      const whole = bench.read(log)
      assert.isTrue(whole.endsWith(`codex\n${body}${body}`))
      assert.match(whole, /^OpenAI Codex v/)
      assert.strictEqual(bench.read(exit), "0\n")
    }))

  it("that prints everything to one stream, or nothing at all, is kept as it is", () =>
    withBench(async (bench) => {
      const [one, none] = [bench.attempt(1), bench.attempt(2)]
      await bench.launch([one], "merged;clean Fine.")
      assert.deepStrictEqual(await bench.ended(one), exited(0))
      assert.match(bench.read(attemptFiles(one).out), /^OpenAI Codex[^]*\ncodex\nFine\.\n$/)
      assert.strictEqual(bench.read(attemptFiles(one).log), bench.read(attemptFiles(one).out))
      await bench.launch([none], "no-banner;empty")
      assert.deepStrictEqual(await bench.ended(none), exited(0))
      assert.strictEqual(bench.read(attemptFiles(none).log), "")
    }))

  it("that fails has its status", () =>
    withBench(async (bench) => {
      const attempt = bench.attempt()
      await bench.launch([attempt], "fail no credit")
      assert.deepStrictEqual(await bench.ended(attempt), exited(1))
    }))

  it("runs with the variables that it is given, but for the unwanted ones", () =>
    withBench(async (bench) => {
      const unwanted = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]
      const attempt = bench.attempt()
      const env = {
        PATH: process.env["PATH"],
        GIVEN: "yes",
        ...Object.fromEntries(unwanted.map((name) => [name, "1"]))
      }
      await bench.launch([attempt], `mark ${bench.path("pid")};wait ${bench.path("go")}`, {}, env)
      const mark = bench.path("pid")
      const pid = await eventually("codex at work", () => existsSync(mark) && bench.read(mark).trim())
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      for (const name of [...unwanted, "HOME"]) {
        assert.isUndefined(environment.find((entry) => entry.startsWith(`${name}=`)))
      }
      assert.include(environment, `OODA_ATTEMPT=${attempt.id}`)
      assert.include(environment, "GIVEN=yes")
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    }))

  it("is heard when it ends, however it ends", () =>
    withBench(async (bench) => {
      const [one, other] = [bench.attempt(1), bench.attempt(2)]
      await bench.launch([one], `wait ${bench.path("go")}`)
      await bench.launch([other], "sleep 3600")
      await bench.heard(one, () => Promise.resolve(writeFileSync(bench.path("go"), "")))
      assert.deepStrictEqual(await bench.look(one), exited(0))
      await bench.heard(other, async () => void await bench.stop(other))
      assert.deepStrictEqual(await bench.look(other), exited(143))
    }))

  it("that only reconnects waits for the network", () =>
    withBench(async (bench) => {
      const attempt = bench.attempt()
      await bench.launch([attempt], "log thinking;reconnect 0.1")
      for (const end = Date.now() + 20_000;;) {
        const state = await bench.look(attempt)
        assert.strictEqual(state._tag, "Alive")
        if (state._tag === "Alive" && state.waitingForNetwork > 300) break
        assert.isBelow(Date.now(), end)
      }
      await bench.stop(attempt)
      assert.deepStrictEqual(await bench.look(attempt), exited(143))
      assert.deepStrictEqual(marked(attempt.id), [])
    }))
})

describe("a second attempt", () => {
  it("finds the first one's files moved to names of its own", () =>
    withBench(async (bench) => {
      const [first, second] = [bench.attempt(1, 1), bench.attempt(1, 2)]
      await bench.launch([first], "log first;exit 9")
      assert.deepStrictEqual(await bench.ended(first), exited(9))
      writeFileSync(attemptFiles(first).review, "{}")
      await bench.launch([second], "log second;clean")
      assert.deepStrictEqual(await bench.ended(second), exited(0))
      assert.strictEqual(bench.read(`${bench.dir}/low-1.1.exit`), "9\n")
      assert.include(bench.read(`${bench.dir}/low-1.1.log`), "first")
      assert.strictEqual(bench.read(`${bench.dir}/low-1.1.review.json`), "{}")
      assert.isFalse(existsSync(attemptFiles(second).review))
      assert.include(bench.read(attemptFiles(second).log), "second")
    }))

  it("ends what an earlier attempt left running", () =>
    withBench(async (bench) => {
      const [first, , third] = [bench.attempt(1, 1), bench.attempt(1, 2), bench.attempt(1, 3)]
      await bench.launch([first], `children 1;mark ${bench.path("pid")};wait never`)
      await eventually("codex at work", () => existsSync(bench.path("pid")))
      await bench.launch([third], "clean")
      assert.deepStrictEqual(marked(first.id), [])
      assert.deepStrictEqual(await bench.ended(third), exited(0))
      assert.strictEqual(bench.read(`${bench.dir}/low-1.1.exit`), "143\n")
    }))
})

describe("a fault of reviewers", () => {
  it("for want of the directory to review names it", () =>
    withBench(async (bench) => {
      const attempt = bench.attempt()
      const reason = await fault(bench.launch([attempt], "clean", { cwd: bench.path("nowhere") }))
      assert.match(reason, /^the directory to review, \S+nowhere: .*no such file/)
      assert.deepStrictEqual(await bench.look(attempt), { _tag: "Unstarted" })
    }))

  it("names the slot and the attempt that cannot start", () =>
    withBench(async (bench) => {
      const attempt = bench.attempt(2)
      const reason = await fault(bench.launch([attempt], "clean", { argv: ["x".repeat(200_000)] }))
      assert.match(reason, /^starting low-2, attempt 1: .*E2BIG/)
    }))

  it("names reviewers where it is about all of them", () =>
    withBench(async (bench) => {
      mkdirSync(dirname(bench.dir), { recursive: true })
      writeFileSync(bench.dir, "")
      const attempt = bench.attempt()
      assert.match(await fault(bench.launch([attempt], "clean")), /^starting reviewers: /)
      assert.match(await fault(bench.look(attempt)), /^looking at reviewers: .*ENOTDIR/)
      assert.match(await fault(bench.stop(attempt, attempt)), /^stopping 2 reviewer\(s\): .*ENOTDIR/)
    }))
})

describe("the codex binary", () => {
  it("that is missing is a typed error", async () => {
    const failed = await Effect.runPromise(
      Reviewers.use((codex) => codex.locate("no/such", "/")).pipe(Effect.flip, Effect.provide(layer))
    )
    assert.strictEqual(
      failed.message,
      "codex binary no/such: /no/such does not exist [install codex, or name it with --codex-bin]"
    )
    assert.deepInclude(failed.reason, { _tag: "Flawed", path: "/no/such" })
  })

  it("is looked up in the PATH that is given", async () => {
    const found = await Effect.runPromise(
      Reviewers.use((codex) => codex.locate("sh", "/")).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, { PATH: "/nowhere:/bin" })
      )
    )
    assert.strictEqual(found, "/bin/sh")
  })

  it("has the digest of the file that is run, links followed, also after it was replaced", async () => {
    const directory = mkdtempSync(join(tmpdir(), "ooda-program-"))
    const [file, link] = [join(directory, "codex.js"), join(directory, "codex")]
    const hex = (text: string) => createHash("sha256").update(text).digest("hex")
    const write = (text: string) => {
      rmSync(file, { force: true })
      writeFileSync(file, text)
    }
    write("#!/bin/sh\necho one\n")
    symlinkSync(file, link)
    const [one, again, two, none] = await Effect.runPromise(
      Reviewers.use(Effect.fnUntraced(function*({ digest }) {
        const first = [yield* digest(link), yield* digest(file)]
        write("#!/bin/sh\necho two\n")
        return [...first, yield* digest(link), yield* digest(directory)]
      })).pipe(Effect.provide(layer))
    )
    assert.deepStrictEqual([one, again], [hex("#!/bin/sh\necho one\n"), hex("#!/bin/sh\necho one\n")])
    assert.strictEqual(two, hex("#!/bin/sh\necho two\n"))
    assert.isNull(none)
  })
})
