// Reviews of a plan's work by the real Codex CLI: the schema of the answer, its correction on the thread, its conversion.
// The model is a stand-in; what is asserted is what it was asked, and what the log of the driver says.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { askForReview } from "../../src/agent/AskForReview.ts"
import { type ReviewIssue, reviewJsonSchema } from "../../src/agent/PlanReview.ts"
import { convergeRun, openDriver } from "../../src/drive/converge/State.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { type AgentBench, withAgents } from "./agents.ts"

const issue: ReviewIssue = {
  severity: "major",
  place: "one.mjs:1",
  description: "It is one.",
  suggestion: "Make it two."
}
const valid = JSON.stringify({ issues: [issue], verdict: "NEEDS_FIXES" })
const accepted = JSON.stringify({ issues: [], verdict: "ACCEPTABLE" })

/** A model that gives these answers in this order, the last one to all that follow. */
const inOrder = (...answers: ReadonlyArray<string>): Policy => ({ index }) => ({
  _tag: "Message",
  text: answers[index] ?? answers.at(-1) ?? ""
})

const reviewed = async (bench: AgentBench) => {
  const { answer: _answer, sandbox: _sandbox, ...task } = bench.task({
    role: "spec-reviewer",
    prompt: "Review one.mjs."
  })
  const { run } = bench.ref()
  const { result } = await bench.live(Effect.flatMap(openDriver(run), (driver) => askForReview(driver, { task })))
  const { commits } = await bench.live(EventLog.use((log) => log.read(convergeRun, run)))
  const events = commits.flatMap((line) => line.events)
  return {
    came: result,
    get result() {
      return result._tag === "Reviewed" ? result : assert.fail(result._tag)
    },
    read: events.flatMap((event) => event._tag === "AgentFinished" ? [event.read] : []),
    started: events.flatMap((event) => event._tag === "AgentStarted" ? [event] : []),
    threads: events.flatMap((event) => event._tag === "AgentFinished" ? [event.threadId] : []),
    judged: events.flatMap((event) => event._tag === "ResultJudged" ? [`${event.grammar} ${event.action}`] : [])
  }
}

describe("a reviewer that is the real Codex CLI", () => {
  it("is held to the schema by its request, and its JSON is read", () =>
    withAgents(() => inOrder(valid), async (bench) => {
      const { judged, result } = await reviewed(bench)
      assert.deepInclude(result, { verdict: "NEEDS_FIXES", grammar: "json", issues: [issue], text: valid })
      assert.deepStrictEqual(judged, ["json remediate"])
      assert.lengthOf(bench.requests, 1)
      const format = JSON.stringify(bench.requests[0]?.body)
      assert.include(format, JSON.stringify(reviewJsonSchema()))
      assert.include(format, '"strict":true')
    }))

  it("cannot write", () =>
    withAgents(
      () => ({ outputs: [first, second] }) => {
        if (first === undefined) return { _tag: "Command", cmd: "echo two > one.mjs" }
        if (second === undefined) return { _tag: "Command", cmd: "cat one.mjs" }
        return { _tag: "Message", text: /Read-only file system/.test(first.text) ? accepted : valid }
      },
      async (bench) => {
        assert.strictEqual((await reviewed(bench)).result.verdict, "ACCEPTABLE")
        assert.strictEqual(bench.git("status", "--porcelain"), "")
      }
    ))

  it("and accepts work without a command, or with none that succeeded, is replaced once", () =>
    withAgents(
      () => ({ index, outputs: [first] }) =>
        index > 0 && first === undefined
          ? { _tag: "Command", cmd: "cat missing.mjs" }
          : { _tag: "Message", text: accepted },
      async (bench) => {
        const { came, judged, read, started } = await reviewed(bench)
        assert.deepStrictEqual([judged, read], [["json spawn", "json block"], ["nothing", "nothing"]])
        assert.deepStrictEqual(started.map(({ thread }) => thread), [null, null])
        const message = "the reviewer read nothing: none of its commands succeeded"
        assert.deepInclude(came, { _tag: "Blocked", ending: { _tag: "Empty", message, unreadable: false } })
      }
    ))

  it("and accepts work only when its answer is corrected is held to what it read before", () =>
    withAgents(() => ({ index, outputs: [first] }) => {
      // The first reviewer reads nothing, the second one does.
      if (index === 2 && first === undefined) return { _tag: "Command", cmd: "cat one.mjs" }
      return { _tag: "Message", text: index === 1 || index === 4 ? accepted : accepted.slice(0, -1) }
    }, async (bench) => {
      const { judged, read, result } = await reviewed(bench)
      assert.deepStrictEqual(judged, ["none correct", "json spawn", "none correct", "json accept"])
      assert.deepStrictEqual(read, ["nothing", "nothing", "tools", "nothing"])
      // The words of the reviewer that was replaced are no part of the review.
      assert.strictEqual(result.text, `${accepted.slice(0, -1)}\n\n${accepted}`)
    }))

  it("corrects invalid JSON on its own thread, held to the schema again", () =>
    withAgents(() => inOrder(valid.slice(0, -1), valid), async (bench) => {
      const { judged, result, started, threads } = await reviewed(bench)
      assert.deepStrictEqual(judged, ["none correct", "json remediate"])
      assert.deepStrictEqual(result.issues, [issue])
      assert.lengthOf(bench.requests, 2)
      assert.isNotNull(threads[0])
      assert.deepStrictEqual([started[1]?.thread, threads[1]], [threads[0], threads[0]])
      const [, second] = bench.requests
      assert.match(second?.prompt ?? "", /Review one\.mjs\.[^]*Your answer could not be read:[^]*Do not review again/)
      assert.include(JSON.stringify(second?.body), JSON.stringify(reviewJsonSchema()))
    }))

  it("gives way to a fresh agent that converts what was said, on a thread that knows nothing else", () =>
    withAgents(() => inOrder("It is one. NEEDS FIXES, I mean", "As I said.", valid), async (bench) => {
      const { judged, result, started, threads } = await reviewed(bench)
      assert.deepStrictEqual(judged, ["none correct", "none convert", "json remediate"])
      assert.deepInclude(result, { issues: [issue], text: "It is one. NEEDS FIXES, I mean\n\nAs I said." })
      assert.isNull(started[2]?.thread)
      assert.notStrictEqual(threads[2], threads[0])
      const third = bench.requests[2]
      assert.match(third?.prompt ?? "", /```text\n\| It is one\. NEEDS FIXES, I mean\n\|\n\| As I said\.\n```/)
      assert.notInclude(third?.prompt, "Review one.mjs.")
      assert.include(JSON.stringify(third?.body), JSON.stringify(reviewJsonSchema()))
    }))

  it("that no one can read is NEEDS_FIXES, and says so", () =>
    withAgents(() => inOrder("Looks fine.", "Still fine.", accepted), async (bench) => {
      const { judged, result } = await reviewed(bench)
      assert.deepStrictEqual(judged, ["none correct", "none convert", "json remediate"])
      assert.strictEqual(result.verdict, "NEEDS_FIXES")
      assert.deepStrictEqual(result.problems, ["the review itself never said ACCEPTABLE"])
    }))
})
