// Agents that are the real Codex CLI, run to their end: what follows each failure, and what the log says of it.
// The model is a stand-in that fails until it is asked as it should be; the waits are real.
import { readFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import type { AgentOrder } from "../../src/agent/Order.ts"
import { askForResult } from "../../src/agent/AskForResult.ts"
import { runAgent } from "../../src/agent/RunAgent.ts"
import { stopAgents } from "../../src/agent/Attempt.ts"
import { defaultLimits } from "../../src/agent/Task.ts"
import { convergeRun, openDriver } from "../../src/drive/converge/State.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { type AgentBench, withAgents } from "./agents.ts"
import { eventually } from "./processes.ts"

const message: ReturnType<Policy> = { _tag: "Message", text: "All done." }
/** A model that fails in one way until it is asked in a way that the pattern knows. */
const until = (asked: RegExp, failing: Policy): Policy => (request) =>
  asked.test(request.prompt) ? message : failing(request)
const continued = /Please do it\.[^]*continue/

const driver = ({ ref }: AgentBench) => openDriver(ref().run)
const ran = (bench: AgentBench, order: Partial<AgentOrder> = {}, signal?: AbortSignal) =>
  bench.live(
    Effect.flatMap(driver(bench), (one) => runAgent(one, { agent: 1, task: bench.task(), ...order })),
    signal
  )

/** The log of the driver, event by event, without its snapshots and without what differs from machine to machine. */
const history = async (bench: AgentBench) => {
  const { commits } = await bench.live(EventLog.use((log) => log.read(convergeRun, bench.ref().run)))
  const all = commits.flatMap(({ events }) => events).slice(1).filter(({ _tag }) => _tag !== "SnapshotTaken")
  return all.map((event) => {
    switch (event._tag) {
      case "AgentStarted":
        return `started ${event.attempt} ${event.cause}${event.thread === null ? "" : " of its thread"}`
      case "AgentAttemptFailed":
        assert.isAtLeast(event.wait, 0)
        assert.isNotEmpty(event.because)
        return `${event.failure} ${event.attempt}, then ${event.next}`
      case "AgentFailed":
        return `failed ${event.attempt} ${event.failure}`
      default:
        return event._tag
    }
  })
}

const passing: ReadonlyArray<readonly [string, string, Policy]> = [
  ["a limit of its rate", "RateLimited", scenarios.tooManyRequests],
  ["an error of the service", "Overloaded", scenarios.serverError],
  ["a lost stream", "Stream", scenarios.cutStream],
  ["no answer", "Empty", scenarios.emptyAnswer],
  ["a hang", "Idle", scenarios.stalledSilently]
]

describe.concurrent("an agent is continued after", () => {
  it.each(passing)("%s", (_, failure, policy) =>
    withAgents(() => until(continued, policy), async (bench) => {
      const { result } = await ran(bench, { task: bench.task({ limits: { ...defaultLimits, idle: 2500 } }) })
      assert.deepInclude(result, { _tag: "Ended", ending: { _tag: "Done", message: "All done." } })
      assert.deepStrictEqual(await history(bench), [
        "started 1 First",
        `${failure} 1, then Continued`,
        "started 2 Continued of its thread",
        "AgentFinished"
      ])
    }))

  it("the death of its process", () =>
    withAgents(() => until(continued, () => ({ _tag: "Command", cmd: "sleep 60" })), async (bench) => {
      const over = ran(bench)
      const native = () => bench.running().filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "codex\n")
      await eventually("a request", () => bench.requests.length > 0)
      for (const pid of native()) process.kill(pid, "SIGKILL")
      assert.deepInclude((await over).result, { _tag: "Ended" })
      assert.include(await history(bench), "Crashed 1, then Continued")
    }))

  it("exactly the wait that the service named", () =>
    withAgents(
      () => until(continued, () => ({ _tag: "Failed", code: "rate_limit_exceeded", message: "try again in 1.5s" })),
      async (bench) => {
        await ran(bench)
        const { commits } = await bench.live(EventLog.use((log) => log.read(convergeRun, bench.ref().run)))
        const failed = commits.flatMap(({ events }) => events).find((event) => event._tag === "AgentAttemptFailed")
        assert.deepInclude(failed, { failure: "RateLimited", wait: 1500 })
      }
    ))
})

describe("an agent", () => {
  it("whose prompt is too long gets a shorter one in a new thread", () =>
    withAgents(
      () => until(/Do it, in short\./, () => ({ _tag: "Failed", code: "context_length_exceeded", message: "no" })),
      async (bench) => {
        const { result } = await ran(bench, { compact: () => "Do it, in short." })
        assert.deepInclude(result, { _tag: "Ended", remedy: null })
        assert.deepStrictEqual((await history(bench)).slice(1, 3), [
          "ContextWindow 1, then Compacted",
          "started 2 Compacted"
        ])
      }
    ))

  it.each<[string, string, Policy, RegExp]>([
    ["is not logged in", "Login", scenarios.unauthorized, /codex login/],
    [
      "has used up its quota",
      "Quota",
      scenarios.usageLimit(4_102_444_800),
      /until \w+ \d+\w+, 2(099|100) .*--wait-quota/
    ]
  ])("that %s stops, and says what to do", (_, failure, policy, remedy) =>
    withAgents(() => policy, async (bench) => {
      const { result } = await ran(bench)
      assert.match(result._tag === "Ended" ? result.remedy ?? "" : "", remedy)
      assert.deepStrictEqual(await history(bench), ["started 1 First", `failed 1 ${failure}`])
    }))

  it("survives its driver, is adopted by the next one, and its result is accepted", () =>
    withAgents(
      (directory) => ({ outputs: [first] }) =>
        first === undefined
          ? { _tag: "Command", cmd: `while [ ! -e ${directory}/go ]; do sleep 0.1; done; echo made > made.txt` }
          : message,
      async (bench) => {
        const killed = new AbortController()
        const first = ran(bench, {}, killed.signal).catch(() => "interrupted")
        await eventually("a request", () => bench.requests.length > 0)
        killed.abort()
        assert.strictEqual(await first, "interrupted")
        assert.isNotEmpty(bench.running())
        writeFileSync(`${bench.directory}/go`, "")
        const asked = { task: bench.task(), range: () => Effect.succeed("1111111..2222222") }
        const { result } = await bench.live(Effect.flatMap(driver(bench), (one) => askForResult(one, asked)))
        assert.deepInclude(result, { _tag: "Judged", action: "accept", agent: 1 })
        assert.deepStrictEqual(await history(bench), ["started 1 First", "AgentFinished", "ResultJudged"])
      }
    ))

  it("is ended by a stop, and nothing of it is left", () =>
    withAgents(() => () => ({ _tag: "Command", cmd: "sleep 60" }), async (bench) => {
      const over = ran(bench)
      await eventually("a request", () => bench.requests.length > 0)
      await bench.live(Effect.flatMap(driver(bench), (one) => stopAgents(one, "Stop")))
      // Whoever waits for the agent runs git in the same environment.
      await over
      assert.deepStrictEqual(bench.running(), [])
      assert.match((await history(bench)).at(-1) ?? "", /^(AgentStopped|failed 1 Interrupted)$/)
    }))
})
