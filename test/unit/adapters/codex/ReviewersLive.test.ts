// Reviewers from start to end with real processes: their files, their exit status, their surroundings.
// The one rule: conditions are waited for, never slept for, and no test leaves a process behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { eventually, exited, marked, withBench } from "./bench.ts"

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

describe("a reviewer", () => {
  it("leaves both streams, their sum and its status, for nobody but the user", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "issues 2")
    assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    const { exit, log, out } = attempt.files
    const body = bench.read(out)
    assert.match(body, /^The patch has problems\.\n\nFull review comments:\n\n- \[P1\] Finding 1 — /)
    const whole = bench.read(log)
    assert.isTrue(whole.endsWith(`codex\n${body}${body}`))
    assert.match(whole, /^OpenAI Codex v/)
    assert.strictEqual(bench.read(exit), "0\n")
    for (const file of readdirSync(bench.dir)) assert.strictEqual(statSync(`${bench.dir}/${file}`).mode & 0o777, 0o600)
    assert.strictEqual(statSync(bench.dir).mode & 0o777, 0o700)
    assert.deepStrictEqual(marked(attempt.id), [])
  }))

  it.each([["exit 7", 7], ["signal TERM", 143], ["signal KILL", 137], ["signal XFSZ", 153], ["fail no credit", 1]])(
    "that ends with %s has status %i",
    (scenario, status) => withBench(async (bench) => {
      const attempt = bench.attempt()
      await bench.launch([attempt], scenario)
      assert.deepStrictEqual(await bench.ended(attempt), exited(status))
      assert.isTrue(existsSync(attempt.files.exit))
    })
  )

  it("has its standard output appended on a line of its own", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const command = ["/bin/sh", "-c", "printf 'no end of line' >&2; printf answer"]
    await bench.launch([attempt], "", { binary: "/usr/bin/env", argv: command })
    assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    assert.strictEqual(bench.read(attempt.files.log), "no end of line\nanswer")
    assert.strictEqual(bench.read(attempt.files.out), "answer")
  }))

  it("that prints everything to one stream, or nothing at all, is kept as it is", () => withBench(async (bench) => {
    const [one, none] = [bench.attempt(1), bench.attempt(2)]
    await bench.launch([one], "merged;clean Fine.")
    assert.deepStrictEqual(await bench.ended(one), exited(0))
    assert.match(bench.read(one.files.out), /^OpenAI Codex[^]*\ncodex\nFine\.\n$/)
    assert.strictEqual(bench.read(one.files.log), bench.read(one.files.out))
    await bench.launch([none], "no-banner;empty")
    assert.deepStrictEqual(await bench.ended(none), exited(0))
    assert.strictEqual(bench.read(none.files.log), "")
  }))

  it("runs in the worktree, without standard input, unwanted variables or foreign descriptors", () =>
    withBench(async (bench) => {
      const variables = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]
      const unwanted = Object.fromEntries(variables.map((name) => [name, "1"]))
      const attempt = bench.attempt()
      await bench.launch([attempt], `mark ${bench.path("pid")};wait ${bench.path("go")}`, {}, { ...process.env, ...unwanted })
      const mark = bench.path("pid")
      const pid = await eventually("codex at work", () => existsSync(mark) && bench.read(mark).trim())
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      for (const name of variables) assert.isUndefined(environment.find((entry) => entry.startsWith(`${name}=`)))
      assert.include(environment, `OODA_ATTEMPT=${attempt.id}`)
      assert.strictEqual(readlinkSync(`/proc/${pid}/cwd`), bench.work)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/0`), "/dev/null")
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/1`), attempt.files.out)
      assert.strictEqual(readlinkSync(`/proc/${pid}/fd/2`), attempt.files.log)
      // The lock lives exactly as long as the wrapper: nothing else may hold its file open.
      const { guard, group } = await bench.begun(attempt)
      const holders = await eventually("every process of the attempt past its start", () => {
        const open = marked(attempt.id).map((one) => ({ pid: one, files: openFiles(one) }))
          .filter(({ files }) => files.includes(attempt.files.lock))
        return open.length === 1 && open
      })
      assert.deepStrictEqual(holders.map((one) => one.pid), [guard.pid])
      assert.strictEqual(group.pgid, Number(pid))
      writeFileSync(bench.path("go"), "")
      assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    }))

  it("whose binary cannot be run ends with the reason in its log", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "", { binary: bench.path("missing"), argv: [] })
    const sighting = await bench.ended(attempt)
    assert.include([126, 127], sighting._tag === "Exited" ? sighting.status : null)
    assert.include(bench.read(attempt.files.log), "missing")
  }))
})

