// ReviewFiles: what the reviewers of tests leave, told from their script and from whether they are over.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import { digestOf, evidenceOf, reviewFilesLayer } from "../../../../src/testing/memory/Reviewers.ts"
import { clean, failure, introduced, issues, type Scripted, silence } from "../../../../src/testing/Scripted.ts"
import type { Services } from "../../../../src/testing/Memory.ts"
import { World } from "../../../../src/testing/World.ts"
import { attempt, launch } from "../attempts.ts"
import { onMachine } from "../../run/opened.ts"

const onLayer = <A, E>(effect: Effect.Effect<A, E, Services | World>): Promise<A> =>
  onMachine(effect, { reviewFiles: reviewFilesLayer })
const [first, second] = [attempt(1, 1), attempt(1, 2)]
const kept = { session: false }

/** Launches attempts that do this, one after the other, and lets a second pass. */
const launched = (...scripts: ReadonlyArray<Scripted>) =>
  Effect.gen(function*() {
    const reviewers = yield* Reviewers
    for (const [i, scripted] of scripts.entries()) {
      yield* World.use(({ script }) => Ref.set(script, () => scripted))
      yield* reviewers.launch([attempt(1, i + 1)], launch)
    }
    yield* Effect.sleep("1 second")
    return yield* ReviewFiles
  })

describe("the files of a reviewer", () => {
  it("are its streams, with the digests of both, for every reader", async () => {
    const [evidence, stored, said] = await onLayer(
      Effect.flatMap(
        launched(issues()),
        (files) => Effect.all([files.evidence(first), files.stored(first, kept), files.said(first, kept)])
      )
    )
    assert.deepStrictEqual(evidence, evidenceOf(introduced(issues(), first, launch)))
    const journal = { id: first.id, line: launch.line, end: null }
    assert.deepStrictEqual(stored, { missing: [], status: 0, journal, joined: true, evidence })
    assert.strictEqual(said.out, issues().out)
  })

  it("hold the status of one that is over, and none while it runs", async () => {
    const status = (scripted: Scripted) =>
      onLayer(Effect.flatMap(launched(scripted), (files) => Effect.map(files.stored(first, kept), (one) => one.status)))
    assert.strictEqual(await status(failure()), 1)
    assert.isNull(await status(silence))
  })

  it("are the last attempt's of the slot", async () => {
    const evidence = await onLayer(Effect.flatMap(launched(failure(), clean()), (files) => files.evidence(second)))
    assert.strictEqual(evidence.out, clean().out)
  })

  it("are not there where none was started", async () => {
    const error = await onLayer(Effect.flatMap(ReviewFiles, (files) => Effect.flip(files.evidence(first))))
    assert.strictEqual(error._tag, "ReviewFilesFailed")
  })
})

describe("the fate of an attempt", () => {
  it("is told for each by itself", async () => {
    const fates = await onLayer(
      Effect.flatMap(
        launched(silence, silence),
        (files) => Effect.all([files.fate(first), files.fate(second), files.fate(attempt(2))])
      )
    )
    assert.deepStrictEqual(fates, ["Exited", "Alive", "Gone"])
  })
})

describe("a digest", () => {
  it("tells texts apart, and says how many bytes they are", () => {
    assert.deepInclude(digestOf("ü"), { algorithm: "sha256", bytes: 2 })
    assert.match(digestOf("a").hex, /^[0-9a-f]{64}$/)
    assert.notStrictEqual(digestOf("a").hex, digestOf("b").hex)
  })
})
