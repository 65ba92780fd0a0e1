// reviewers: reviewers that look as a test says, for the tests of single parts of the loop.
import { Effect, Layer } from "effect"
import type { ReviewerState } from "../../src/run/ReviewTokens.ts"
import { type AttemptRef, attemptText } from "../../src/run/Refs.ts"
import { Reviewers } from "../../src/review/Reviewers.ts"
import { ReviewFiles, ReviewFilesFailed } from "../../src/review/ReviewFiles.ts"
import { evidenceOf } from "../../src/testing/memory/Reviewers.ts"
import { Scripted } from "../../src/testing.ts"

type StateOf<Tag extends ReviewerState["_tag"]> = Extract<ReviewerState, { readonly _tag: Tag }>

export const alive: StateOf<"Alive"> = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 9 }
export const exited = (status = 0): StateOf<"Exited"> => ({ _tag: "Exited", status, deadline: false })

/** Reviewers that a look shows as `look` says, by slot. What is done to them goes to `heard`. */
export const looking = (look: (attempt: AttemptRef) => ReviewerState, heard: (what: string) => void = () => {}) =>
  Layer.mock(Reviewers)({
    locate: (binary) => Effect.succeed(binary),
    look: (attempts, options) =>
      Effect.sync(() => {
        heard(`${options?.acting === false ? "look only" : "look"} at ${attempts.map(({ slot }) => slot)}`)
        return attempts.map(look)
      }),
    stop: (attempts) =>
      Effect.sync(() => {
        heard(`stop ${attempts.map(({ slot }) => slot)}`)
        return 0
      }),
    listen: () => Effect.succeed((_, limit) => Effect.sleep(limit)),
    launch: (attempts) => Effect.sync(() => heard(`launch ${attempts.map(({ slot }) => slot)}`))
  })

/** Files of reviewers that did as scripted, whichever slot is asked for. */
export const leaving = (scripted: Scripted.Scripted, heard: (what: string) => void = () => {}) =>
  Layer.mock(ReviewFiles)({
    evidence: (_, options) =>
      Effect.sync(() => {
        heard(options?.acting === false ? "read only" : "read")
        return evidenceOf(scripted)
      })
  })

/** Files of a reviewer whose clean review codex has recorded. */
export const recording = (scripted: Scripted.Scripted) =>
  Layer.mock(ReviewFiles)({
    evidence: () =>
      Effect.succeed({
        ...evidenceOf(scripted),
        session: {
          _tag: "Found",
          output: {
            findings: [],
            overall_correctness: "patch is correct",
            overall_explanation: "The change does what it says and breaks nothing."
          }
        }
      })
  })

/** Files that cannot be read. */
export const unreadable = Layer.mock(ReviewFiles)({
  evidence: (review) =>
    Effect.fail(
      new ReviewFilesFailed({
        path: attemptText(review),
        reason: { _tag: "SystemRefused", code: "EIO", call: "open", said: "EIO" }
      })
    )
})
