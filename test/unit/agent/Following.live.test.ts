// Following.live: every event once, the same for every follower; the limits on silence; how the attempt ended.
// The agents are real processes under the real guard; a journal by hand only for the order of strikes.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { codexProgram } from "../../../src/agent/Kinds.live.ts"
import { endOf as endOfAttempt, type EndSighting, followAttempt } from "../../../src/agent/Following.live.ts"
import { makeAgent, transcript } from "../../../src/agent/Agent.live.ts"
import { makeGuard } from "../../../src/platform/guard/Guard.ts"
import { readWholeAnswer } from "../../../src/agent/stream/Lines.ts"
import { defaultLimits } from "../../../src/agent/Task.ts"
import { jobOf } from "../../../src/agent/Program.live.ts"
import { emptyStream } from "../../../src/agent/stream/AgentStream.ts"
import { endOf, say, tagsOf, withAgents } from "../../support/agentBench.ts"
import { eventually } from "../platform/guard/processes.ts"

describe("who follows an agent", () => {
  it("hears every event once, in order, and then how it ended", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(say.begun + say.message("Done.") + say.done + "echo warning >&2")
      const updates = await bench.follow(attempt)
      assert.deepStrictEqual(tagsOf(updates), [
        "ThreadStarted",
        "TurnStarted",
        "ItemCompleted",
        "TurnCompleted",
        "Ended"
      ])
      const ended = endOf(updates)
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "Done." })
      assert.deepStrictEqual(
        [ended.message, ended.threadId, ended.turn, ended.usage],
        ["Done.", "t-1", "completed", { input: 3, cached: 0, output: 2, reasoning: 0 }]
      )
      assert.isAbove(ended.transcript.bytes, 0)
      // A later one hears the same.
      const again = await bench.follow(attempt)
      assert.deepStrictEqual(tagsOf(again), tagsOf(updates))
      assert.deepStrictEqual(endOf(again), ended)
    }))

  it(
    "ends it when it lingers behind the end of its turn, and takes its answer",
    { timeout: 60_000 },
    () =>
      withAgents(async (bench) => {
        const lingers = "while :; do echo hook: Stop; sleep 0.5; done"
        const attempt = await bench.run(say.begun + say.message("Done.") + say.done + lingers)
        assert.deepStrictEqual((await bench.ended(attempt)).ending, { _tag: "Done", message: "Done." })
        assert.isEmpty(bench.living(attempt))
      })
  )

  it(
    "leaves it running while a task of its own goes on behind the end of its turn, and takes its last answer",
    { timeout: 60_000 },
    () =>
      withAgents(async (bench) => {
        const line = (fields: object) => `echo '${JSON.stringify(fields)}'; `
        const begun = line({ type: "system", subtype: "init", session_id: "s" })
        const answers = (text: string) =>
          line({ type: "assistant", message: { content: [{ type: "text", text }] } }) +
          line({ type: "result", subtype: "success", is_error: false, stop_reason: "end_turn" })
        const started = line({ type: "system", subtype: "task_started", task_id: "t" })
        const over = line({ type: "system", subtype: "task_notification", task_id: "t", status: "completed" })
        const goesOn = begun + started + answers("I wait.") + "sleep 13; "
        const run = (script: string, agent: number, timeout = defaultLimits.timeout) =>
          bench.run(
            script,
            { ...bench.ref(1, agent), kind: "claude" },
            bench.task({ limits: { ...defaultLimits, timeout } })
          )
        const limits = { first: 20_000, idle: 1000 }
        const last = await bench.ended(await run(goesOn + over + begun + answers("Done."), 1), limits)
        assert.deepStrictEqual(last.ending, { _tag: "Done", message: "Done." })
        // What it has answered counts though its time is up.
        const late = await bench.ended(await run(goesOn + "sleep 3600", 2, 15_000), limits)
        assert.deepStrictEqual(late.ending, { _tag: "Done", message: "I wait." })
      })
  )

  it("while it works hears what it says by then, and leaves it running when they go", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(
        `${say.begun}while [ ! -e '${bench.path("go")}' ]; do sleep 0.05; done; ${say.message("Late.")}${say.done}`
      )
      const agent = makeAgent(codexProgram("codex"))
      const first = await bench.run1(Stream.runCollect(Stream.take(agent.follow(attempt, defaultLimits), 2)))
      assert.deepStrictEqual(tagsOf(first), ["ThreadStarted", "TurnStarted"])
      assert.isAtLeast(bench.living(attempt).length, 2)
      const [mine, theirs] = [bench.follow(attempt), bench.follow(attempt)]
      writeFileSync(bench.path("go"), "")
      assert.strictEqual(endOf(await mine).message, "Late.")
      assert.deepStrictEqual(endOf(await theirs), endOf(await mine))
    }))

  it("of an agent that never began learns that", () =>
    withAgents(async (bench) => {
      assert.deepStrictEqual(tagsOf(await bench.follow(bench.ref())), ["NeverBegan"])
    }))
})

