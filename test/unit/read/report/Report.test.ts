// Reports of runs on a machine in memory: converged, left open, of a plan, and of runs that cannot be told.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { Dismissals, DismissalsFailed } from "../../../../src/review/findings/Dismissals.ts"
import { make } from "../../../../src/run/Invocation.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { report } from "../../../../src/read/report/Report.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { step } from "../../../../src/step/Step.ts"
import { Scripted, World } from "../../../../src/testing.ts"
import { call as converging, world } from "../../drive/converge/driven.ts"
import { runRef } from "../../run/events.ts"
import { driving } from "../../drive/converge/events.ts"
import { call as implementing, inWorld, settings } from "../../drive/plan/plans.ts"
import { onMachine, openedStrict } from "../../run/opened.ts"

const facts = (data: Effect.Success<ReturnType<typeof report>>) =>
  Object.fromEntries(data.facts.map(({ name, value }) => [name, value]))

describe("the report of a run that converged", () => {
  const told = onMachine(Effect.gen(function*() {
    yield* world()
    const { run } = yield* converging()
    return { data: yield* report(run.ref), audited: yield* audit(run.ref) }
  }))

  it("tells outcome and proof as the audit does", async () => {
    const { audited, data } = await told
    assert.deepStrictEqual(data.verdict, { tone: "good", text: "done: reviewed clean from low to medium" })
    assert.strictEqual(data.proof?.statement.tone, audited.proof?.complete === true ? "good" : "bad")
    assert.deepStrictEqual(data.proof?.levels.map(({ level, tone }) => [level, tone]), [
      ["low", "good"],
      ["medium", "good"]
    ])
    assert.include(data.audit.checked, `${audited.lines} lines, ${audited.events} events`)
    assert.deepInclude(facts(data), { Batches: "3", Reviews: "3", Rounds: "2" })
    assert.match(data.made, /^Made at \d{4}-/)
  })

  it("tells its way, its findings with their answers, its rounds and its logs", async () => {
    const { data: { findings, logs, path, tasks, turns } } = await told
    assert.deepStrictEqual(path?.batches.map(({ level, step, verdict }) => [level, step, verdict]), [
      ["low", "Began", "Issues"],
      ["low", "Stayed", "Clean"],
      ["medium", "Climbed", "Clean"]
    ])
    assert.deepStrictEqual(findings?.findings.map(({ state }) => state), ["gone"])
    assert.deepStrictEqual(findings?.findings[0]?.answers.map(({ round }) => round), [1])
    assert.deepStrictEqual(turns.map(({ id }) => id), ["round-0", "round-1", "round-2"])
    const [agent] = turns[1]?.work ?? []
    assert.deepStrictEqual([agent?.name, agent?.verdict.text, agent?.diff?.text.text], [
      "Agent 1",
      "done",
      "-code-1\n+code-2"
    ])
    assert.isTrue(agent?.from !== null && agent?.to !== null)
    assert.deepStrictEqual(logs.map(({ name }) => name), ["review", "converge"])
    assert.isNull(tasks)
  })
})

it("the head of the page of a run that its audit refutes calls nothing done", async () => {
  const data = await onMachine(Effect.gen(function*() {
    yield* world()
    const { run } = yield* converging()
    yield* Ref.update(
      (yield* World).reviewers,
      (all) => all.map((one) => ({ ...one, scripted: { ...one.scripted, out: `${one.scripted.out}.` } }))
    )
    return yield* report(run.ref)
  }))
  assert.deepStrictEqual(data.verdict, {
    tone: "bad",
    text: "NOT sound; it claims: done: reviewed clean from low to medium"
  })
  assert.deepStrictEqual([data.audit.verdict.tone, data.proof?.statement.tone], ["bad", "bad"])
})

