// Showing: what a person sees of a driven run while its driver waits, and that nothing is gathered for nobody.
import { Effect, Ref } from "effect"
import { assert, it } from "vitest"
import { shown, showingReviews } from "../../../../src/drive/converge/Drive.ts"
import { type Heading, Progress, silent, type Watcher } from "../../../../src/review/Progress.ts"
import { ScriptedAgent, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { byTask, call, settings, world } from "./driven.ts"
import { drivingRun } from "./drivings.ts"

/** What is told of a run on one line. */
const said = (driven: Heading | undefined): string => driven?.lines(300).join() ?? ""

/** Somebody who writes down each frame: how many rows it has, and what is told above them. */
const watcher = () => {
  const frames: Array<{ readonly rows: number; readonly driven: Heading | undefined } | "cleared"> = []
  const one: Watcher = {
    ...silent,
    on: true,
    show: (rows, driven) => Effect.sync(() => void frames.push({ rows: rows.length, driven })),
    clear: Effect.sync(() => void frames.push("cleared"))
  }
  return { frames, one }
}

it("work is shown once a second, and what is shown is taken away at its end", async () => {
  const { frames, one } = watcher()
  const done = await onMachine(Effect.gen(function*() {
    const driving = yield* drivingRun()
    return yield* Effect.provideService(shown(driving, Effect.as(Effect.sleep(3500), "done")), Progress, one)
  }))
  assert.strictEqual(done, "done")
  assert.lengthOf(frames, 5)
  assert.strictEqual(frames.at(-1), "cleared")
  assert.isTrue(frames.slice(0, -1).every((frame) => frame !== "cleared" && frame.driven?.word === "[low]"))
})

it("what fails is taken away too", async () => {
  const { frames, one } = watcher()
  const failing = Effect.flatMap(drivingRun(), (driving) => shown(driving, Effect.fail("no"))).pipe(Effect.ignore)
  await onMachine(Effect.provideService(failing, Progress, one))
  assert.strictEqual(frames.at(-1), "cleared")
})

it("for nobody nothing is gathered", async () => {
  const watching: Watcher = { ...silent, show: () => Effect.die("shown"), clear: Effect.die("cleared") }
  const done = await onMachine(Effect.gen(function*() {
    const driving = yield* drivingRun()
    const both = Effect.andThen(shown(driving, Effect.sleep(2000)), showingReviews(driving, Effect.succeed("done")))
    return yield* Effect.provideService(both, Progress, watching)
  }))
  assert.strictEqual(done, "done")
})

it("a whole call shows reviewers, agents and tests, each with where the run stands", async () => {
  const { frames, one } = watcher()
  await onMachine(Effect.gen(function*() {
    const slow: ScriptedAgent.AgentScript = (_attempt, { role, taskId }) =>
      ScriptedAgent.answers(
        `role: ${role}\ntask_id: ${taskId}\nstatus: pass\ngit_range: HEAD..HEAD\n`,
        { after: 20_000, edits: "code-2" }
      )
    yield* world({ agents: byTask({ address: slow }) })
    const { script } = yield* World
    yield* Ref.update(script, (before) => (review, n) => ({ ...before(review, n), after: 5000 }))
    return yield* Effect.provideService(call(settings({ maxTokens: 1000 })), Progress, one)
  }))
  const views = frames.flatMap((frame) => frame === "cleared" ? [] : [frame])
  assert.isTrue(views.every(({ driven }) => said(driven).includes(" of 1k tokens")))
  assert.isTrue(views.some(({ driven, rows }) => rows === 1 && !said(driven).includes("round 1")))
  const agent = views.filter(({ driven }) => driven?.work[0]?.name === "agent 1")
  assert.isAtLeast(agent.length, 19)
  assert.include(said(agent.at(-1)?.driven), "[low] medium")
  assert.isTrue(agent.every(({ rows }) => rows === 0))
  assert.strictEqual(frames.at(-1), "cleared")
})