describe("an agent that is silent", () => {
  it("from its start is ended as idle, for later followers too", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run("echo warning >&2; sleep 3600")
      const limits = { first: 800, idle: 1500 }
      const ended = await bench.ended(attempt, limits)
      assert.deepStrictEqual(ended.ending, { _tag: "Idle", after: 800, message: "said nothing for 0.8 s" })
      assert.deepStrictEqual(bench.living(attempt), [])
      assert.deepStrictEqual(await bench.ended(attempt, limits), ended)
    }))

  it("after it spoke has another limit, and connecting again is no word", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(`${say.begun}while :; do ${say.reconnecting} sleep 0.2; done`)
      // A loaded machine may take a while to start the agent.
      const { ending, threadId } = await bench.ended(attempt, { first: 20_000, idle: 1500 })
      assert.deepStrictEqual([ending._tag, threadId], ["Idle", "t-1"])
      if (ending._tag === "Idle") assert.strictEqual(ending.after, 1500)
    }))

  it("while a command of its own runs is left in peace", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(
        say.begun + say.command("started") + "sleep 3;" + say.command("completed") + say.message("Built.") + say.done
      )
      assert.strictEqual((await bench.ended(attempt, { first: 20_000, idle: 1000 })).ending._tag, "Done")
    }))

  it("by its kind is left in peace", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run("sleep 2; echo The answer.")
      const updates = await bench.run1(Stream.runCollect(followAttempt(makeGuard(transcript), {
        attempt,
        limits: { ...defaultLimits, first: 100, idle: 100 },
        hearing: readWholeAnswer(),
        talks: false
      })))
      assert.deepStrictEqual(endOf(updates).ending, { _tag: "Done", message: "The answer." })
    }))

  it("and that is not followed any more continues", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run("sleep 3600")
      const agent = makeAgent(codexProgram("codex"))
      const left = Stream.runDrain(agent.follow(attempt, defaultLimits)).pipe(Effect.timeoutOption(300))
      await bench.run1(left)
      await eventually("it at work", () => bench.living(attempt).length >= 2)
    }))
})

const struck = (lines: string, over: EndSighting, stream = emptyStream) =>
  new Promise<ReturnType<typeof endOfAttempt>>((resolve, reject) =>
    withAgents(async ({ ref }) => {
      const { files } = jobOf(ref())
      mkdirSync(dirname(files.journal), { recursive: true })
      writeFileSync(files.journal, `attempt a 123 4 boot\n${lines}`)
      appendFileSync(files.log, "the last words\n")
      resolve(endOfAttempt(files, over, stream, { ...defaultLimits, timeout: 1500, first: 60, maxTranscript: 9 }))
    }).catch(reject)
  )
const exited = (status: number): EndSighting => ({ _tag: "Exited", status, deadline: false, oversize: false })

describe("an attempt that ended", () => {
  it.each([
    ["deadline\n", { _tag: "Deadline", after: 1500, message: "not done after 1.5 s" }],
    ["idle\nstopped TERM\ndeadline\n", { _tag: "Idle", after: 60, message: "said nothing for 0.1 s" }],
    ["transcript\n", { _tag: "Crashed", exit: 143, message: "printed more than 9 bytes" }],
    ["asked\nstopped TERM\n", { _tag: "Interrupted", message: "it was stopped on request" }],
    ["stopped TERM\n", { _tag: "Crashed", exit: 143, message: "the last words" }]
  ])("by %j names the first cause", async (lines, ending) => {
    const end = await struck(lines, exited(143))
    assert.deepStrictEqual({ ...end.ending }, ending)
    assert.strictEqual(end.transcript.bytes, 15)
  })

  it("in good order has no strike counted against it", async () => {
    const end = await struck("deadline\n", exited(0), { ...emptyStream, message: "Done.", read: "events" })
    assert.deepStrictEqual(end.ending, { _tag: "Done", message: "Done." })
  })

  it("without a trace has crashed, unless its turn was completed", async () => {
    const lost: EndSighting = { _tag: "Lost" }
    const crashed = (await struck("", lost)).ending
    assert.deepStrictEqual([crashed._tag, "exit" in crashed ? crashed.exit : 0], ["Crashed", null])
    const done = await struck("", lost, { ...emptyStream, message: "Done.", turn: "completed", read: "events" })
    assert.strictEqual(done.ending._tag, "Done")
    const open = await struck("", lost, { ...emptyStream, message: "So far.", turn: "open", read: "events" })
    assert.deepStrictEqual([open.ending._tag, open.message], ["Crashed", "So far."])
  })

  it("behind the end of its turn has answered, whatever ended its process; one that exits by itself says how", async () => {
    const done = { ...emptyStream, message: "Done.", turn: "completed", read: "events" } as const
    for (const [lines, status] of [["deadline\n", 143], ["idle\n", 1], ["", 137]] as const) {
      assert.deepStrictEqual((await struck(lines, exited(status), done)).ending, { _tag: "Done", message: "Done." })
    }
    assert.strictEqual((await struck("", exited(1), done)).ending._tag, "Crashed")
    const failed = { ...done, turn: "failed", turnError: "Quota exceeded." } as const
    assert.strictEqual((await struck("deadline\n", exited(143), failed)).ending._tag, "Quota")
  })

  it("in the middle of a turn was ended by its limit, also where it exits with 0", async () => {
    const open = { ...emptyStream, message: "So far.", turn: "open", read: "events" } as const
    assert.strictEqual((await struck("deadline\n", exited(0), open)).ending._tag, "Deadline")
  })

  it("at its deadline, or beyond its limit of output, is ended by a real guard", () =>
    withAgents(async (bench) => {
      const late = await bench.run(
        `${say.begun}sleep 3600`,
        bench.ref(),
        bench.task({ limits: { ...defaultLimits, timeout: 1000 } })
      )
      assert.strictEqual((await bench.ended(late, { timeout: 1000 })).ending._tag, "Deadline")
      const loud = await bench.run(
        `${say.begun}while :; do ${say.reconnecting} done`,
        bench.ref(1, 2),
        bench.task({ limits: { ...defaultLimits, maxTranscript: 10_000 } })
      )
      const { ending } = await bench.ended(loud, { maxTranscript: 10_000 })
      assert.deepStrictEqual([ending._tag, ending.message], ["Crashed", "printed more than 10000 bytes"])
    }))
})
