// The arguments of `status` and `watch`. test/process/watch.test.ts has what they write and exit with.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import * as status from "../../../../src/cli/commands/status.ts"
import * as watch from "../../../../src/cli/commands/watch.ts"
import { make } from "../../../../src/run/Invocation.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { CallPlace } from "../../../../src/run/Naming.ts"
import { step } from "../../../../src/step/Step.ts"
import { Memory, System } from "../../../../src/testing.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(watch)
const ofStatus = grammar(status)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, follow: true, json: false } as const

describe("the arguments of watch", () => {
  it("name the newest run by default", async () => assert.deepStrictEqual(await asked(""), plain))

  it("are the arguments of `status`, with --follow", async () => {
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
      const place = { stateRoot: null, store: "postgres://me@host/runs?sslmode=require" }
      const asked = { ...plain, follow: false }
      const shown = status.run(asked, { cwd: Effect.succeed("/repo"), version: "0" })
      yield* Effect.provideService(shown, CallPlace, place)
    }).pipe(Effect.provide(output))
  )
  await system.dispose()
  const commands = written.join("").split("\n").filter((line) => / {2}ooda-codex-review /.test(line))
  assert.isNotEmpty(commands)
  for (const line of commands) assert.match(line, / --store 'postgres:\/\/me@host\/runs\?sslmode=require'$/)
})
