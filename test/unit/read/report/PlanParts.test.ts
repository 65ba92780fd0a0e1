// What a report tells of a plan run.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { planParts } from "../../../../src/read/report/Report.ts"
import { call, inWorld, settings } from "../../drive/plan/plans.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

it("are its tasks, cycles and log; it has no way through levels", async () => {
  const { findings, logs, path, tasks, turns } = await inWorld({}, Effect.flatMap(call(), ({ run }) => planParts(run)))
  assert.deepStrictEqual([path, findings], [null, null])
  assert.deepStrictEqual(tasks.map(({ number }) => number), [0, 1])
  assert.deepStrictEqual(logs.map(({ name }) => name), ["plan"])
  const cycle = turns.find(({ id }) => id === "cycle-1")
  assert.deepStrictEqual(cycle?.work.filter(({ name }) => name.startsWith("Agent")).map(({ what }) => what), [
    "implement",
    "test",
    "review-0"
  ])
})

it("cannot be told of a run without a log", async () => {
  const error = await onMachine(Effect.flip(planParts({ ...runRef(), targetKey: "plan/p" })))
  assert.strictEqual(error._tag, "LogMissing")
})

it("name the run that converged the plan's code", async () => {
  const set = settings({ then: "converge" })
  const { more, title } = await inWorld({}, Effect.flatMap(call(set), ({ run }) => planParts(run)))
  assert.strictEqual(title, "Work on plan.md")
  assert.deepStrictEqual(more[0], { name: "Plan file", value: "/repo/plan.md" })
  assert.match(more[1]?.value ?? "", /^by run \S+: Done/)
})
