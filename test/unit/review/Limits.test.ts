// Limits: when a reviewer continues, when it must end and why, and how long a step waits at a time.
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import {
  type Limits,
  maxTranscript,
  networkTimeout,
  overdue,
  pollInterval,
  whileDoing
} from "../../../src/review/Limits.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { Environment } from "../../../src/platform/Environment.ts"

const limits: Limits = { retries: 2, idleTimeout: 60_000 }
const alive = (seen: Partial<Extract<ReviewerState, { readonly _tag: "Alive" }>> = {}): ReviewerState => ({
  _tag: "Alive",
  silentFor: 0,
  waitingForNetwork: 0,
  bytes: 0,
  ...seen
})

describe("a living reviewer", () => {
  it("continues up to each limit", () =>
    assert.isNull(overdue(alive({ silentFor: 59_999, bytes: maxTranscript }), limits)))

  it("must end once it answered, even without a limit", () => {
    for (const idleTimeout of [60_000, null]) {
      assert.deepInclude(overdue(alive({ answered: true }), { ...limits, idleTimeout }), { kind: "Answered" })
    }
  })

  it("continues while it waits for the network briefly", () =>
    assert.isNull(overdue(alive({ waitingForNetwork: 299_999 }), limits)))

  const reasons: ReadonlyArray<readonly [string, ReviewerState, string, string]> = [
    ["without progress", alive({ silentFor: 60_000 }), "Idle", "no progress for 1m00s"],
    [
      "with a transcript without end",
      alive({ bytes: maxTranscript + 1 }),
      "TranscriptTooLarge",
      "the transcript reached 1073741825 bytes"
    ],
    [
      "that waits for the network",
      alive({ waitingForNetwork: networkTimeout }),
      "NetworkWait",
      "waited 5m00s for the network"
    ],
    [
      "that is silent because it waits for the network",
      alive({ silentFor: 60_000, waitingForNetwork: 5000 }),
      "NetworkWait",
      "waited 5s for the network"
    ],
    [
      "with all of it",
      alive({ silentFor: 900_000, waitingForNetwork: 900_000, bytes: 2 ** 31 }),
      "TranscriptTooLarge",
      "the transcript reached 2147483648 bytes"
    ]
  ]
  it.each(reasons)(
    "%s must end",
    (_, state, kind, detail) => assert.deepStrictEqual(overdue(state, limits), { kind, detail })
  )

  it.each(reasons)(
    "%s continues without a limit",
    (_, state) => assert.isNull(overdue(state, { ...limits, idleTimeout: null }))
  )
})

describe("a dead reviewer", () => {
  it.each<ReviewerState>([
    { _tag: "Exited", status: 1, deadline: true },
    { _tag: "Lost" },
    { _tag: "Unstarted" }
  ])("$_tag is past no limit", (state) => assert.isNull(overdue(state, { ...limits, idleTimeout: 0 })))
})

describe("its last activity", () => {
  it("is named if the end of its transcript shows it", () =>
    assert.match(
      whileDoing("no progress for 1m", "exec\nbash -lc 'npm test' in /repo\n"),
      /^no progress for 1m; last seen: .*npm test/
    ))
  it("is left out otherwise", () => assert.strictEqual(whileDoing("no progress for 1m", ""), "no progress for 1m"))
})

const read = (text?: string) =>
  Effect.runSync(
    Effect.match(pollInterval, { onFailure: ({ message }) => message, onSuccess: (interval) => interval }).pipe(
      Effect.provideService(Environment, text === undefined ? {} : { OODA_AWAIT_SECS: text })
    )
  )

describe("the poll interval", () => {
  it.each([[undefined, 30_000], ["", 30_000], ["0", 0], ["1.5", 1500], [".25", 250], ["86400", 86_400_000]] as const)(
    "%s is %i ms",
    (text, milliseconds) => assert.strictEqual(read(text), milliseconds)
  )

  it.each(["-1", "1s", "1e3", ".", "86401", "NaN"])(
    "%s is refused",
    (text) =>
      assert.strictEqual(read(text), `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${text}"`)
  )
})
