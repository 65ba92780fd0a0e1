// Json: the document of a call, and of one that failed.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { implement, inspectPlan } from "../../../../src/drive/plan/Implement.ts"
import { planJson } from "../../../../src/drive/plan/Json.ts"
import { file, inWorld, settings } from "./plans.ts"

it("has the end of the call, with its tasks and rounds", async () => {
  const json = Effect.flatMap(implement(settings(), file, "/repo"), (one) => planJson(one.outcome, one))
  const document = JSON.parse(await inWorld({}, json))
  assert.deepInclude(document, { schema: 1, outcome: "DoneAccepted", exitCode: 0, header: "DoneAccepted", plan: file })
  assert.deepStrictEqual(Object.keys(document.run), ["run", "repo", "target"])
  assert.deepStrictEqual(document.tasks, [
    { index: 0, title: "Add", done: true },
    { index: 1, title: "Sum", done: true }
  ])
  assert.deepStrictEqual(document.rounds, [{
    round: 1,
    tasks: [0, 1],
    reviews: [{ review: 0, verdict: "ACCEPTABLE", issues: 0 }],
    accepted: "Acceptable",
    marked: [0, 1],
    closed: "Marked"
  }])
})

it("has the next turn, even before a run exists", async () => {
  const json = Effect.flatMap(inspectPlan(settings(), file, "/repo"), (one) => planJson(one.outcome, one))
  const document = JSON.parse(await inWorld({}, json))
  assert.deepInclude(document, {
    outcome: "WouldAdvance",
    exitCode: 4,
    action: "Test",
    next: "runs npm test",
    run: null,
    directory: null,
    head: null,
    rounds: []
  })
  assert.lengthOf(document.tasks, 2)
})

it("has only the outcome of a call that failed", async () => {
  const document = JSON.parse(await inWorld({}, planJson({ _tag: "BinaryError", message: "no disk" }, null)))
  assert.deepInclude(document, { exitCode: 6, message: "no disk", run: null, tasks: null })
})
