// Agents that are the real Codex CLI: what they do and say, how they end, and what a follower hears.
// The model is a stand-in; the streams, the statuses and the sandbox are codex's own.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { refusal } from "../../fixtures/stand-in-model/reply.mjs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import type { AgentEnding } from "../../src/agent/AgentEnding.ts"
import { decodeResult } from "../../src/agent/Result.ts"
import { defaultLimits } from "../../src/agent/Task.ts"
import type { AgentUpdate } from "../../src/agent/Agent.ts"
import { endOf, withAgents } from "./agents.ts"
import { eventually } from "./processes.ts"

const says = (text: string): Policy => () => ({ _tag: "Message", text })
/** A model that runs one command and then says this of its output. */
const runs =
  (cmd: string, then: (output: string, exit: number | undefined) => string = (output) => output): Policy =>
  ({ outputs }) => {
    const [first] = outputs
    return first === undefined
      ? { _tag: "Command", cmd }
      : { _tag: "Message", text: then(first.text, first.exitCode) }
  }
const tags = (updates: ReadonlyArray<AgentUpdate>) =>
  updates.flatMap((one) => {
    if (one._tag !== "Heard") return [one._tag]
    return [one.event._tag + ("item" in one.event ? ` ${one.event.item._tag}` : "")]
  })

describe("an agent", () => {
  it("reads its prompt, answers, and reports its thread and its tokens", () =>
    withAgents(() => says("All done."), async ({ ask, requests }) => {
      const { ended, updates } = await ask({ name: "success", prompt: "Count the files, please.\n" })
      assert.deepStrictEqual(tags(updates), [
        "ThreadStarted",
        "TurnStarted",
        "ItemCompleted Message",
        "TurnCompleted",
        "Ended"
      ])
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "All done." })
      assert.match(ended.threadId ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(ended.usage, { input: 1200, cached: 0, output: 80, reasoning: 0 })
      const [request] = requests
      assert.include(request?.prompt, "Count the files, please.")
      assert.strictEqual(request?.effort, "high")
    }))

  it("edits a file in its worktree, and answers in the contract", () =>
    withAgents(
      () =>
        runs("sed -i 's/1/2/' one.mjs && cat one.mjs", () =>
          "role: worker\ntask_id: T-1\nstatus: gaps\nissues: none\n\nDone."),
      async ({ ask, git, repo }) => {
        const { ended, updates } = await ask({ name: "edit" })
        assert.includeMembers([...tags(updates)], ["ItemStarted Command", "ItemCompleted Command"])
        assert.strictEqual(readFileSync(join(repo, "one.mjs"), "utf8"), "export const one = 2\n")
        assert.strictEqual(git("status", "--porcelain"), "M one.mjs")
        const result = decodeResult(ended.message ?? "", { role: "worker", taskId: "T-1" })
        assert.deepStrictEqual([result.grammar, result.valid, result.status], ["v2", true, "gaps"])
      }
    ))

  it("that may only read is refused by its sandbox, and says so", () =>
    withAgents(
      () => runs("touch written", (output, exit) => `${exit}: ${output}`),
      async ({ ask, repo }) => {
        const { ended } = await ask({ name: "refused", sandbox: "read-only" })
        assert.match(ended.message ?? "", /^1: .*Read-only file system/)
        assert.isFalse(existsSync(join(repo, "written")))
        assert.strictEqual(ended.ending._tag, "Done")
      }
    ))

  it("is asked for an answer in a form", () => {
    const answer = {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false
    }
    return withAgents(() => says('{"ok":true}'), async ({ ask, requests }) => {
      const { ended } = await ask({ name: "schema", answer })
      assert.strictEqual(ended.message, '{"ok":true}')
      assert.include(JSON.stringify(requests[0]?.body), JSON.stringify(answer).slice(1, -1))
    })
  })

  it("continues a thread, whose tokens are counted from its beginning", () =>
    withAgents(() => says("Here."), async ({ ask, ref, requests }) => {
      const first = await ask()
      const thread = first.ended.threadId ?? assert.fail("no thread")
      const second = await ask({ name: "resumed", attempt: ref(2), thread, prompt: "continue" })
      assert.strictEqual(second.ended.threadId, thread)
      assert.deepStrictEqual(second.ended.usage, { input: 2400, cached: 0, output: 160, reasoning: 0 })
      assert.match(requests[1]?.prompt ?? "", /Please do it\.[^]*continue/)
      const third = await ask({ attempt: ref(3), thread, sandbox: "read-only", prompt: "again" })
      assert.strictEqual(third.ended.threadId, thread)
    }))

  it("that is to continue a thread that no one knows fails, and says why", () =>
    withAgents(() => says("Never."), async ({ ask, requests }) => {
      const { ended } = await ask({ thread: "01a1f823-cc88-7932-b599-cafe5a469e32" })
      assert.strictEqual(ended.ending._tag, "Crashed")
      assert.match(ended.ending.message, /no rollout found for thread id/)
      assert.lengthOf(requests, 0)
    }))

  it("whose stream is lost for a moment tries again, and that is no failure", () => {
    const policy: Policy = (request) => request.index === 0 ? { _tag: "Cut" } : { _tag: "Message", text: "At last." }
    return withAgents(() => policy, async ({ ask }) => {
      const { ended, updates } = await ask({ name: "reconnected" })
      assert.include(tags(updates), "Error")
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "At last." })
    }, { streamRetries: 2 })
  })
})

