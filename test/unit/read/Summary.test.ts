// Summary: a run in a few figures, told from its log and a look at its open reviewers.
import { Effect, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { summarise } from "../../../src/read/Runs.ts"
import {
  EventLog,
  type LogReadError,
  LogDamaged,
  LogMissing,
  LogRewound,
  LogUnavailable
} from "../../../src/log/EventLog.ts"
import { type Fate, ReviewFiles, ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"
import * as Memory from "../../../src/testing/Memory.ts"
import {
  batchCompleted,
  batchStarted,
  created,
  failed,
  finished,
  opened,
  runRef,
  started,
  tree
} from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const run = runRef()
const refused = { _tag: "SystemRefused", code: "EACCES", call: "open", said: "not permitted" } as const

/** A machine whose reviewers have come to this. */
const reviewersAre = (fate: Fate | "unseen"): Memory.Options => ({
  reviewFiles: Layer.mock(ReviewFiles)({
    fate: () =>
      fate === "unseen" ? Effect.fail(new ReviewFilesFailed({ path: "x", reason: refused })) : Effect.succeed(fate)
  })
})

/** The summary of a run of these lines, one committed a minute after the other. */
const summary = (lines: ReadonlyArray<ReadonlyArray<Event>>, fate: Fate | "unseen" = "Gone") =>
  onMachine(
    Effect.gen(function*() {
      const log = yield* EventLog
      let head = yield* log.create(reviewRun, run, [created({ createdAt: "1970-01-01T00:00:00.000Z" })])
      for (const line of lines) {
        yield* Effect.sleep("1 minute")
        head = yield* log.append(reviewRun, run, head, line)
      }
      return yield* summarise(run)
    }),
    reviewersAre(fate)
  )

const running = [batchStarted(), started(), started({ slot: 2 })]

describe("the figures of a run", () => {
  it("are of the whole log", async () => {
    const whole = await summary([running, [finished("HasIssues"), failed({ slot: 2 })], [opened("medium", 1)]])
    assert.deepInclude(whole, {
      run: run.runId,
      repo: "repo-noremote",
      target: "uncommitted",
      worktree: "/repo",
      floor: "low",
      level: "medium",
      batch: 1,
      batches: 1,
      reviews: 1,
      failures: 1,
      created: "1970-01-01T00:00:00.000Z"
    })
    assert.strictEqual(whole.head.seq, 4)
  })

  it("last from its creation to its last line", async () => {
    const { milliseconds, updated } = await summary([[{ _tag: "StepAborted", signal: "SIGINT" }]])
    assert.isAtLeast(milliseconds ?? 0, 60_000)
    assert.strictEqual(milliseconds, Date.parse(updated ?? ""))
  })
})

describe("where it stands", () => {
  it("is told from its last event, but not from the end of a step", async () => {
    const tests: Event = { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "no" } }
    const issues = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
    const { standing } = await summary([issues, [tests], [{ _tag: "StepAborted", signal: "SIGTERM" }]])
    assert.strictEqual(standing.kind, "TestsFailedTriage")
  })

  it.each<readonly [Fate | "unseen", string]>([
    ["Alive", "Running: running: 2 of 2 reviewers"],
    ["Exited", "NextStep: waiting for the next step: 2 reviewers have ended"],
    ["Gone", "NextStep: waiting for the next step: 2 reviewers have ended"],
    ["unseen", "NextStep: waiting for the next step: 2 reviewers have ended"]
  ])("with reviewers that are %s: %s", async (now, expected) => {
    const { standing } = await summary([running], now)
    assert.strictEqual(`${standing.kind}: ${standing.text}`, expected)
  })
})

describe("a log that cannot be read", () => {
  const errors: ReadonlyArray<readonly [LogReadError, string]> = [
    [new LogMissing({ path: "x" }), "Empty: empty: no log"],
    [new LogRewound({ path: "x", kind: "rolled back" }), "Rewound: the log was rolled back"],
    [new LogUnavailable({ path: "x", reason: refused }), "Unreadable: "]
  ]
  it.each(errors)("is its standing: $_tag", async (error, expected) => {
    const found = await onMachine(Effect.provide(
      summarise(run),
      Layer.mock(EventLog)({ stream: () => Stream.fail(error) })
    ))
    assert.include(`${found.standing.kind}: ${found.standing.text}`, expected)
    assert.deepInclude(found, { floor: null, level: null, worktree: null, milliseconds: null, batches: 0 })
  })

  it("tells what stands before the damage", async () => {
    const found = await onMachine(Effect.gen(function*() {
      const log = yield* EventLog
      yield* log.create(reviewRun, run, [created()])
      const damage = new LogDamaged({ path: "x", line: 2, offset: 99, kind: "bad hash" })
      const stream = Layer.mock(EventLog)({
        stream: (kind, one, after) => Stream.concat(log.stream(kind, one, after), Stream.fail(damage))
      })
      return yield* Effect.provide(summarise(run), stream)
    }))
    assert.deepStrictEqual(found.standing, { kind: "Damaged", text: "damaged at line 2: bad hash" })
    assert.deepInclude(found, { floor: "low", level: "low", worktree: "/repo" })
  })
})