describe("a second attempt", () => {
  it("finds the first one's files moved to names of its own", () => withBench(async (bench) => {
    const [first, second] = [bench.attempt(1, 1), bench.attempt(1, 2)]
    await bench.launch([first], "log first;exit 9")
    assert.deepStrictEqual(await bench.ended(first), exited(9))
    await bench.launch([second], "log second;clean")
    assert.deepStrictEqual(await bench.ended(second), exited(0))
    assert.strictEqual(bench.read(`${bench.dir}/low-1.1.exit`), "9\n")
    assert.include(bench.read(`${bench.dir}/low-1.1.log`), "first")
    assert.include(bench.read(second.files.log), "second")
    assert.strictEqual(bench.read(second.files.exit), "0\n")
  }))

  it("is never shown the first one's files while it starts", () => withBench(async (bench) => {
    const [first, second] = [bench.attempt(1, 1), bench.attempt(1, 2)]
    await bench.launch([first], "exit 9")
    await bench.ended(first)
    const starting = { _tag: "Alive" as const, silentFor: 0, waitingForNetwork: 0, bytes: 0 }
    assert.deepStrictEqual(await bench.lookOnce(second), starting)
  }))

  it("ends what an earlier attempt left running, however many attempts ago", () => withBench(async (bench) => {
    const [first, , third] = [bench.attempt(1, 1), bench.attempt(1, 2), bench.attempt(1, 3)]
    await bench.launch([first], "children 1;wait never")
    await bench.begun(first)
    await bench.launch([third], "clean")
    assert.deepStrictEqual(marked(first.id), [])
    assert.deepStrictEqual(await bench.ended(third), exited(0))
    assert.strictEqual(bench.read(`${bench.dir}/low-1.1.exit`), "143\n")
  }))
})

describe("a start that fails", () => {
  const fault = async (launching: Promise<void>): Promise<string> => {
    try {
      await launching
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    return assert.fail("it started")
  }

  it("for want of a directory names it, and the attempt is unstarted at once", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const reason = await fault(bench.launch([attempt], "clean", { cwd: bench.path("nowhere") }))
    assert.match(reason, /nowhere.*no such file/)
    assert.deepStrictEqual(await bench.lookOnce(attempt), { _tag: "Unstarted" })
  }))

  it("for an argument that is too long names the slot, and the others still run", () => withBench(async (bench) => {
    const attempt = bench.attempt(2)
    const reason = await fault(bench.launch([attempt], "clean", { argv: ["x".repeat(200_000)] }))
    assert.match(reason, /^starting low-2, attempt 1: .*E2BIG/)
    assert.deepStrictEqual(await bench.lookOnce(attempt), { _tag: "Unstarted" })
    const other = bench.attempt(1)
    await bench.launch([other], "clean")
    assert.deepStrictEqual(await bench.ended(other), exited(0))
  }))

  it("because a file is in the way of the batch directory names the path", () => withBench(async (bench) => {
    mkdirSync(bench.path("run/levels/level-low"), { recursive: true })
    writeFileSync(bench.dir, "")
    assert.include(await fault(bench.launch([bench.attempt()], "clean")), bench.dir)
  }))

  it("twice over runs codex once", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `mark ${bench.path("pids")};wait ${bench.path("go")}`)
    assert.match(await fault(bench.launch([attempt], "clean")), /already being started/)
    await bench.begun(attempt)
    writeFileSync(bench.path("go"), "")
    assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    assert.lengthOf(bench.read(bench.path("pids")).trim().split("\n"), 1)
  }))
})
