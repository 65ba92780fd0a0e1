// Reviewers outlive the step that started them, whatever ends it.
// The one rule: the step is a real process in a group of its own, and the signal goes to the whole group.
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Attempt } from "../../../../src/services/Reviewers.ts"
import { type Bench, eventually, exited, FAKE, living, withBench } from "./bench.ts"

const directory = mkdtempSync(join(tmpdir(), "ooda-parent-"))
const program = join(directory, "parent.mjs")

beforeAll(() =>
  build({
    input: fileURLToPath(new URL("./parent.ts", import.meta.url)),
    platform: "node",
    output: { file: program, format: "esm" }
  }))
afterAll(() => rmSync(directory, { recursive: true }))

/** Starts a step; `started` says whether it has got as far as to have spawned everything. */
const step = (bench: Bench, attempts: ReadonlyArray<Attempt>, scenario: string) => {
  const launch = {
    binary: "/usr/bin/env",
    argv: [`FAKE_CODEX=${scenario}`, `TMPDIR=${bench.path("")}`, FAKE, "review", "--uncommitted"],
    cwd: bench.work,
    reviewTimeout: 120_000,
    maxTranscript: 2 ** 30
  }
  let said = ""
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify({ attempts, launch })], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  child.stdout?.on("data", (part: Buffer) => (said += part.toString()))
  const pid = child.pid ?? assert.fail("the step did not start")
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const end = async (signal: NodeJS.Signals) => {
    if (living(pid)) process.kill(-pid, signal)
    await ended
  }
  return { started: () => said === "started\n", end }
}

describe("reviewers", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)("live on when %s ends their step's group", (signal) =>
    withBench(async (bench) => {
      const attempts = [bench.attempt(1), bench.attempt(2)]
      const { end, started } = step(bench, attempts, `mark ${bench.path("pids")};wait ${bench.path("go")};issues 1`)
      await eventually("the step's word", started)
      await end(signal)
      for (const attempt of attempts) {
        const { group, guard } = await bench.begun(attempt)
        assert.isTrue(living(guard.pid))
        assert.isTrue(living(group.pgid))
        assert.strictEqual((await bench.lookOnce(attempt))._tag, "Alive")
      }
      await eventually("both at work", () => existsSync(bench.path("pids")))
      writeFileSync(bench.path("go"), "")
      for (const attempt of attempts) {
        assert.deepStrictEqual(await bench.ended(attempt), exited(0))
      }
      assert.lengthOf(bench.read(bench.path("pids")).trim().split("\n"), 2)
    }))

  it("of a step that is killed while it starts them run once or never", () => withBench(async (bench) => {
    const round = async (number: number): Promise<ReadonlyArray<string>> => {
      const attempts = Array.from({ length: 12 }, (_, index) => bench.attempt(100 * number + index))
      const pids = bench.path(`pids-${number}`)
      const { end } = step(bench, attempts, `mark ${pids}`)
      // Killed when its first lock is there, when its last lock is there, then at ever more journals.
      const last = attempts[number === 1 ? 0 : number === 2 ? 11 : (number - 3) * 2] ?? assert.fail("no attempt")
      await eventually("a part of the start", () => existsSync(number < 3 ? last.files.lock : last.files.run))
      await end("SIGKILL")
      const ends = await Promise.all(attempts.map((attempt) => bench.ended(attempt)))
      assert.isEmpty(ends.filter(({ _tag }) => _tag !== "Exited" && _tag !== "Unstarted"))
      const ran = existsSync(pids) ? bench.read(pids).trim().split("\n").length : 0
      assert.strictEqual(ran, ends.filter(({ _tag }) => _tag === "Exited").length)
      return ends.map(({ _tag }) => _tag)
    }
    const seen = new Set((await Promise.all([1, 2, 3, 4, 5, 6].map(round))).flat())
    assert.deepStrictEqual([...seen].sort(), ["Exited", "Unstarted"])
  }))
})
