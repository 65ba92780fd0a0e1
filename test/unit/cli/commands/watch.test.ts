// The arguments of `status` and `watch`, and what they exit with where the log is wrong.
import { Effect, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { perform } from "../../../../src/cli/command.ts"
import * as status from "../../../../src/cli/commands/status.ts"
import * as watch from "../../../../src/cli/commands/watch.ts"
import { make } from "../../../../src/run/Invocation.ts"
import { EventLog, LogDamaged, type LogReadError, LogTooNew } from "../../../../src/log/EventLog.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { step } from "../../../../src/step/Step.ts"
import { Memory, System } from "../../../../src/testing.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(watch)
const ofStatus = grammar(status)
const plain = { stateRoot: null, store: null, selector: { _tag: "Newest" }, follow: true, json: false } as const

describe("the arguments of watch", () => {
  it("name the newest run by default", async () => assert.deepStrictEqual(await asked(""), plain))

  it("are those of `status`, with --follow", async () => {
    assert.deepStrictEqual(await ofStatus.asked(""), { ...plain, follow: false })
    assert.deepStrictEqual(await ofStatus.asked("--follow"), plain)
  })

  it("do not include those for past events", async () =>
    assert.strictEqual(await problem("--after 2"), "unknown flag --after"))
})

it("the commands that status prints name the store that a flag named", async () => {
  const written: Array<string> = []
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void written.push(text)) })
  const system = System.start(Memory.layer())
  await system.run(
    Effect.gen(function*() {
      yield* step(make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 1 }), "/repo", {})
      const asked = { ...plain, follow: false, store: "postgres://me@host/runs?sslmode=require" }
      yield* status.run(asked, { cwd: Effect.succeed("/repo"), version: "0" })
    }).pipe(Effect.provide(output))
  )
  await system.dispose()
  const commands = written.join("").split("\n").filter((line) => / {2}ooda-codex-review /.test(line))
  assert.isNotEmpty(commands)
  for (const line of commands) assert.match(line, / --store 'postgres:\/\/me@host\/runs\?sslmode=require'$/)
})

describe("watch", () => {
  /** Watches the run of a step on a machine in memory, whose log then reads as told. */
  const ended = async (wrong: LogReadError) => {
    const output = Layer.succeed(Output, { write: () => Effect.void })
    const system = System.start(Memory.layer())
    const exit = await system.run(
      Effect.gen(function*() {
        yield* step(make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 1 }), "/repo", {})
        const log = yield* EventLog
        const watching = perform(watch.run(plain, { cwd: Effect.succeed("/repo"), version: "0" }))
        return yield* Effect.provideService(watching, EventLog, { ...log, stream: () => Stream.fail(wrong) })
      }).pipe(Effect.provide(output))
    )
    await system.dispose()
    return exit._tag === "Success" ? exit.value : assert.fail(String(exit.cause))
  }

  it("exits 1 where the log is damaged: that is something wrong", async () => {
    const damaged = new LogDamaged({ path: "/log", kind: "gap", line: 2, offset: 9 })
    assert.deepStrictEqual(await ended(damaged), {
      stdout: "",
      stderr: "error: /log: damaged at line 2, byte 9: gap [audit says more; --fresh starts another run]\n",
      code: 1
    })
  })

  it("exits 6 where it could not read the log", async () => {
    const tooNew = new LogTooNew({ path: "/log", reason: { _tag: "FormatVersion", version: 9 } })
    assert.strictEqual((await ended(tooNew)).code, 6)
  })
})
