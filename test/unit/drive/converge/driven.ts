// driven: driven runs on a machine in memory, with scripted reviewers, agents and tests.
import { Effect, Ref } from "effect"
import { converge } from "../../../../src/drive/converge/Converge.ts"
import type { ConvergeOptions } from "../../../../src/drive/converge/Drive.ts"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { type ConvergeSettings, decode } from "../../../../src/drive/converge/Settings.ts"
import { header } from "../../../../src/run/Outcome.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { type Memory, Scripted, ScriptedAgent, type TestScript, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"

/** Settings of a short ladder with one reviewer and one test. */
export const settings = (change: object = {}, step: object = {}): ConvergeSettings => {
  const given = { target: { _tag: "Uncommitted" }, strict: true, batchSize: 1, ceiling: "medium", ...step }
  const made = decode({ step: given, tests: ["npm test"], allow: ["unsandboxed"], ...change })
  if (made._tag === "Failure") throw new Error(made.failure)
  return made.success
}

/** The answer of an agent: the headers of the contract for its task, then these words. */
export const result =
  (status: "pass" | "gaps" | "error", words = "", edits?: string): ScriptedAgent.AgentScript =>
  (_attempt, { role, taskId }) =>
    ScriptedAgent.answers(
      [
        `role: ${role}`,
        `task_id: ${taskId}`,
        `status: ${status}`,
        ...(role === "worker" ? ["git_range: HEAD..HEAD"] : []),
        ...(status === "pass" ? [] : ["issues: something is left"]),
        "",
        words
      ].join("\n"),
      edits === undefined ? {} : { edits }
    )

/** Each agent by the last part of its task; without one it passes. */
export const byTask =
  (scripts: Readonly<Record<string, ScriptedAgent.AgentScript>>): ScriptedAgent.AgentScript =>
  (attempt, task, turn, nth) =>
    (scripts[task.taskId.slice(task.taskId.indexOf("/") + 1)] ?? result("pass"))(attempt, task, turn, nth)

/** A world: reviewers by the code that they see, agents, tests. */
export interface Doing {
  readonly flawed?: ReadonlyArray<string>
  readonly agents?: ScriptedAgent.AgentScript
  readonly tests?: TestScript
}

/** The result of a call of `converge`: its header, and the names of its events. */
export const call = (set: ConvergeSettings = settings(), options: ConvergeOptions = {}) =>
  Effect.gen(function*() {
    const { outcome, run } = yield* converge(set, "/repo", options)
    const log = yield* EventLog
    const stream = (yield* log.read(convergeRun, run.ref)).commits.flatMap(({ events }) => events)
    const review = (yield* log.read(reviewRun, run.ref)).commits.flatMap(({ events }) => events)
    return { outcome, header: header(outcome), stream, review, run }
  })

/** One call in a world; reviewers see the code at the time of their start. */
export const driven = (doing: Doing = {}, set: ConvergeSettings = settings(), options: Memory.Options = {}) =>
  onMachine(Effect.andThen(world(doing), call(set)), options)

/** Sets the world up so that reviewers see the code at the time of their start. */
export const world = (
  { agents = byTask({ address: result("pass", "", "code-2") }), flawed = ["code-1"], tests }: Doing = {}
) =>
  World.use(({ agentScript, code, script, testScript, witness }) =>
    Effect.gen(function*() {
      let seen = yield* Ref.get(code)
      yield* Ref.set(agentScript, agents)
      if (tests !== undefined) yield* Ref.set(testScript, tests)
      yield* Ref.set(script, () => flawed.includes(seen) ? Scripted.issues() : Scripted.clean())
      // The script of a reviewer cannot read the world, so the code is read before each start.
      yield* Ref.set(witness, (call, when) =>
        call.startsWith("Reviewers.") && when === "before"
          ? Effect.map(Ref.get(code), (now) => void (seen = now))
          : Effect.void)
    })
  )

/** The second test of a world, which is the first one after the agent, changes the code. */
export const secondTestChangesCode = Effect.gen(function*() {
  const { code, witness } = yield* World
  const others = yield* Ref.get(witness)
  let started = 0
  yield* Ref.set(
    witness,
    (call, when) =>
      call === "Tests.start" && when === "after" && ++started === 2 ? Ref.set(code, "code-3") : others(call, when)
  )
})
