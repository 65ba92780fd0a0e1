// Watching a run that another process drives, under virtual time: what changes is told once, and how the batch ended.
import { Effect, Fiber, Layer, Ref, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import { make } from "../../../src/run/Invocation.ts"
import type { TargetRef } from "../../../src/log/Refs.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Output } from "../../../src/platform/Process.ts"
import { Progress, silent } from "../../../src/review/Progress.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { step } from "../../../src/step/Step.ts"
import { Memory, Scripted, ScriptedAgent, System, World } from "../../../src/testing.ts"
import { agentStarted, driving as driver } from "../drive/converge/events.ts"
import { watch, watchRun } from "../../../src/read/Watch.ts"
import { byTask, call, settings, world } from "../drive/converge/driven.ts"

const invocation = make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 2 })
const drive = step(invocation, "/repo", {})
const newest = Effect.gen(function*() {
  const [run] = yield* (yield* RunStore).list(yield* (yield* RunStore).open(null, "/repo"), null)
  return run ?? assert.fail("no run")
})

/** Runs an effect on a machine in memory, and gives what was written besides. */
const told = async <A, E>(effect: Effect.Effect<A, E, Memory.Services | World | Output>): Promise<string> => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  const system = System.start(Memory.layer())
  const exit = await system.run(Effect.provide(effect, output))
  await system.dispose()
  if (exit._tag === "Failure") assert.fail(String(exit.cause))
  return said
}

/** What is told to programs, without the times. */
const documents = (said: string) =>
  said.trimEnd().split("\n").map((line) => {
    const { end, slot, state, text } = JSON.parse(line)
    return end === undefined ? `${slot} ${state}` : `${end}: ${text}`
  })

describe("a watched batch", () => {
  it("is told change by change until it is complete", async () => {
    const said = await told(Effect.gen(function*() {
      yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.clean(5000) : Scripted.issues(20_000))
      const driving = yield* Effect.forkChild(drive)
      yield* Effect.sleep(1000)
      yield* watchRun(yield* newest, true)
      yield* Fiber.join(driving)
    }))
    const changes = documents(said)
    assert.deepStrictEqual(changes.slice(0, 2), ["1 running", "2 running"])
    assert.strictEqual(changes.at(-1), "Complete: is complete: 1 of 2 reviews with issues")
    assert.isTrue(changes.includes("1 clean") && changes.includes("2 issues"))
    assert.strictEqual(new Set(changes).size, changes.length)
  })

  it("is over when nobody records what has ended", async () => {
    const said = await told(Effect.gen(function*() {
      yield* Ref.set((yield* World).script, () => Scripted.clean(5000))
      const driving = yield* Effect.forkChild(drive)
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(driving)
      yield* watchRun(yield* newest, true)
    }))
    assert.strictEqual(documents(said).at(-1), "Unrecorded: has ended; the next step takes it in")
  })

  it("ends with a signal", async () => {
    const said = await told(Effect.gen(function*() {
      yield* Ref.set((yield* World).script, () => Scripted.silence)
      const driving = yield* Effect.forkChild(drive)
      yield* Effect.sleep(1000)
      const watching = yield* Effect.forkChild(watchRun(yield* newest, true))
      yield* Effect.sleep(3000)
      yield* (yield* World).fire("SIGINT")
      yield* Fiber.join(watching)
      yield* Fiber.join(driving)
    }))
    assert.deepStrictEqual(documents(said), ["1 running", "2 running"])
  })

  it("is drawn and not written where it can be drawn", async () => {
    const drawn: Array<string> = []
    const said = await told(
      Effect.gen(function*() {
        yield* drive
        yield* watchRun(yield* newest, false)
      }).pipe(Effect.provideService(Progress, {
        ...silent,
        on: true,
        show: (rows) => Effect.sync(() => void drawn.push(rows.map(({ state }) => state).join(" ")))
      }))
    )
    assert.strictEqual(drawn.at(-1), "clean clean")
    assert.strictEqual(said, "low batch 1 is complete: 2 clean reviews\n")
  })

  const used = { input: 1200, cached: 0, output: 80, reasoning: 0 }
  const counted = Effect.gen(function*() {
    yield* Ref.set((yield* World).script, ({ slot }) => ({ ...Scripted.clean(slot * 5000), usage: used }))
    const driving = yield* Effect.forkChild(drive)
    yield* Effect.sleep(1000)
    const run = yield* newest
    const log = yield* EventLog
    yield* log.create(convergeRun, run, [driver, agentStarted({ taskId: "fix\nit" })])
    return { driving, run }
  })

  it("is told with the tokens so far, and the agents that are under way", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* counted
      yield* Effect.sleep(1000)
      yield* watchRun(run, false)
      yield* Fiber.join(driving)
    }))
    const lines = said.replaceAll(/^\d{4}\S+ {2}/gm, "").trimEnd().split("\n")
    assert.deepStrictEqual(lines.filter((line) => /^(agent|tokens)/.test(line)), [
      'agent 1   running       1s  codex as worker of "fix\\nit"',
      "tokens    1.2k in, 80 out",
      "tokens    2.4k in, 160 out"
    ])
    assert.strictEqual(lines.at(-1), "low batch 1 is complete: 2 clean reviews")
  })

  it("is told with them in its documents too, and below what is drawn", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* counted
      yield* watchRun(run, true)
      yield* Fiber.join(driving)
    }))
    const [first, ...others] = said.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.notProperty(first, "usage")
    assert.deepInclude(first.agents[0], { agent: 1, attempt: 1, state: "running", role: "worker", task: "fix\nit" })
    assert.deepStrictEqual(others.at(-1).usage.reviews, { ...used, input: 2400, output: 160 })
    const drawn = await told(
      Effect.gen(function*() {
        const { driving, run } = yield* counted
        yield* watchRun(run, false)
        yield* Fiber.join(driving)
      }).pipe(Effect.provideService(Progress, { ...silent, on: true }))
    )
    assert.match(drawn, /^\S+ {2}agent 1 .*\n\S+ {2}tokens .*160 out\nlow batch 1 is complete: 2 clean reviews\n$/)
  })

  it("is told as data to programs, its end as the last thing", async () => {
    const seen: Array<string> = []
    await told(Effect.gen(function*() {
      yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.clean(2500) : Scripted.issues(4500))
      const driving = yield* Effect.forkChild(drive)
      yield* Effect.sleep(1000)
      yield* Stream.runForEach(watch(yield* newest), (watched) =>
        Effect.sync(() =>
          void seen.push(
            watched._tag === "Ended" ? watched.end._tag : watched.rows.map(({ state }) => state).join()
          )
        ))
      yield* Fiber.join(driving)
    }))
    assert.strictEqual(seen[0], "running,running")
    assert.strictEqual(seen.at(-2), "clean,issues")
    assert.strictEqual(seen.at(-1), "Complete")
  })
})

