// What may befall an attempt between the commit of its intent and its exit file: exactly one fate counts.
// The one rule: whatever is killed here, an attempt is neither doubled nor awaited for ever.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { fence } from "../../../../src/adapters/process/Journal.ts"
import type { Attempt } from "../../../../src/services/Reviewers.ts"
import { bootId, processAt } from "../../../../src/adapters/process/ProcessTable.ts"
import { eventually, exited, living, marked, withBench } from "./bench.ts"

const lost = { _tag: "Lost" as const }
const unstarted = { _tag: "Unstarted" as const }

describe("a wrapper that is killed", () => {
  it("is recognised, and its orphans are ended before the attempt counts as lost", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `ignore TERM;children 2;stubborn;mark ${bench.path("pid")};wait never`)
    const { guard } = await bench.begun(attempt)
    await eventually("codex at work", () => existsSync(bench.path("pid")))
    process.kill(guard.pid, "SIGKILL")
    await eventually("the wrapper's end", () => !living(guard.pid))
    assert.isAbove(marked(attempt.id).length, 5)
    assert.deepStrictEqual(await bench.ended(attempt), lost)
    assert.deepStrictEqual(marked(attempt.id), [])
    assert.isFalse(existsSync(attempt.files.exit))
    bench.later()
    assert.deepStrictEqual(await bench.lookOnce(attempt), lost)
  }))

  it("is only reported by a look that must not act", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], "wait never")
    const { group, guard } = await bench.begun(attempt)
    process.kill(guard.pid, "SIGKILL")
    await eventually("the wrapper's end", () => !living(guard.pid))
    // A helper forked that instant may hold the lock until it has closed it.
    while ((await bench.lookOnce(attempt, false))._tag === "Alive") assert.isTrue(living(group.pgid))
    assert.deepStrictEqual(await bench.lookOnce(attempt, false), lost)
    assert.isTrue(living(group.pgid))
    assert.deepStrictEqual(await bench.ended(attempt), lost)
    assert.isFalse(living(group.pgid))
  }))

  it("together with codex is recognised too", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    await bench.launch([attempt], `mark ${bench.path("pid")};wait never`)
    const { group, guard } = await bench.begun(attempt)
    await eventually("codex in its session", () => existsSync(bench.path("pid")))
    process.kill(guard.pid, "SIGKILL")
    process.kill(-group.pgid, "SIGKILL")
    assert.deepStrictEqual(await bench.ended(attempt), lost)
  }))
})

describe("a journal that names a process", () => {
  const journal = ({ dir, files, id }: Attempt, pid: number, ticks: string, boot: string) => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(files.run, `attempt ${id} ${pid} ${ticks} ${boot}\ngroup ${pid} ${ticks}\n`)
  }
  const boot = bootId() ?? assert.fail("no boot id")
  const mine = processAt(process.pid)?.ticks ?? assert.fail("no start ticks")

  it("is not taken in by a later process of the same number", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    journal(attempt, process.pid, String(Number(mine) + 1), boot)
    assert.deepStrictEqual(await bench.lookOnce(attempt), lost)
    await bench.stop(attempt)
  }))

  it("is not taken in by the same number and time in another boot", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    journal(attempt, process.pid, mine, "00000000-0000-0000-0000-000000000000")
    assert.deepStrictEqual(await bench.lookOnce(attempt), lost)
  }))

  it("is not taken in by a zombie", () => withBench(async (bench) => {
    // The shell becomes a program that never waits for the child it has; the child outlives that change.
    const script = "sleep 0.5 & echo $!; exec sleep 3600"
    const parent = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      let said = ""
      parent.stdout.on("data", (part: Buffer) => (said += part.toString()))
      const pid = Number(await eventually("the child's number", () => said.trim()))
      const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1")
      await eventually("a zombie", () => / Z /.test(stat()))
      const attempt = bench.attempt()
      journal(attempt, pid, stat().split(" ")[21] ?? "", boot)
      assert.deepStrictEqual(await bench.lookOnce(attempt), lost)
    } finally {
      parent.kill("SIGKILL")
    }
  }))

  it("has ended as its exit file says, if it has one", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    journal(attempt, 2 ** 22 + 1, "1", boot)
    writeFileSync(attempt.files.exit, "0\n")
    assert.deepStrictEqual(await bench.lookOnce(attempt), exited(0))
  }))
})

describe("an attempt without a journal", () => {
  it("is fenced after a grace, and a wrapper that comes late runs nothing", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    assert.strictEqual((await bench.lookOnce(attempt))._tag, "Alive")
    assert.deepStrictEqual(await bench.ended(attempt), unstarted)
    assert.strictEqual(bench.read(attempt.files.run), `fenced ${attempt.id}\n`)
    await bench.launch([attempt], `mark ${bench.path("pid")}`)
    await eventually("the late wrapper's end", () => marked(attempt.id).length === 0)
    assert.isFalse(existsSync(bench.path("pid")))
    assert.isFalse(existsSync(attempt.files.log))
    assert.deepStrictEqual(await bench.lookOnce(attempt), unstarted)
  }))

  it("is not fenced by a look that must not act", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    assert.strictEqual((await bench.lookOnce(attempt, false))._tag, "Alive")
    assert.isFalse(existsSync(attempt.files.run))
  }))

  it("whose journal has no whole line was killed before it ran anything", () => withBench(async (bench) => {
    const attempt = bench.attempt()
    mkdirSync(bench.dir, { recursive: true })
    writeFileSync(attempt.files.run, "attempt 12")
    assert.deepStrictEqual(await bench.ended(attempt), unstarted)
    await bench.stop(attempt)
  }))

  it("either runs or is fenced, never both and never neither", () => withBench(async (bench) => {
    const fates = new Set<string>()
    for (let slot = 1; slot <= 40; slot += 1) {
      const attempt = bench.attempt(slot)
      const pid = bench.path(`pid-${slot}`)
      const started = bench.launch([attempt], `mark ${pid}`)
      const fenceNow = async () => {
        for (let turn = 0; turn < slot * 4; turn += 1) await null
        if (slot % 2 === 0) await started
        if (slot % 10 === 0) await bench.begun(attempt)
        return fence(attempt.files.run, attempt.id)
      }
      const [fenced] = await Promise.all([fenceNow(), started])
      const sighting = await bench.ended(attempt)
      await eventually("the wrapper's end", () => marked(attempt.id).length === 0)
      assert.strictEqual(existsSync(pid), !fenced)
      assert.strictEqual(sighting._tag, fenced ? "Unstarted" : "Exited")
      fates.add(sighting._tag)
    }
    assert.deepStrictEqual([...fates].sort(), ["Exited", "Unstarted"])
  }))
})

describe("two steps that look at once", () => {
  it("see the same end of every reviewer, and none too early", () => withBench(async (bench) => {
    const attempts = Array.from({ length: 12 }, (_, index) => bench.attempt(index + 1))
    await bench.launch(attempts, "clean")
    const one = Promise.all(attempts.map((attempt) => bench.ended(attempt)))
    bench.later()
    const other = Promise.all(attempts.map((attempt) => bench.ended(attempt)))
    for (const [a, b] of (await one).map((sighting, index) => [sighting, index] as const)) {
      assert.deepStrictEqual(a, exited(0))
      assert.deepStrictEqual((await other)[b], a)
    }
  }))
})
