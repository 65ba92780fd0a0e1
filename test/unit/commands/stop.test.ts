// The arguments of `stop`, and how it ends: in an Outcome, as a step does.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { perform } from "../../../src/commands/Command.ts"
import * as stop from "../../../src/commands/stop.ts"
import { PrNumber } from "../../../src/core/run/Target.ts"
import { Memory, System } from "../../../src/testing.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(stop)
const hash = "0123456789abcdef".repeat(4)
const plain = { stateRoot: null, target: { _tag: "Uncommitted" }, floor: null, expectHead: null, json: false } as const

describe("the arguments of stop", () => {
  it("name a target", () => assert.deepStrictEqual(asked("--uncommitted"), plain))

  it("may name a floor and a head", () =>
    assert.deepStrictEqual(asked(`--pr 7 --level high --expect-head 3:${hash} --json`), {
      ...plain,
      target: { _tag: "PullRequest", number: PrNumber.make(7) },
      floor: "high",
      expectHead: { seq: 3, hash },
      json: true
    }))

  it("stop nothing by default", () =>
    assert.strictEqual(problem(""), "one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required"))

  it("take no name of a run", () => assert.strictEqual(problem("2026"), "unexpected argument \"2026\""))
})

describe("stop", () => {
  const ended = async (json: boolean) => {
    const system = System.start(Memory.layer())
    const called = { cwd: Effect.succeed("/repo"), version: "0" }
    const exit = await system.run(perform(stop, { ...plain, json }, called))
    await system.dispose()
    return exit._tag === "Success" ? exit.value : assert.fail(String(exit.cause))
  }

  it("where nothing runs says so and ends in DoneAborted", async () =>
    assert.deepStrictEqual(await ended(false), {
      stdout: "nothing to stop: no run of uncommitted\n",
      stderr: "DoneAborted\n",
      code: 8
    }))

  it("tells programs in one document", async () => {
    const { code, stderr, stdout } = await ended(true)
    assert.deepStrictEqual([code, stderr], [8, "DoneAborted\n"])
    assert.deepInclude(JSON.parse(stdout), {
      outcome: "DoneAborted",
      exitCode: 8,
      line: "nothing to stop: no run of uncommitted"
    })
  })
})
