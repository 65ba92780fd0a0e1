// ReviewFilesSql: without a database nothing is read, in one line without its address. test/fleet reads for real.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { reviewFilesLayer } from "../../../../src/fleet/sql/Reviewers.live.ts"
import { attemptFiles } from "../../../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../../../src/run/Refs.ts"
import { ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const review: ReviewRef = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1 }
const attempts = () => Effect.succeed({ fate: "Alive", emptySession: true, usage: null } as const)
const files = Layer.provide(reviewFilesLayer(attempts), nowhere)
const go = <A, E>(use: (files: ReviewFiles["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(ReviewFiles.use(use), files))

it.each([
  ["evidence", (them: ReviewFiles["Service"]) => Effect.asVoid(them.evidence(review))],
  ["what is stored", (them: ReviewFiles["Service"]) => Effect.asVoid(them.stored(review, { session: true }))],
  ["what was said", (them: ReviewFiles["Service"]) => Effect.asVoid(them.said(review, { session: true }))]
])(
  "%s is not there",
  async (_, ask) => isUnreached(attemptFiles(review).log, await go((them) => Effect.flip(ask(them))))
)

it("the fate of an attempt is what its machine told", async () =>
  assert.strictEqual(await go((them) => them.fate(review)), "Alive"))
