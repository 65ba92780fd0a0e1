// Gather: what a run has come to: its way, its findings, the page about it.
import { Effect, Ref } from "effect"
import { assert, it } from "vitest"
import { codeOf, findingsOf, pageOf, pathOf } from "../../../src/ci/Review.ts"
import { make } from "../../../src/run/Invocation.ts"
import { step } from "../../../src/step/Step.ts"
import { Scripted, World } from "../../../src/testing.ts"
import type { Script } from "../../../src/testing/World.ts"
import { onMachine } from "../run/opened.ts"

const gathered = (script: Script) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const { settings } = make({ target: { _tag: "Uncommitted" }, batchSize: 2, retries: 0 })
    const { run } = yield* step({ settings, action: { _tag: "Loop", fresh: false } }, "/repo", {})
    const ref = run?.ref ?? assert.fail("no run")
    return {
      code: run === null ? null : codeOf(run),
      way: yield* pathOf(ref),
      found: yield* findingsOf(ref, null),
      page: yield* pageOf(ref),
      ref
    }
  }))

it("tells batches with issues and their findings", async () => {
  const { code, found, page, ref, way } = await gathered(() => Scripted.issues())
  assert.deepStrictEqual(way, [{ level: "low", verdict: "issues" }])
  assert.lengthOf(found?.findings ?? [], 1)
  assert.include(page, ref.runId)
  assert.match(code ?? "", /\btree code-1\b/)
})

it("tells clean and failed batches from each other", async () => {
  assert.deepStrictEqual((await gathered(({ slot }) => slot === 1 ? Scripted.clean() : Scripted.failure())).way, [
    { level: "low", verdict: "failed" }
  ])
  assert.deepInclude((await gathered(() => Scripted.clean())).way, { level: "low", verdict: "clean" })
})

it("has no findings where none can be told", async () => {
  const found = await onMachine(
    findingsOf({ root: "/state", repoId: "r", targetKey: "uncommitted", runId: "none" }, null)
  )
  assert.isNull(found)
})