const failing: ReadonlyArray<readonly [string, Policy, Partial<AgentEnding>]> = [
  ["unauthorized", scenarios.unauthorized, { _tag: "Login" }],
  ["rate-limit", scenarios.tooManyRequests, { _tag: "RateLimited" }],
  ["server-error", scenarios.serverError, { _tag: "Overloaded" }],
  ["overloaded", scenarios.overloaded, { _tag: "Overloaded" }],
  ["quota", scenarios.usageLimit(4_102_444_800), { _tag: "Quota" }],
  ["no-credit", () => ({ _tag: "Failed", code: "insufficient_quota", message: "no" }), { _tag: "Quota" }],
  ["context", () => ({ _tag: "Failed", code: "context_length_exceeded", message: "no" }), { _tag: "ContextWindow" }],
  ["cut", scenarios.cutStream, { _tag: "Stream" }],
  ["slow-down", () => ({ _tag: "Failed", code: "rate_limit_exceeded", message: "Please try again in 1.5s" }), {
    _tag: "RateLimited",
    after: 1500
  }],
  ["bad-request", () => refusal(400, { message: "no such thing", type: "invalid_request_error" }), {
    _tag: "BadArguments"
  }],
  ["empty", scenarios.emptyAnswer, { _tag: "Empty" }]
]

describe("a service that fails", () => {
  it.each(failing)(
    "with %s ends the agent with a type",
    (name, policy, ending) =>
      withAgents(() => policy, async ({ ask }) => {
        const { ended, updates } = await ask({ name })
        assert.deepInclude(ended.ending, ending)
        assert.strictEqual(ended.turn, name === "empty" ? "completed" : "failed")
        assert.isAbove(updates.length, 2)
      })
  )

  it("with a usage limit says until when", () =>
    withAgents(() => scenarios.usageLimit(4_102_444_800), async ({ ask }) => {
      const { ending } = (await ask()).ended
      if (ending._tag !== "Quota") return assert.fail(ending._tag)
      assert.isNotNull(ending.until)
    }))

  it("by saying nothing at all ends the agent as idle, for every follower", () =>
    withAgents(() => scenarios.stalledSilently, async ({ ask, follow }) => {
      const limits = { ...defaultLimits, idle: 2500 }
      const { attempt, ended } = await ask({ name: "idle", limits })
      assert.deepInclude(ended.ending, { _tag: "Idle", after: 2500 })
      assert.match(ended.threadId ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(endOf(await follow(attempt, limits)), ended)
    }))

  it("while a command of the agent runs does not make it idle", () =>
    withAgents(() => runs("sleep 5; echo built"), async ({ ask }) => {
      const { ended } = await ask({ limits: { ...defaultLimits, idle: 2000 } })
      assert.deepInclude(ended.ending, { _tag: "Done" })
    }))
})

/** The name of a process; empty when it has just ended. */
const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8")
  } catch {
    return ""
  }
}

describe("an agent that is ended", () => {
  const waiting = (directory: string): Policy =>
    runs(`echo begun; while [ ! -e ${directory}/repo/go ]; do sleep 0.1; done; echo over`)

  it("by its deadline keeps what it did, and leaves nothing behind", () =>
    withAgents(waiting, async ({ ask }) => {
      const { ended } = await ask({ name: "deadline", limits: { ...defaultLimits, timeout: 4000 } })
      assert.deepInclude(ended.ending, { _tag: "Deadline", after: 4000 })
      assert.match(ended.threadId ?? "", /^[0-9a-f-]{36}$/)
    }))

  it("on request was interrupted, and can be continued", () =>
    withAgents(waiting, async ({ ask, ref, repo, requests, running, start, stop }) => {
      const attempt = ref()
      await start(attempt)
      await eventually("a request", () => requests.length > 0)
      assert.isAtLeast(await stop(attempt), 1)
      assert.deepStrictEqual(running(), [])
      writeFileSync(join(repo, "go"), "")
      assert.strictEqual((await ask({ attempt: ref(2) })).ended.ending._tag, "Done")
    }))

  it("by a signal that no one sent on purpose has crashed", () =>
    withAgents(waiting, async ({ follow, ref, requests, running, start }) => {
      const attempt = ref()
      await start(attempt)
      await eventually("a request", () => requests.length > 0)
      const native = running().filter((pid) => nameOf(pid) === "codex\n")
      assert.isAbove(native.length, 0)
      for (const pid of native) process.kill(pid, "SIGKILL")
      assert.deepInclude(endOf(await follow(attempt)).ending, { _tag: "Crashed", exit: 137 })
    }))
})
