// plans: plan runs on a machine in memory, with scripted agents and tests.
import { Effect, Ref, Schema } from "effect"
import { implement, type ImplementOptions } from "../../../../src/drive/plan/Implement.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import { planHeader } from "../../../../src/drive/plan/Outcome.ts"
import { ImplementSettings } from "../../../../src/drive/plan/Settings.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"
import { Memory, Scripted, ScriptedAgent, type TestScript, World } from "../../../../src/testing.ts"
import { byTask, result } from "../converge/driven.ts"
import { onMachine } from "../../run/opened.ts"

export const file = "/repo/plan.md"

/** A plan of two tasks; the second one depends on the first. */
export const twoTasks = `---
title: Sums
goal: Sums of numbers
tasks:
  - title: Add
    description: Add two numbers.
  - title: Sum
    description: Add up a list of numbers, with tests.
    dependencies: [0]
---
The details.
`

/** The settings of a plan run with one test. */
export const settings = (change: object = {}, driven: object = {}): ImplementSettings => {
  const step = { target: { _tag: "Uncommitted" }, strict: true, batchSize: 1, ceiling: "low" }
  return Schema.decodeUnknownSync(ImplementSettings)({
    driven: { step, tests: ["npm test"], allow: ["unsandboxed"], ...driven },
    ...change
  })
}

/** A worker that passes, with these words and edits. */
export const work = (words = "", edits?: string) => result("pass", words, edits)

/** A reviewer's answer. */
export const review = (verdict: "ACCEPTABLE" | "NEEDS_FIXES", issues: ReadonlyArray<object> = []) => () =>
  ScriptedAgent.answers(JSON.stringify({ issues, verdict }))

export const issue = {
  severity: "major",
  place: "sum.ts:1",
  description: "It adds one too many.",
  suggestion: "Mend it."
}

/** Agents that do the whole plan at once and accept it. */
export const content = {
  implement: work("DONE: 0\nDONE: 1", "code-2"),
  test: work("All is tested.", "code-3"),
  "review-0": review("ACCEPTABLE")
}

export interface Doing {
  readonly agents?: Readonly<Record<string, ScriptedAgent.AgentScript>>
  readonly tests?: TestScript
  readonly plan?: string
}

const names = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

/** One call: its header, its events, and the plan's text afterwards. */
export const call = (set: ImplementSettings = settings(), options: ImplementOptions = {}) =>
  Effect.gen(function*() {
    const { outcome, run } = yield* implement(set, file, "/repo", options)
    const events = (yield* (yield* EventLog).read(planRun, run)).commits.flatMap(({ events }) => events)
    const text = new TextDecoder().decode(yield* (yield* PlanFiles).read(file))
    const prompt = outcome._tag === "HandoffHuman" ? outcome.prompt : ""
    return { header: planHeader(outcome), prompt, events, names: names(events), text, run }
  })

/** Sets the world up: agents by the last part of their task. */
export const world = ({ agents = content, tests }: Doing) =>
  World.use(({ agentScript, script, testScript }) =>
    Effect.gen(function*() {
      yield* Ref.set(agentScript, byTask(agents))
      if (tests !== undefined) yield* Ref.set(testScript, tests)
      yield* Ref.set(script, () => Scripted.clean())
    })
  )

/** Runs an effect in a world with the plan's file. */
export const inWorld = <A, E>(
  doing: Doing,
  effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof call>> | World>,
  options: Memory.Options = {}
) =>
  onMachine(
    Effect.andThen(world(doing), effect).pipe(
      Effect.provide(Memory.planFiles({ [file]: doing.plan ?? twoTasks }))
    ),
    options
  )

/** One call in a world. */
export const implemented = (doing: Doing = {}, set: ImplementSettings = settings(), options: Memory.Options = {}) =>
  inWorld(doing, call(set), options)
