// Agents under faults: their driver is killed at every stage, they are killed themselves, or they do not end.
// Small shell scripts take the place of codex only for what the real one cannot be made to do.
// A wrapper lives a moment longer once its exit file is in place: it still touches the wake file.
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readJournal } from "../../src/platform/guard/Journal.ts"
import { agentFiles } from "../../src/run/Layout.live.ts"
import { defaultLimits } from "../../src/agent/Task.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import { type AgentBench, endOf, say, tagsOf, withAgents } from "../support/agentBench.ts"
import { eventually } from "../unit/platform/guard/processes.ts"

const directory = mkdtempSync(join(tmpdir(), "ooda-driver-"))
const program = join(directory, "agentDriver.mjs")

beforeAll(() =>
  build({
    input: fileURLToPath(new URL("./agentDriver.ts", import.meta.url)),
    platform: "node",
    output: { file: program, format: "esm" }
  })
)
afterAll(() => rmSync(directory, { recursive: true }))

/** A driver as a process of its own, and the lines that it has said so far. */
const drive = (bench: AgentBench, attempt: AgentRef, script: string, quiet = false) => {
  const binary = bench.path(`agent-${attempt.agent}-${attempt.attempt}`)
  writeFileSync(binary, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const orders = JSON.stringify({ binary, attempt, task: bench.task(), quiet })
  const child: ChildProcess = spawn(process.execPath, [program, orders], { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout?.on("data", (part: Buffer) => (said += part.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return {
    said: () => said,
    ended,
    kill: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}

const wrapperOf = (attempt: AgentRef): number | null => {
  const journal = readJournal(agentFiles(attempt).journal)
  return journal._tag === "Started" ? journal.wrapper.pid : null
}
const leaderOf = (attempt: AgentRef): number | null => {
  const journal = readJournal(agentFiles(attempt).journal)
  return journal._tag === "Started" ? journal.group?.pgid ?? null : null
}

const waits = (bench: AgentBench): string =>
  `${say.begun}while [ ! -e '${bench.path("go")}' ]; do sleep 0.05; done; ${say.message("Done.")}${say.done}`
const whole = ["ThreadStarted", "TurnStarted", "ItemCompleted", "TurnCompleted", "Ended"]

describe("an agent whose driver is killed", () => {
  it.each(["started\n", "ThreadStarted\n", "TurnStarted\n"])(
    "once it has said %j is adopted with all it says",
    (stage) =>
      withAgents(async (bench) => {
        const attempt = bench.ref()
        const driver = drive(bench, attempt, waits(bench))
        await eventually("the stage", () => driver.said().includes(stage))
        await driver.kill()
        await pause(50)
        writeFileSync(bench.path("go"), "")
        const updates = await bench.follow(attempt)
        assert.deepStrictEqual(tagsOf(updates), whole)
        assert.strictEqual(endOf(updates).message, "Done.")
      })
  )

  it(
    "at any moment of its start either begins and is adopted, or never begins",
    { tags: "slow" },
    () =>
      withAgents(async (bench) => {
        writeFileSync(bench.path("go"), "")
        const following: Array<Promise<string>> = []
        for (let agent = 1; agent <= 12; agent += 1) {
          const attempt = bench.ref(1, agent)
          const driver = drive(bench, attempt, waits(bench))
          await eventually("its first word", () => driver.said().includes("starting\n"))
          await pause((agent - 1) * 4)
          await driver.kill()
          following.push(bench.follow(attempt).then((updates) => tagsOf(updates).join(" ")))
        }
        for (const one of await Promise.all(following)) assert.include([whole.join(" "), "NeverBegan"], one)
      })
  )

  it("and that ended meanwhile has the same end for a later driver", () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      const driver = drive(bench, attempt, waits(bench))
      await eventually("a word of it", () => driver.said().includes("TurnStarted\n"))
      await driver.kill()
      writeFileSync(bench.path("go"), "")
      await eventually("its end", () => existsSync(agentFiles(attempt).exit))
      assert.deepStrictEqual(tagsOf(await bench.follow(attempt)), whole)
    }))
})

describe("an agent that is killed", () => {
  it("has crashed with its signal, and what it said is kept", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(`${say.begun}${say.message("So far.")}sleep 3600`)
      const leader = await eventually("its group", () => leaderOf(attempt))
      const following = bench.follow(attempt)
      await eventually("its words", () => readFileSync(agentFiles(attempt).out, "utf8").includes("So far."))
      process.kill(-leader, "SIGKILL")
      const { ending, message } = endOf(await following)
      assert.deepInclude(ending, { _tag: "Crashed", exit: 137 })
      assert.strictEqual(message, "So far.")
      await eventually("nothing of it", () => bench.living(attempt).length === 0)
    }))

  it(
    "together with its wrapper leaves no process, and every reader finds that it crashed",
    { tags: "slow" },
    () =>
      withAgents(async (bench) => {
        const attempt = await bench.run(`${say.begun}setsid sleep 3600 & sleep 3600`)
        const wrapper = await eventually("its wrapper", () => leaderOf(attempt) === null ? null : wrapperOf(attempt))
        process.kill(wrapper, "SIGKILL")
        const ended = await bench.ended(attempt)
        assert.deepInclude(ended.ending, { _tag: "Crashed", exit: null })
        assert.strictEqual(ended.threadId, "t-1")
        assert.deepStrictEqual(bench.living(attempt), [])
        assert.deepStrictEqual(await bench.ended(attempt), ended)
      })
  )

  it(
    "when it had said its answer, by the loss of its wrapper, has answered",
    { tags: "slow" },
    () =>
      withAgents(async (bench) => {
        const attempt = await bench.run(`${say.begun}${say.message("Done.")}${say.done}sleep 3600`)
        const wrapper = await eventually("its wrapper", () => leaderOf(attempt) === null ? null : wrapperOf(attempt))
        await eventually("its end", () => readFileSync(agentFiles(attempt).out, "utf8").includes("turn.completed"))
        process.kill(wrapper, "SIGKILL")
        assert.deepStrictEqual((await bench.ended(attempt)).ending, { _tag: "Done", message: "Done." })
        assert.deepStrictEqual(bench.living(attempt), [])
      })
  )
})

describe("an agent that will not end", () => {
  const stubborn = "trap '' TERM INT HUP; (trap '' TERM; while :; do sleep 3600; done) & while :; do sleep 3600; done"

  it("when it is idle is killed with all it started, and was idle", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(say.begun + stubborn)
      const { ending } = await bench.ended(attempt, { idle: 500 })
      assert.deepInclude(ending, { _tag: "Idle", after: 500 })
      assert.deepStrictEqual(bench.living(attempt), [])
    }))

  it("is killed on request, with all it started", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(say.begun + stubborn)
      await eventually("it at work", () => bench.living(attempt).length > 3)
      assert.isAtLeast(await bench.stop(attempt), 2)
      assert.deepStrictEqual(bench.living(attempt), [])
      assert.deepInclude((await bench.ended(attempt)).ending, { _tag: "Interrupted" })
    }))

  it(
    "at its deadline is killed with all it started, also without a follower",
    { tags: "slow" },
    () =>
      withAgents(async (bench) => {
        const task = bench.task({ limits: { ...defaultLimits, timeout: 1000 } })
        const attempt = await bench.run(say.begun + stubborn, bench.ref(), task)
        await eventually("its end", () => existsSync(agentFiles(attempt).exit))
        assert.deepInclude((await bench.ended(attempt, { timeout: 1000 })).ending, { _tag: "Deadline", after: 1000 })
        await eventually("nothing of it", () => bench.living(attempt).length === 0)
      })
  )

  it(
    "because a child holds its output has ended when it ends itself",
    { tags: "slow" },
    () =>
      withAgents(async (bench) => {
        const attempt = await bench.run(
          `${say.begun}sleep 3600 & setsid sleep 3600 & ${say.message("Done.")}${say.done}`
        )
        assert.strictEqual((await bench.ended(attempt)).ending._tag, "Done")
        await eventually("nothing of it", () => bench.living(attempt).length === 0)
      })
  )
})

describe.each([
  { size: "a hundred megabytes", tens: "0", lines: "104", tags: [] },
  { size: "a gigabyte", tens: "0 1 2 3 4 5 6 7 8 9", lines: "1004", tags: ["slow"] }
])("an agent that prints $size", ({ lines, tags, tens }) => {
  it("is followed in constant memory", { tags, timeout: 180_000 }, () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      const megabyte = "head -c 1000000 /dev/zero | tr '\\0' x"
      const line =
        `printf '{"type":"item.completed","item":{"id":"c","type":"reasoning","text":"%s"}}\\n' "$(${megabyte})"`
      const script = `${say.begun}${line} >one; for i in ${tens}; do for j in 0 1 2 3 4 5 6 7 8 9; do ` +
        `cat one one one one one one one one one one; done; done; ${say.message("Done.")}${say.done}`
      const driver = drive(bench, attempt, script, true)
      await driver.ended
      const [, heard, most] = /^Ended Done\nheard (\d+), at most (\d+) KiB\n$/m.exec(driver.said()) ?? []
      assert.strictEqual(heard, lines, driver.said())
      // Node itself with the program takes some 100 MiB; a line of a megabyte is copied a few times.
      assert.isBelow(Number(most), 400 * 1024)
    }))
})
