// AskForResult.crashes: whoever asks for a result is killed at every call that changes something; nothing is lost.
import { Effect, Ref } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import { askForResult } from "../../../src/agent/AskForResult.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { ScriptedAgent, World } from "../../../src/testing.ts"
import { failures } from "./failures.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { events, scripted, task } from "./orders.ts"
import { killed } from "./killed.ts"

const { answers, fails } = ScriptedAgent
const order = { task: task() }
const ask = Effect.flatMap(openDriver(runRef()), (driver) => askForResult(driver, order))

const invalid = answers("role: worker\nstatus: maybe")
const passed = answers("The bound is mended.", { after: 500 })
const error = answers("FAILED: no compiler")
const long = answers(`FAILED: ${"no compiler ".repeat(1_000)}`)
const limited = fails({ ...failures.RateLimited, after: 1_000 }, { thread: null })

/** What the log says of results, and which agents were run, after kills; the scripts follow the attempts in order. */
const after = (scripts: ReadonlyArray<ScriptedAgent.ScriptedAgent>, kills: ReadonlyArray<number>) =>
  onMachine(Effect.gen(function*() {
    yield* scripted(ScriptedAgent.inOrder(scripts[0] ?? passed, ...scripts.slice(1)))
    for (const at of kills) yield* killed(at, ask)
    const { result } = yield* ask
    const judged = (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event.action] : [])
    const ran = (yield* Ref.get((yield* World).agents)).map(({ scripted }) => scripted.ending.message)
    return { judged, ran, result: result._tag === "Judged" ? result.result : result }
  }))

it.each([
  ["is right at once", [passed]],
  ["is invalid first", [invalid, passed]],
  ["is an error first, after a wait", [limited, error, passed]],
  ["is invalid, then two errors", [invalid, error, long]]
])("a result that %s comes out the same wherever the driver is killed", async (_, scripts) => {
  const whole = await after(scripts, [])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }),
      async (kills) => assert.deepStrictEqual(await after(scripts, kills), whole)
    ),
    { numRuns: 12 }
  )
})
