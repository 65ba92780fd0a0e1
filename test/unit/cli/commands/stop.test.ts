// The arguments of `stop`, and the stop of a plan's run. test/process/stop.test.ts has how it ends.
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { perform } from "../../../../src/cli/command.ts"
import * as stop from "../../../../src/cli/commands/stop.ts"
import { PrNumber } from "../../../../src/run/Target.ts"
import { ScriptedAgent } from "../../../../src/testing.ts"
import { call, inWorld } from "../../drive/plan/plans.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(stop)
const hash = "0123456789abcdef".repeat(4)
const anywhere = { stateRoot: null, run: null, floor: null, expectHead: null, json: false } as const
const plain = { ...anywhere, target: { _tag: "Uncommitted" } } as const

describe("the arguments of stop", () => {
  it("name a target", async () => assert.deepStrictEqual(await asked("--uncommitted"), plain))

  it("may name a floor and a head", async () =>
    assert.deepStrictEqual(await asked(`--pr 7 --level high --expect-head 3:${hash} --json`), {
      ...plain,
      target: { _tag: "PullRequest", number: PrNumber.make(7) },
      floor: "high",
      expectHead: { seq: 3, hash },
      json: true
    }))

  it("name nothing by default: what is under way is stopped", async () =>
    assert.deepStrictEqual(await asked(""), { ...anywhere, target: null }))

  it("may name a run as the other subcommands do", async () => {
    for (const line of ["2026", "--run 2026"]) {
      assert.deepStrictEqual(await asked(line), { ...anywhere, target: null, run: "2026" })
    }
    assert.strictEqual(await problem("2026 --uncommitted"), "RUN and --uncommitted exclude each other")
  })
})

describe("stop of a plan's run", () => {
  const called = { cwd: Effect.succeed("/repo"), version: "0" }
  const bare = { ...anywhere, target: null }
  const doing = { agents: { implement: () => ScriptedAgent.answers("late", { after: 600_000 }) } }

  it("needs no name where nothing else is at work", async () => {
    const { again, ended, first } = await inWorld(
      doing,
      Effect.gen(function*() {
        const calling = yield* Effect.forkChild(call())
        yield* Effect.sleep(10_000)
        const first = yield* stop.run(bare, called)
        return { first, ended: yield* Fiber.join(calling), again: yield* stop.run(bare, called) }
      })
    )
    assert.deepStrictEqual([first.stdout, first.code], ["stopped 1 agent, the driver\n", 0])
    assert.strictEqual(ended.header, "DoneAborted")
    assert.strictEqual(again.stdout, "nothing to stop: no run of this worktree is under way\n")
  })

  it("names no driver that was killed before, and moves only a run that has not moved", async () => {
    const [moved, floored, first, second, document] = await inWorld(
      doing,
      Effect.gen(function*() {
        const calling = yield* Effect.forkChild(call())
        yield* Effect.sleep(10_000)
        yield* Fiber.interrupt(calling)
        const named = { ...bare, run: "1970" }
        return [
          yield* perform(stop.run({ ...named, expectHead: { seq: 1, hash } }, called)),
          yield* stop.run({ ...named, floor: "low" }, called),
          yield* stop.run(named, called),
          yield* stop.run(named, called),
          yield* stop.run({ ...named, json: true }, called)
        ] as const
      })
    )
    assert.deepStrictEqual([moved.code, moved.stdout], [6, ""])
    assert.match(floored.stdout, /^nothing to stop: the run of a plan begins at no level/)
    assert.strictEqual(first.stdout, "stopped 1 agent\n")
    assert.strictEqual(second.stdout, "nothing to stop: no process works on the plan\n")
    const { line, run } = JSON.parse(document.stdout)
    assert.strictEqual(line, "nothing to stop: no process works on the plan")
    assert.match(run.run, /^1970/)
  })
})
