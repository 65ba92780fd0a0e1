// Asking: somebody else may answer the hand-off while an agent works on it: then the agent is ended, and its edits stay.
import { Effect, Fiber, Ref } from "effect"
import { assert, it } from "vitest"
import * as Invocation from "../../../../src/run/Invocation.ts"
import * as Reviewing from "../../../../src/review/End.ts"
import { markStep } from "../../../../src/step/MarkStep.ts"
import { ScriptedAgent, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { byTask, call, settings, world } from "./driven.ts"

const mark = Effect.fnUntraced(function*() {
  const { action, settings: set } = Invocation.make(settings().step, {
    _tag: "SideEffect",
    mark: { _tag: "AddressPassed" },
    answers: { level: "low", batch: 1, run: null }
  })
  if (action._tag === "SideEffect") yield* markStep(set, action, Effect.succeed(Reviewing), "/repo")
})

it("a hand-off that a person answers ends the agent that works on it; the driver goes on from there", async () => {
  const { code, ended } = await onMachine(Effect.gen(function*() {
    const late = () => ScriptedAgent.answers("late", { after: 600_000, edits: "code-2" })
    yield* world({ agents: byTask({ address: late }) })
    const calling = yield* Effect.forkChild(call())
    yield* Effect.sleep(20_000)
    yield* mark()
    const ended = yield* Fiber.join(calling)
    return { ended, code: yield* World.use(({ code }) => Ref.get(code)) }
  }))
  assert.strictEqual(ended.header, "DoneFixedPoint")
  assert.strictEqual(code, "code-2")
  const closed = ended.stream.flatMap((event) => event._tag === "RoundClosed" ? [event.because] : [])
  assert.strictEqual(closed[0], "AnsweredElsewhere")
  assert.deepInclude(ended.stream.find(({ _tag }) => _tag === "AgentStopped"), { cause: "Superseded" })
})
