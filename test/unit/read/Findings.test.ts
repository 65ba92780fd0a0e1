// The findings of a batch of a stored run, and why there may be none to tell.
import { Effect, Ref, Result } from "effect"
import { assert, describe, it } from "vitest"
import { make } from "../../../src/run/Invocation.ts"
import { findings } from "../../../src/read/Findings.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { step } from "../../../src/step/Step.ts"
import { Memory, Scripted, System, World } from "../../../src/testing.ts"
import { call, inWorld, settings } from "../drive/plan/plans.ts"

/** What `read` makes of the newest run, after a step whose first reviewer of two has found issues. */
const afterStep = async <A, E>(read: Effect.Effect<A, E, Memory.Services | World>): Promise<A> => {
  const system = System.start(Memory.layer())
  const exit = await system.run(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.issues(1000) : Scripted.clean(1000))
    yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 2 }), "/repo", {})
    return yield* read
  }))
  await system.dispose()
  return exit._tag === "Success" ? exit.value : assert.fail(String(exit.cause))
}

const newest = Effect.gen(function*() {
  const store = yield* RunStore
  const [run] = yield* store.list(yield* store.open(null, "/repo"), null)
  return run ?? assert.fail("no run")
})

describe("the findings of a run", () => {
  it("are those of its last batch, or of the one asked for", async () => {
    const [last, asked] = await afterStep(
      Effect.flatMap(
        newest,
        (run) => Effect.all([findings(run), findings(run, { batch: { level: "low", batch: 1 }, whole: true })])
      )
    )
    assert.strictEqual(last?.batch.level, "low")
    assert.isNotEmpty([...last?.findings ?? [], ...last?.batch.unlisted ?? []])
    assert.deepStrictEqual(asked?.findings, last?.findings)
  })

  it("are those of the run that converged a plan's code; a plan itself has none", async () => {
    const planned = (set = settings()) =>
      inWorld({}, Effect.flatMap(call(set), ({ run }) => Effect.result(findings(run))))
    const converged = await planned(settings({ then: "converge" }))
    assert.isTrue(Result.isSuccess(converged))
    const alone = await planned()
    assert.match(Result.isFailure(alone) ? alone.failure.message : "", /^run \S+ has no findings: the code of its plan/)
  })

  it("are none of a batch that it has not started, and of a run without a log", async () => {
    const messages = await afterStep(
      Effect.flatMap(newest, (run) =>
        Effect.forEach(
          [
            findings(run, { batch: { level: "high", batch: 7 } }),
            findings({ ...run, runId: "none" })
          ],
          (one) => Effect.map(Effect.flip(one), ({ message }) => message)
        ))
    )
    const [unstarted = "", missing = ""] = messages
    assert.match(unstarted, /^run \S+ has not started high batch 7 yet$/)
    assert.match(missing, /missing/)
  })
})
