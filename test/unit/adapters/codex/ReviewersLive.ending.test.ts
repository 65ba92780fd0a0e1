// How reviewers are ended: by their deadline, by the bound on their transcript, by a stop. Nothing of them survives.
// The one rule: survivors are counted by the mark in their environment, over all of /proc.
import { existsSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { readJournal } from "../../../../src/adapters/process/Journal.ts"
import { eventually, exited, living, marked, withBench } from "./bench.ts"

const everything = "children 2;stubborn"

describe.concurrent("the deadline", () => {
  it("ends a reviewer and is told apart from its status", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `${everything};wait never`, { reviewTimeout: 500 })
    assert.deepStrictEqual(await bench.ended(attempt), exited(143, "deadline"))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
  }))

  it("ends one that ignores SIGTERM", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `ignore TERM;${everything};wait never`, { reviewTimeout: 300 })
    assert.deepStrictEqual(await bench.ended(attempt), exited(137, "deadline"))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
  }))

  it("holds when the wrapper is gone and no step looks", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const scenario = `ignore TERM;${everything};mark ${bench.path("pid")};wait never`
    await bench.launch([attempt], scenario, { reviewTimeout: 2500 })
    const { group, guard } = await bench.begun(attempt)
    await eventually("codex at work", () => existsSync(bench.path("pid")))
    process.kill(guard.pid, "SIGKILL")
    await eventually("the wrapper's end", () => !living(guard.pid))
    assert.isTrue(living(group.pgid))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
    assert.isFalse(existsSync(attempt.files.exit))
    const run = readJournal(attempt.files.run)
    assert.deepStrictEqual(run._tag === "Guarded" ? run.ended : null, ["deadline"])
    assert.deepStrictEqual(await bench.lookOnce(attempt), { _tag: "Lost" })
  }))

  it("that strikes as codex ends well does not spoil its review", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const command = ["/bin/sh", "-c", "trap 'echo fine; exit 0' TERM; while :; do sleep 0.02; done"]
    await bench.launch([attempt], "", { argv: command, reviewTimeout: 300 })
    assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    assert.strictEqual(bench.read(attempt.files.out), "fine\n")
  }))
})

describe.concurrent("the end of codex itself", () => {
  it("by a signal takes along what it started", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `${everything};signal KILL`)
    assert.deepStrictEqual(await bench.ended(attempt), exited(137))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
  }))

  it("in good order takes along its group", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const command = ["/bin/sh", "-c", `trap "" TERM; sleep 3600 & echo $! >${bench.path("child")}; echo fine`]
    await bench.launch([attempt], "", { argv: command })
    assert.deepStrictEqual(await bench.ended(attempt), exited(0))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
    assert.isFalse(living(Number(bench.read(bench.path("child")))))
  }))

  it("within an instant leaves no helper of the wrapper behind", () => withBench(async (bench) => {
    const attempts = Array.from({ length: 60 }, (_, index) => bench.attempt(index + 1))
    await bench.launch(attempts, "", { binary: "/bin/true", argv: [] })
    for (const attempt of attempts) await bench.ended(attempt)
    await eventually("nothing left", () => attempts.every(({ id }) => marked(id).length === 0))
  }))
})

describe.concurrent("the bound on the transcript", () => {
  it("ends a reviewer that outgrows it while no step looks", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "huge 300000;children 1;wait never", { maxTranscript: 200_000 })
    assert.deepStrictEqual(await bench.ended(attempt), exited(143, "oversize"))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
  }))

  it("is told to steps by the size they see", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "huge 300000;wait never")
    await bench.begun(attempt)
    for (;;) {
      const sighting = await bench.lookOnce(attempt)
      assert.strictEqual(sighting._tag, "Alive")
      if (sighting._tag === "Alive" && sighting.bytes > 300_000) break
    }
    await bench.stop(attempt)
  }))
})

describe.concurrent("a stop", () => {
  it("ends the whole tree, in its group and in other sessions", () => withBench(async (bench) => {
    const attempts = [bench.attempt(1), bench.attempt(2), bench.attempt(3)]
    await bench.launch(attempts, `${everything};mark ${bench.path("pids")};wait never`)
    await eventually("three at work", () =>
      existsSync(bench.path("pids")) && bench.read(bench.path("pids")).trim().split("\n").length === 3)
    for (const { id } of attempts) assert.isAtLeast(marked(id).length, 7)
    await bench.stop(...attempts)
    for (const { id } of attempts) assert.deepStrictEqual(marked(id), [])
    for (const attempt of attempts) {
      assert.deepStrictEqual(await bench.lookOnce(attempt), exited(143))
      const run = readJournal(attempt.files.run)
      assert.deepStrictEqual(run._tag === "Guarded" ? run.ended : null, ["stopped"])
    }
  }))

  it("ends what ignores SIGTERM after a grace", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `ignore TERM;${everything};mark ${bench.path("pid")};wait never`)
    await eventually("codex at work", () => existsSync(bench.path("pid")))
    await bench.stop(attempt)
    assert.deepStrictEqual(marked(attempt.id), [])
    assert.deepStrictEqual(await bench.lookOnce(attempt), exited(137))
  }))

  it("reaches children that dropped their environment", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    const pid = bench.path("pid")
    const child = `setsid env -i /bin/sh -c 'echo $$ >${pid}; trap "" TERM; sleep 3600; :'`
    const command = ["/bin/sh", "-c", `${child} & wait; :`]
    await bench.launch([attempt], "", { argv: command })
    const unmarked = Number(await eventually("the child", () => existsSync(pid) && bench.read(pid).trim()))
    assert.notInclude(marked(attempt.id), unmarked)
    await bench.stop(attempt)
    assert.isFalse(living(unmarked))
  }))

  it("keeps an attempt that has not begun from ever beginning", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.stop(attempt)
    assert.deepStrictEqual(await bench.lookOnce(attempt), { _tag: "Unstarted" })
    await bench.launch([attempt], `mark ${bench.path("pid")}`)
    await eventually("the late wrapper's end", () => marked(attempt.id).length === 0)
    assert.isFalse(existsSync(bench.path("pid")))
    assert.isFalse(existsSync(attempt.files.log))
  }))

  it("right after the start, at any moment, leaves nothing and never hangs", () => withBench(async (bench) => {
    for (let slot = 1; slot <= 12; slot += 1) {
      const attempt = bench.attempt(slot)
      await bench.launch([attempt], "children 1;wait never")
      const turns = slot * 3
      for (let turn = 0; turn < turns; turn += 1) await bench.lookOnce(attempt)
      await bench.stop(attempt)
      assert.deepStrictEqual(marked(attempt.id), [])
      assert.include(["Exited", "Unstarted"], (await bench.lookOnce(attempt))._tag)
    }
  }))

  it("of what has ended, twice, or known by its place alone, does nothing", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "clean")
    const sighting = await bench.ended(attempt)
    await bench.stop({ ...attempt, id: "" })
    await bench.stop(attempt, attempt)
    assert.deepStrictEqual(await bench.lookOnce(attempt), sighting)
  }))

  it("by SIGTERM to the wrapper ends codex the same way", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `ignore TERM;${everything};mark ${bench.path("pid")};wait never`)
    await eventually("codex at work", () => existsSync(bench.path("pid")))
    process.kill((await bench.begun(attempt)).guard.pid, "SIGTERM")
    assert.deepStrictEqual(await bench.ended(attempt), exited(137))
    await eventually("nothing left", () => marked(attempt.id).length === 0)
  }))
})
