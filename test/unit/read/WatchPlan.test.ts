// WatchPlan: what a driver does in the run of a plan, told change by change until that driver has ended.
import { Deferred, Effect, Fiber, Layer, Ref, Stream } from "effect"
import { assert, it } from "vitest"
import type { RunRef, TargetRef } from "../../../src/log/Refs.ts"
import { implement } from "../../../src/drive/plan/Implement.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { Output } from "../../../src/platform/Process.ts"
import { Scripted, ScriptedAgent, World } from "../../../src/testing.ts"
import { watchPlan, watchPlanRun } from "../../../src/read/Watch.ts"
import { call, content, file, inWorld, review, settings } from "../drive/plan/plans.ts"
import { workingRun } from "../drive/plan/workings.ts"

/** A reviewer that takes twenty seconds. */
const slow: ScriptedAgent.AgentScript = () =>
  ScriptedAgent.answers(JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }), { after: 20_000 })

const step = { target: { _tag: "Uncommitted" }, strict: true, batchSize: 1, ceiling: "medium" }

const told = async (json: boolean, change: object = {}) => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  await inWorld(
    { agents: { ...content, "review-0": slow } },
    Effect.gen(function*() {
      yield* World.use(({ script }) => Ref.set(script, () => Scripted.clean(10_000)))
      const known = yield* Deferred.make<RunRef>()
      const onRun = (run: RunRef) => Effect.asVoid(Deferred.succeed(known, run))
      const working = yield* Effect.forkChild(implement(settings(change, { step }), file, "/repo", { onRun }))
      const run = yield* Deferred.await(known)
      yield* Effect.sleep(5000)
      yield* Effect.provide(watchPlanRun(run, json), output)
      yield* Fiber.join(working)
    })
  )
  return said.trimEnd().split("\n")
}

it("is told line by line, and at last in which header the driver ended", async () => {
  const lines = (await told(false)).map((line) => line.replace(/^\S+Z {2}/, ""))
  assert.strictEqual(lines[0], "plan.md  cycle 1  2 tasks  0 done")
  assert.match(lines[1] ?? "", /^agent 3 {3}running .*review-0: begins/)
  assert.strictEqual(lines.at(-1), "the driver ended in DoneAccepted")
  assert.strictEqual(new Set(lines).size, lines.length)
})

it("is told in documents", async () => {
  const documents = (await told(true)).map((line) => JSON.parse(line))
  assert.deepInclude(documents[0], { schema: 1, done: 0 })
  assert.deepInclude(documents[0].cycle, { number: 1, open: true })
  assert.strictEqual(documents[0].work[0].name, "agent 3")
  assert.deepInclude(documents.at(-1), { end: "DriverEnded", text: "the driver ended in DoneAccepted" })
})

it("goes on with the run that converges the plan's code, batch by batch, and ends with the plan's driver", async () => {
  const lines = (await told(false, { then: "converge" })).map((line) => line.replace(/^\S+Z {2}/, ""))
  assert.include(lines, "plan.md  1 cycle over  2 done")
  assert.include(lines, "low batch 1 is over: the run has gone on")
  assert.isTrue(lines.some((line) => /^low-1 .*running/.test(line)), lines.join("\n"))
  assert.deepStrictEqual(lines.filter((line) => line.startsWith("the driver")), ["the driver ended in DoneFixedPoint"])
  const documents = (await told(true, { then: "converge" })).map((line) => JSON.parse(line))
  assert.isTrue(documents.some(({ end, level }) => level === "low" && end === "Left"))
  assert.deepStrictEqual(documents.filter(({ end }) => end === "DriverEnded").map(({ text }) => text), [
    "the driver ended in DoneFixedPoint"
  ])
})

it("has a driver that told its end between a look at its stream and one at its process", async () => {
  const last = await inWorld(
    { agents: { ...content, "review-0": slow } },
    Effect.gen(function*() {
      const known = yield* Deferred.make<RunRef>()
      const onRun = (run: RunRef) => Effect.asVoid(Deferred.succeed(known, run))
      const working = yield* Effect.forkChild(implement(settings({}, { step }), file, "/repo", { onRun }))
      const run = yield* Deferred.await(known)
      yield* Effect.sleep(5000)
      const real = yield* Drivers
      const present = (target: TargetRef) => Effect.delay(Effect.suspend(() => real.present(target)), 600_000)
      const seen = Stream.runCollect(watchPlan(run))
      const all = yield* Effect.provideService(seen, Drivers, Drivers.of({ ...real, present }))
      yield* Fiber.join(working)
      return all.at(-1)
    })
  )
  assert.deepInclude(last, { _tag: "Ended", outcome: "DoneAccepted" })
})

it("is over at once where nobody is at work, and says so of a driver that was killed", async () => {
  const all = await inWorld(
    { agents: { ...content, "review-0": review("ACCEPTABLE") } },
    Effect.gen(function*() {
      const { run } = yield* call()
      const left = yield* workingRun()
      return [yield* Stream.runCollect(watchPlan(run)), yield* Stream.runCollect(watchPlan(left.run.ref))]
    })
  )
  assert.deepStrictEqual(all.map((seen) => seen.map(({ _tag }) => _tag)), [["InPlan", "Ended"], ["InPlan", "Ended"]])
  assert.deepStrictEqual(all.map((seen) => seen.at(-1)).map((end) => end?._tag === "Ended" ? end.outcome : "no end"), [
    "DoneAccepted",
    null
  ])
})
