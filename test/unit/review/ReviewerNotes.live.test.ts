// What is noted of reviewers: each change once, with the attempt that it is about.
import { Effect, Logger, References } from "effect"
import { assert, it } from "vitest"
import { makeReviewerNotes } from "../../../src/review/Reviewers.live.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"

const attempt = (slot: number) =>
  ({
    run: { root: "/s", repoId: "r", targetKey: "uncommitted", runId: "id" },
    level: "low",
    batch: 2,
    slot,
    attempt: 1,
    id: `a${slot}`
  }) as const
const alive: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

const noted = (effect: Effect.Effect<void>): ReadonlyArray<readonly [string, unknown]> => {
  const entries: Array<readonly [string, unknown]> = []
  const logger = Logger.make<unknown, void>(({ fiber, message }) =>
    void entries.push([String(message), fiber.getRef(References.CurrentLogAnnotations)])
  )
  Effect.runSync(
    Effect.provide(effect, Logger.layer([logger])).pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))
  )
  return entries
}
const about = (slot: number) => ({ run: "id", batch: "low/2", slot, attempt: 1 })

it("a reviewer that this process started is told as it starts and as it exits, not at each look", () => {
  const notes = makeReviewerNotes()
  const exited: ReviewerState = { _tag: "Exited", status: 1, deadline: true }
  assert.deepStrictEqual(
    noted(Effect.all([
      notes.started([attempt(1)]),
      notes.seen([attempt(1)], [alive]),
      notes.seen([attempt(1)], [alive]),
      notes.seen([attempt(1)], [exited])
    ], { discard: true })),
    [
      ["started a reviewer", about(1)],
      ["a reviewer exited", { ...about(1), status: 1, deadline: true, oversize: false }]
    ]
  )
})

it("a reviewer of an earlier call is taken up, and what became of another is told", () => {
  const notes = makeReviewerNotes()
  const three = [attempt(1), attempt(2), attempt(3)]
  assert.deepStrictEqual(noted(notes.seen(three, [alive, { _tag: "Lost" }, { _tag: "Unstarted" }])), [
    ["took up a reviewer that an earlier call started", about(1)],
    ["a reviewer died without a record of its exit", about(2)],
    ["a reviewer never began", about(3)]
  ])
})

it("a stopped reviewer is told with how many processes ended", () =>
  assert.deepStrictEqual(noted(makeReviewerNotes().stopped([attempt(1)], 3)), [
    ["stopped a reviewer", { ...about(1), processes: 3 }]
  ]))
