// AskForReview.crashes: whoever asks for a review is killed at every call that changes something; nothing runs twice.
import { Effect, Ref } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import { ScriptedAgent, World } from "../../../src/testing.ts"
import { failures } from "./failures.ts"
import { onMachine } from "../run/opened.ts"
import { events, scripted } from "./orders.ts"
import { killed } from "./killed.ts"
import { acceptable, askReview, brokenAcceptable, needsFixes } from "./reviews.ts"

const { answers, fails } = ScriptedAgent

const broken = answers(brokenAcceptable)
const accepts = answers(acceptable, { after: 500 })
const long = answers(`{"issues": [{"description": "${"no end ".repeat(2_000)}`)
const limited = fails({ ...failures.RateLimited, after: 1_000 })
const failed = answers("FAILED: no repository")

/** What the log says of a review, and which agents were run, after kills; the scripts follow the attempts in order. */
const after = (scripts: ReadonlyArray<ScriptedAgent.ScriptedAgent>, kills: ReadonlyArray<number>) =>
  onMachine(Effect.gen(function*() {
    yield* scripted(ScriptedAgent.inOrder(scripts[0] ?? accepts, ...scripts.slice(1)))
    for (const at of kills) yield* killed(at, askReview())
    const result = yield* askReview()
    const judged = (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event] : [])
    const ran = (yield* Ref.get((yield* World).agents)).map(({ scripted, turn }) => [scripted.ending.message, turn])
    return { judged, ran, result }
  }))

it.each([
  ["is right at once", [accepts]],
  ["is corrected after a wait", [broken, limited, accepts]],
  ["is long and converted", [long, broken, answers(needsFixes)]],
  ["can never be read", [broken, broken, broken]],
  ["is of the second reviewer", [failed, broken, accepts]]
])("a review that %s comes out the same wherever the driver is killed", async (_, scripts) => {
  const whole = await after(scripts, [])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }),
      async (kills) => assert.deepStrictEqual(await after(scripts, kills), whole)
    ),
    { numRuns: 12 }
  )
})