describe("a watched driven run", () => {
  const slow: ScriptedAgent.AgentScript = (_attempt, { role, taskId }) =>
    ScriptedAgent.answers(
      `role: ${role}\ntask_id: ${taskId}\nstatus: pass\ngit_range: HEAD..HEAD\n`,
      { after: 20_000, edits: "code-2" }
    )
  /** Begins to drive a run whose reviewers and agents take their time. */
  const begin = Effect.gen(function*() {
    yield* world({ agents: byTask({ address: slow }) })
    const { script } = yield* World
    yield* Ref.update(script, (before) => (review, n) => ({ ...before(review, n), after: 5000 }))
    const driving = yield* Effect.forkChild(call(settings({ retro: "never" })))
    yield* Effect.sleep(1000)
    return { driving, run: yield* newest }
  })

  it("is told over its batches and rounds, until its driver has ended", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* begin
      yield* watchRun(run, false)
      yield* Fiber.join(driving)
    }))
    const lines = said.replaceAll(/^\d{4}\S+ {2}/gm, "").trimEnd().split("\n")
    assert.strictEqual(lines[0], "low-1     running       1s")
    assert.strictEqual(lines.at(-1), "the driver ended in DoneFixedPoint")
    const among = (pattern: RegExp) => assert.isTrue(lines.some((line) => pattern.test(line)), `${pattern} in ${said}`)
    among(/^low batch 1 is complete: 1 of 1 review with issues$/)
    among(/^level low {2}batch 1 {2}round 1 {2}1 open finding$/)
    among(/^agent 1 {3}running +\d+s {2}address: begins$/)
    among(/^level medium {2}batch 1/)
    assert.strictEqual(lines.filter((line) => line.startsWith("low batch 1 is complete")).length, 1)
  })

  it("is told in documents, one a change, the driver's end as the last", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* begin
      yield* watchRun(run, true)
      yield* Fiber.join(driving)
    }))
    const all = said.trimEnd().split("\n").map((line) => JSON.parse(line))
    for (const one of all) assert.strictEqual(one.schema, 1)
    assert.isTrue(all.some(({ end, level }) => end === "Complete" && level === "low"))
    const agent = all.find(({ work }) => work?.[0]?.name === "agent 1")
    assert.deepInclude(agent, { level: "low", batch: 1, round: { number: 1, open: true, findings: 1 } })
    assert.deepInclude(all.at(-1), { end: "DriverEnded", text: "the driver ended in DoneFixedPoint" })
  })

  it("has a driver that told its end between a look at its stream and one at its process", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* begin
      const real = yield* Drivers
      let looks = 0
      const present = (target: TargetRef) =>
        Effect.delay(Effect.suspend(() => real.present(target)), looks++ === 0 ? 0 : 600_000)
      yield* Effect.provideService(watchRun(run, false), Drivers, Drivers.of({ ...real, present }))
      yield* Fiber.join(driving)
    }))
    assert.match(said, /\nthe driver ended in DoneFixedPoint\n$/)
  })

  it("whose driver is killed is over soon after", async () => {
    const said = await told(Effect.gen(function*() {
      const { driving, run } = yield* begin
      const watching = yield* Effect.forkChild(watchRun(run, true))
      yield* Effect.sleep(10_000)
      yield* Fiber.interrupt(driving)
      yield* Fiber.join(watching)
    }))
    const last = JSON.parse(said.trimEnd().split("\n").at(-1) ?? "")
    assert.deepInclude(last, { end: "DriverEnded" })
    assert.match(last.text, /gone without a word/)
  })
})