describe("the report of a run of steps", () => {
  it("tells open findings, and that nothing is proven", async () => {
    const data = await onMachine(Effect.gen(function*() {
      yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.issues() : Scripted.clean())
      yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 2 }), "/repo", {})
      const store = yield* RunStore
      const [run] = yield* store.list(yield* store.open(null, "/repo"), null)
      return run === undefined ? assert.fail("no run") : yield* report(run)
    }))
    assert.deepStrictEqual(data.verdict, { tone: "open", text: "needs you: 1 of 2 reviews at low found issues" })
    assert.isNull(data.proof)
    assert.isNotEmpty(data.findings?.findings ?? [])
    assert.isTrue(data.findings?.findings.every(({ state }) => state === "open"))
    assert.isEmpty(data.turns)
    assert.deepStrictEqual(data.logs.map(({ name }) => name), ["review"])
  })
})

describe("the report of a plan run", () => {
  it("tells its tasks and its rounds", async () => {
    const data = await inWorld({}, Effect.flatMap(implementing(), ({ run }) => report(run)))
    assert.strictEqual(data.verdict.tone, "good")
    assert.deepStrictEqual(data.tasks?.map(({ title, verdict }) => [title, verdict.text]), [
      ["Add", "done in round 1"],
      ["Sum", "done in round 1"]
    ])
    assert.deepStrictEqual([data.path, data.findings, data.proof], [null, null, null])
    assert.include(data.turns.map(({ id }) => id), "round-1")
    assert.deepInclude(facts(data), { Rounds: "1", Reviews: "1", Plan: "/repo/plan.md" })
    assert.strictEqual(data.title, "Work on plan.md")
    assert.deepStrictEqual(data.logs.map(({ name }) => name), ["plan"])
    const round = data.turns.find(({ id }) => id === "round-1")
    assert.deepStrictEqual(
      round?.work.filter(({ name }) => name.startsWith("Agent")).map(({ what }) => what),
      ["implement", "test", "review-0"]
    )
  })
})

it("names the run that converged the plan's code", async () => {
  const set = settings({ then: "converge" })
  const data = await inWorld({}, Effect.flatMap(implementing(set), ({ run }) => report(run)))
  assert.match(facts(data)["Converged"] ?? "", /^by run \S+: Done/)
})

it("says that the repository's dismissals cannot be read, where it is gone", async () => {
  const failed = new DismissalsFailed({ reason: { _tag: "NoCommit", revision: "main" } })
  const { findings } = await onMachine(Effect.flatMap(
    openedStrict(),
    ({ ref }) =>
      Effect.gen(function*() {
        const dismissals = yield* Dismissals
        return yield* Effect.provideService(report(ref), Dismissals, { ...dismissals, read: () => Effect.fail(failed) })
      })
  ))
  assert.deepStrictEqual(findings?.notes, [`the repository's dismissals cannot be read: ${failed.message}`])
})

it("holds the driver's log, also before its first round", async () => {
  const { logs, turns } = await onMachine(Effect.gen(function*() {
    const { ref } = yield* openedStrict()
    yield* (yield* EventLog).create(convergeRun, ref, [driving])
    return yield* report(ref)
  }))
  assert.isEmpty(turns)
  assert.deepStrictEqual(logs.map(({ count, name }) => [name, count]), [["review", 1], ["converge", 1]])
})

describe("there is no report", () => {
  const fails = (run = runRef()) => onMachine(Effect.map(Effect.flip(report(run)), ({ _tag }) => _tag))

  it("of a run without a log", async () => {
    assert.strictEqual(await fails(), "LogMissing")
    assert.strictEqual(await fails({ ...runRef(), targetKey: "plan/p" }), "LogMissing")
  })

  it("but of a run that has only just begun there is one", async () => {
    const data = await onMachine(Effect.flatMap(openedStrict(), ({ ref }) => report(ref)))
    assert.strictEqual(data.verdict.text, "empty: no review yet")
    assert.deepStrictEqual(data.path?.batches, [])
  })
})

it("a run that a person must look after tells its red tests", async () => {
  const data = await onMachine(Effect.gen(function*() {
    yield* world({ tests: (_, nth) => ({ exit: nth === 1 ? 0 : 1 }) })
    const { run } = yield* converging()
    return yield* report(run.ref)
  }))
  const round = data.turns.find(({ id }) => id === "round-1")
  assert.strictEqual(round?.verdict.tone, "bad")
  assert.include(round?.work.map(({ verdict }) => verdict.text) ?? [], "failed: exit 1")
})
