// Reviewers.live: reviewers with real processes: codex's streams, variables, stalls, and consecutive attempts.
// The guard has its own tests; here are codex and the promises of the port.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { parse } from "smol-toml"
import { jobOf, layer, orderOf, stalledTail } from "../../../src/review/Reviewers.live.ts"
import { attemptFiles, batchDirectory } from "../../../src/run/Layout.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import type { AttemptRef, BatchRef } from "../../../src/run/Refs.ts"
import { untrusted } from "../../../src/run/Target.ts"
import { fault } from "../platform/guard/guarded.ts"
import { eventually, marked } from "../platform/guard/processes.ts"
import { exited, withBench } from "../../support/reviewerBench.ts"

describe("a reviewer", () => {
  it("leaves codex's log, with its answer at the end", () =>
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

  it("that prints everything to one stream, or nothing, is kept unchanged", () =>
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

  it("runs with the given variables, except the unwanted ones", () =>
    withBench(async (bench) => {
      const unwanted = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]
      const attempt = bench.attempt()
      const env = {
        PATH: process.env["PATH"],
        GIVEN: "yes",
        GH_TOKEN: "secret",
        DB_URL: "postgres://me:hunter2@h/d",
        OPENAI_API_KEY: "its own",
        ...Object.fromEntries(unwanted.map((name) => [name, "1"]))
      }
      await bench.launch([attempt], `mark ${bench.path("pid")};wait ${bench.path("go")}`, {}, env)
      const mark = bench.path("pid")
      const pid = await eventually("codex at work", () => existsSync(mark) && bench.read(mark).trim())
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      for (const name of [...unwanted, "HOME", "GH_TOKEN", "DB_URL"]) {
        assert.isUndefined(environment.find((entry) => entry.startsWith(`${name}=`)))
      }
      assert.include(environment, `OODA_ATTEMPT=${attempt.id}`)
      assert.includeMembers(environment, ["GIVEN=yes", "OPENAI_API_KEY=its own"])
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    }))

  it("wakes its waiter when it ends, however it ends", () =>
    withBench(async (bench) => {
      const [one, other] = [bench.attempt(1), bench.attempt(2)]
      await bench.launch([one], `wait ${bench.path("go")}`)
      await bench.launch([other], "sleep 3600")
      await bench.heard(one, () => Promise.resolve(writeFileSync(bench.path("go"), "")))
      assert.deepStrictEqual(await bench.look(one), exited(0))
      await bench.heard(other, async () => void await bench.stop(other))
      assert.deepStrictEqual(await bench.look(other), exited(143))
    }))

  it("that only reconnects is waiting for the network", () =>
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
  it("finds the files of the first one archived under its number", () =>
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

  it("ends processes that an earlier attempt left running", () =>
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

describe("a failure of reviewers", () => {
  it("names a missing directory to review", () =>
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

  it("names reviewers if it is about all of them", () =>
    withBench(async (bench) => {
      mkdirSync(dirname(bench.dir), { recursive: true })
      writeFileSync(bench.dir, "")
      const attempt = bench.attempt()
      assert.match(await fault(bench.launch([attempt], "clean")), /^starting reviewers: /)
      assert.match(await fault(bench.look(attempt)), /^looking at reviewers: .*ENOTDIR/)
      assert.match(await fault(bench.stop(attempt, attempt)), /^stopping 2 reviewers: .*ENOTDIR/)
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

  it("is looked up in the given PATH", async () => {
    const found = await Effect.runPromise(
      Reviewers.use((codex) => codex.locate("sh", "/")).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, { PATH: "/nowhere:/bin" })
      )
    )
    assert.strictEqual(found, "/bin/sh")
  })

  it("has the digest of the executed file, with links resolved, even after it was replaced", async () => {
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

describe("an attempt for the guard", () => {
  const batch: BatchRef = {
    run: { root: "/s", repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" },
    level: "high",
    batch: 1
  }
  const at = batchDirectory(batch)
  const attempt = (number: number): AttemptRef => ({ ...batch, slot: 2, attempt: number, id: "an-id" })
  const launch = {
    binary: "/bin/codex",
    argv: ["review", "-c", "x"],
    cwd: "/work",
    isolated: false,
    line: { seq: 2, hash: "ab" },
    reviewTimeout: 5,
    maxTranscript: 6
  }

  describe("the job of an attempt", () => {
    it("has its own journal and lock, and the files of its slot", () =>
      assert.deepStrictEqual(jobOf(attempt(3)), {
        id: "an-id",
        files: {
          journal: `${at}/high-2.3.run`,
          lock: `${at}/high-2.3.lock`,
          log: `${at}/high-2.log`,
          out: `${at}/high-2.out`,
          exit: `${at}/high-2.exit`
        }
      }))
  })

  describe("the order for an attempt", () => {
    it("runs codex without standard input, within its limits", () => {
      const { command, cwd, deadline, input, label, line, maxBytes, wake } = orderOf(attempt(1), launch, {}, false)
      assert.isFalse(orderOf(attempt(1), launch, {}, false).tied)
      assert.isTrue(orderOf(attempt(1), launch, {}, true).tied)
      assert.deepStrictEqual({ command, cwd, deadline, input, label, line, maxBytes, wake }, {
        command: ["/bin/codex", "review", "-c", "x"],
        cwd: "/work",
        deadline: 5,
        input: null,
        label: "starting high-2, attempt 1",
        line: { seq: 2, hash: "ab" },
        maxBytes: 6,
        wake: `${at}/wake/2`
      })
    })

    it.each(["/a.b c", `/q"x'y`, "/n\nl\tt", "/ü€😀", "/e}=,]#x\\z", "/del\x7f\x01", "/=[x]\r"])(
      "quotes the directory %j in a TOML key",
      (cwd) => assert.deepEqual(parse(untrusted(cwd)[1] ?? ""), { projects: { [cwd]: { trust_level: "untrusted" } } })
    )

    it("has the given environment, without variables that change a transcript", () => {
      const unwanted = { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", RUST_LOG: "debug", RUST_BACKTRACE: "1" }
      const { environment } = orderOf(attempt(1), launch, { PATH: "/bin", ...unwanted, NO_COLOR: undefined }, false)
      assert.deepStrictEqual(environment, { PATH: "/bin", NO_COLOR: undefined })
    })

    it("archives the files of all earlier attempts, the newest first", () => {
      assert.deepStrictEqual(orderOf(attempt(1), launch, {}, false).earlier, [])
      const [second, first, ...others] = orderOf(attempt(3), launch, {}, false).earlier
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual([second?.id, second?.files], ["", jobOf(attempt(2)).files])
      assert.strictEqual(first?.files.journal, `${at}/high-2.1.run`)
      assert.deepStrictEqual(second?.moves, [
        { from: `${at}/high-2.exit`, to: `${at}/high-2.2.exit` },
        { from: `${at}/high-2.review.json`, to: `${at}/high-2.2.review.json` },
        { from: `${at}/high-2.out`, to: `${at}/high-2.2.out` },
        { from: `${at}/high-2.log`, to: `${at}/high-2.2.log` }
      ])
    })
  })
})

const wait = "ERROR: Reconnecting... waiting for network\n"
const complaint = "2026-11-20T10:00:00.1Z ERROR codex_api::endpoint: no\n"

describe("a stalled transcript", () => {
  it.each<[string, string, ReturnType<typeof stalledTail>]>([
    ["nothing", "", null],
    ["progress", "banner\n", null],
    ["progress after it", `${wait}codex\n`, null],
    ["one attempt", "z\na\nERROR: Reconnecting... 1/5\n", { from: 4, waits: 0, cut: false }],
    ["attempts, then the network", `a\nb\nERROR: Reconnecting... 5/5\n${wait}`, { from: 4, waits: 1, cut: false }],
    ["blank lines and codex's own complaints between", `z\na\n${wait}\n${complaint}${wait}`, {
      from: 4,
      waits: 2,
      cut: false
    }],
    ["complaints alone", `a\n${complaint}`, null],
    ["a line that is not complete", `z\na\n${wait}ERROR: Reconnecting... wai`, { from: 4, waits: 1, cut: false }],
    ["nothing else", wait + wait, { from: 0, waits: 2, cut: true }],
    ["a first line whose start is missing", `${wait.slice(5)}${wait}`, { from: wait.length - 5, waits: 1, cut: true }],
    ["a newline alone before it", `\n${wait}`, { from: 0, waits: 1, cut: true }],
    ["quoted by a command", `a\n  ${wait}`, null]
  ])("%s", (_, text, expected) => assert.deepStrictEqual(stalledTail(text), expected))

  it("is found in any part of a long stall, from its first line", () => {
    const stall = wait.repeat(500)
    for (const cut of [0, 1, 17, wait.length, wait.length * 7 + 3]) {
      const tail = stalledTail(stall.slice(cut))
      assert.isTrue(tail?.cut)
      assert.isAtLeast(tail?.waits ?? 0, 490)
    }
  })
})
