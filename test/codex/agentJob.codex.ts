// The main job of an agent, with the real Codex CLI and everything else live: it edits, answers in the contract, is undone.
// The log of the driver is the real one; what is asserted is on the disk, in git and in that log.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { askForResult } from "../../src/agent/AskForResult.ts"
import { openDriver } from "../../src/drive/converge/State.ts"
import { runAgent } from "../../src/agent/RunAgent.ts"
import { resultJsonSchema } from "../../src/agent/Result.ts"
import { type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import { Snapshots } from "../../src/code/Snapshots.ts"
import { type AgentBench, withAgents } from "./agents.ts"

const task = ({ repo }: AgentBench): AgentTask => ({
  role: "worker",
  taskId: "T-1",
  prompt: "Make it two, and add a note.",
  cwd: repo,
  sandbox: "workspace-write",
  effort: "high",
  model: null,
  findings: null,
  answer: null,
  limits: defaultLimits
})

const edits: Policy = ({ outputs }) =>
  outputs.length === 0
    ? { _tag: "Command", cmd: "sed -i 's/1/2/' one.mjs && echo note > note.txt && rm two.mjs" }
    : { _tag: "Message", text: "role: worker\ntask_id: T-1\nstatus: pass\n\nIt is two now." }

describe("an agent of a run", () => {
  it("edits its worktree and answers in the contract; an undo brings back every byte, and leaves git as it is", () =>
    withAgents(() => edits, async (bench) => {
      const { git, live, repo } = bench
      writeFileSync(join(repo, "two.mjs"), "export const two = 2\n")
      const [head, index] = [git("rev-parse", "HEAD"), git("ls-files", "--stage")]
      const { run } = bench.ref()
      const read = (name: string) => readFileSync(join(repo, name), "utf8")

      const { driver, result, taken } = await live(Effect.gen(function*() {
        const { driver, result } = yield* askForResult(yield* openDriver(run), { task: task(bench) })
        return { driver, result, taken: yield* Snapshots.use((snapshots) => snapshots.list(run)) }
      }))
      const [before, after] = taken
      if (result._tag !== "Judged") return assert.fail(result._tag)
      assert.strictEqual(result.action, "accept")
      assert.strictEqual(result.result.fields["git_range"], `${before?.commit}..${after?.commit}`)
      assert.deepStrictEqual(driver.state.agents.agents[0]?.gitChanged, [])
      assert.deepStrictEqual([read("one.mjs"), read("note.txt")], ["export const one = 2\n", "note\n"])
      assert.isFalse(existsSync(join(repo, "two.mjs")))
      const [agent] = driver.state.agents.agents
      assert.strictEqual(agent?.standing._tag, "Finished")
      assert.deepInclude(agent?.started, { kind: "codex", sandbox: "workspace-write", cause: "First" })

      await live(
        Snapshots.use((snapshots) =>
          snapshots.restore(run, repo, { _tag: "Snapshot", number: 1 }, { force: false, partial: false })
        )
      )
      assert.deepStrictEqual([read("one.mjs"), read("two.mjs")], ["export const one = 1\n", "export const two = 2\n"])
      assert.isFalse(existsSync(join(repo, "note.txt")))
      assert.deepStrictEqual([git("rev-parse", "HEAD"), git("ls-files", "--stage")], [head, index])
    }))

  it("must answer in the JSON of the contract, whose text is then read like text with headers", () => {
    const result = {
      role: "worker",
      task_id: "T-1",
      status: "pass",
      git_range: null,
      issues: null,
      text: "Now.\nDONE: 0"
    }
    const json = { _tag: "Message", text: JSON.stringify(result) } as const
    return withAgents(() => () => json, async (bench) => {
      const asking = Effect.flatMap(
        openDriver(bench.ref().run),
        (driver) => askForResult(driver, { task: task(bench) })
      )
      const { result } = await bench.live(asking)
      const form = JSON.stringify(resultJsonSchema({ role: "worker", taskId: "T-1" }))
      assert.include(JSON.stringify(bench.requests[0]?.body), form)
      assert.deepInclude(result, { _tag: "Judged", action: "accept", agent: 1 })
      const message = "role: worker\ntask_id: T-1\nstatus: pass\n\nNow.\nDONE: 0"
      assert.deepInclude(result, { ending: { _tag: "Done", message } })
    })
  })

  it.each(["I had a look around.", "I am blocked: npm install fails. Implementation complete otherwise."])(
    "that only says %j is asked once more, then its task is blocked",
    (text) =>
      withAgents(() => () => ({ _tag: "Message", text }), async (bench) => {
        const asking = Effect.flatMap(openDriver(bench.ref().run), (driver) =>
          askForResult(driver, { task: task(bench) }))
        const { result } = await bench.live(asking)
        assert.deepInclude(result, { _tag: "Judged", action: "block", agent: 2, retried: true })
      })
  )

  it("that changes the state of a repository inside its worktree, which codex leaves open, is found out", () =>
    withAgents(() => ({ outputs }) =>
      outputs.length === 0
        ? { _tag: "Command", cmd: "echo exit 1 > inner/.git/hooks/pre-commit; echo exit 1 > .git/hooks/pre-commit" }
        : { _tag: "Message", text: "Done." }, async (bench) => {
      const { git, live } = bench
      const { run } = bench.ref()
      git("init", "--quiet", "inner")
      git("-C", "inner", "commit", "--quiet", "--allow-empty", "--message", "Begin")
      const { result } = await live(
        Effect.flatMap(openDriver(run), (driver) => askForResult(driver, { task: task(bench) }))
      )
      assert.deepStrictEqual(result, { _tag: "GitStateChanged", agent: 1, files: [], what: ["inner/.git"] })
    }))

  it("whose service fails once is continued on its own thread, and both attempts are in the log", () => {
    const policy: Policy = (request) =>
      request.index === 0 ? scenarios.serverError(request) : { _tag: "Message", text: "Back again." }
    return withAgents(() => policy, async (bench) => {
      const { live, requests } = bench
      const { run } = bench.ref()
      const { driver, result } = await live(
        Effect.flatMap(openDriver(run), (driver) => runAgent(driver, { agent: 1, task: task(bench) }))
      )
      if (result._tag !== "Ended") return assert.fail(result._tag)
      assert.deepStrictEqual(result.ending, { _tag: "Done", message: "Back again." })
      const [agent] = driver.state.agents.agents
      assert.deepStrictEqual(agent?.failures.map(({ failure, next }) => [failure, next]), [["Overloaded", "Continued"]])
      assert.strictEqual(agent?.started.thread, result.threadId)
      assert.match(requests[1]?.prompt ?? "", /Make it two[^]*continue/)
    })
  })

  it("is adopted by a later call with all that it said, also when the first call was cut off", () =>
    withAgents((directory) => ({ outputs }) =>
      outputs.length === 0
        ? { _tag: "Command", cmd: `while [ ! -e ${directory}/repo/go ]; do sleep 0.1; done; echo gone on` }
        : { _tag: "Message", text: outputs[0]?.text ?? "" }, async (bench) => {
      const { live, repo, requests } = bench
      const { run } = bench.ref()
      const order = { agent: 1, task: task(bench) }
      const once = Effect.flatMap(openDriver(run), (driver) => runAgent(driver, order))
      await live(Effect.timeoutOption(once, 2500))
      assert.isAbove(bench.running().length, 1)
      writeFileSync(join(repo, "go"), "")
      const heard: Array<string> = []
      const { driver, result } = await live(
        Effect.flatMap(openDriver(run), (driver) =>
          runAgent(driver, {
            ...order,
            observe: ({ event }) => Effect.sync(() => void heard.push(event._tag))
          }))
      )
      if (result._tag !== "Ended") return assert.fail(result._tag)
      assert.deepStrictEqual(result.ending, { _tag: "Done", message: "gone on\n" })
      assert.deepStrictEqual(heard, [
        "ThreadStarted",
        "TurnStarted",
        "ItemStarted",
        "ItemCompleted",
        "ItemCompleted",
        "TurnCompleted"
      ])
      assert.strictEqual(driver.state.agents.agents[0]?.started.attempt, 1)
      assert.lengthOf(requests, 2)
    }))
})
