// Decide: total, honest about what is clean, and never mistaking a wait for progress or progress for a standstill.
// Laws about what a decision means are tested on histories; totality on any manifest at all.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { assess, type Batch } from "../src/run/Batch.ts"
import { decide, type DecideContext, type Decision, needsIdentity, targetChanged } from "../src/run/Decide.ts"
import { differs } from "../src/run/Identity.ts"
import type { Manifest } from "../src/run/Manifest.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { batch, decideContext, history, manifest } = arbitraries

/** Reachable manifests, and manifests whose batch is any mix of slots. */
const anyManifest: fc.Arbitrary<Manifest> = fc.oneof(
  manifest,
  fc.tuple(manifest, batch).map(([state, other]) => ({ ...state, batch: other }))
)

const always = (law: (state: Manifest, context: DecideContext, decision: Decision) => void) =>
  fc.assert(
    fc.property(anyManifest, decideContext(), (state, context) => law(state, context, decide(state, context))),
    { numRuns: 1000 }
  )

const outcomeOf = (decision: Decision): string => decision._tag === "Halt" ? decision.outcome._tag : decision._tag
const actionOf = (decision: Decision): string | null =>
  decision._tag === "Halt" && decision.outcome._tag === "HandoffAgent" ? decision.outcome.action : null
const running = (batch: Batch): boolean =>
  batch._tag === "Started" && batch.slots.some(({ _tag }) => _tag === "Running")

describe("decide", () => {
  it("is total: it acts, waits, or halts with an outcome of loop mode", () =>
    always((_, __, decision) =>
      assert.include(
        [
          "RunReviews",
          "AwaitReviews",
          "DoneFixedPoint",
          "HandoffAgent",
          "BinaryError",
          "StuckCapReached",
          "DoneAborted"
        ],
        outcomeOf(decision)
      )
    ))

  it("decides the same from the same, whatever it decided before", () =>
    always((state, context, decision) => assert.deepStrictEqual(decide(state, context), decision)))

  it("waits while a reviewer runs, unless a stop was requested meanwhile", () =>
    always((state, context, decision) => {
      if (state.stopped_at > context.openedAt) return assert.strictEqual(outcomeOf(decision), "DoneAborted")
      if (running(state.batch)) assert.strictEqual(decision._tag, "AwaitReviews")
      assert.notStrictEqual(outcomeOf(decision), "DoneAborted")
    }))
})

describe("a fixed point", () => {
  it("is declared only for reviews that are all clean, at the ceiling exactly, of code that has not changed", () =>
    always((state, context, decision) => {
      if (outcomeOf(decision) !== "DoneFixedPoint") return
      assert.strictEqual(state.current_level, context.ceiling)
      assert.isFalse(targetChanged(state, context.identity))
      assert.isTrue(
        state.batch._tag === "Started" &&
          state.batch.slots.every((slot) => slot._tag === "Finished" && slot.verdict === "Clean")
      )
    }))

  it("and a retrospective exclude each other: the ceiling alone decides between them", () =>
    always((state, context, decision) => {
      const halts = outcomeOf(decision) === "DoneFixedPoint" || actionOf(decision) === "Retrospective"
      const flipped = decide(state, { ...context, ceiling: state.current_level })
      assert.strictEqual(halts, outcomeOf(flipped) === "DoneFixedPoint")
      if (halts) {
        assert.strictEqual(actionOf(decision) === "Retrospective", state.current_level !== context.ceiling)
      }
    }))
})

describe("a batch with issues", () => {
  it("is handed off whatever the tree, the ceiling and the limit on batches", () =>
    fc.assert(
      fc.property(anyManifest, decideContext(), decideContext(), (state, a, b) => {
        const other = { ...b, retries: a.retries, openedAt: a.openedAt }
        const first = decide(state, a)
        if (actionOf(first) === "AddressBatch") assert.deepStrictEqual(decide(state, other), first)
      }),
      { numRuns: 500 }
    ))

  it("is handed off with the number of reviews that have issues", () =>
    always((state, context, decision) => {
      const status = assess(state.batch, context.retries)
      const issues = status._tag === "Complete" ? status.withIssues : 0
      if (actionOf(decision) !== "AddressBatch") return
      assert.isAbove(issues, 0)
      assert.isTrue(
        decision._tag === "Halt" && decision.outcome._tag === "HandoffAgent" &&
          decision.outcome.prompt.startsWith(`Verify and address ${issues} review(s) with issues at level `)
      )
    }))
})

describe("the identity of the target", () => {
  it("forces nothing while it is unknown", () =>
    always((state, context) =>
      assert.deepStrictEqual(
        decide(state, { ...context, identity: { _tag: "Unknown", why: "no git" } }),
        decide(state, { ...context, identity: null })
      )
    ))

  it("changes no decision for which it is said not to be needed", () =>
    fc.assert(
      fc.property(manifest, decideContext(), (state, context) => {
        if (needsIdentity(state, context.retries)) return
        assert.deepStrictEqual(decide(state, context), decide(state, { ...context, identity: null }))
      }),
      { numRuns: 500 }
    ))

  it("that is the one recorded at both ends forces nothing", () =>
    always((state, context) => {
      const { batch } = state
      if (batch._tag !== "Started" || (batch.completed !== null && differs(batch.identity, batch.completed))) return
      assert.deepStrictEqual(
        decide(state, { ...context, identity: batch.identity }),
        decide(state, { ...context, identity: null })
      )
    }))

  it("that differs from either end of the batch sends all that would be acted on back to review", () =>
    always((state, context, decision) => {
      const { batch } = state
      const { identity: now } = context
      if (batch._tag !== "Started" || now === null || outcomeOf(decision) === "DoneAborted") return
      const ends = batch.completed === null ? [batch.identity] : [batch.identity, batch.completed]
      if (!ends.some((end) => differs(end, now))) return
      assert.notStrictEqual(outcomeOf(decision), "DoneFixedPoint")
      assert.notStrictEqual(actionOf(decision), "Retrospective")
      if (decision._tag === "RunReviews") assert.strictEqual(decision.cause, "target-changed")
    }))
})

describe("failed slots", () => {
  it("that no one has recorded yet are for this invocation to report", () =>
    always((state, context, decision) => {
      const { batch } = state
      if (batch._tag !== "Started" || batch.failedAt > 0 || outcomeOf(decision) === "DoneAborted") return
      if (assess(batch, context.retries)._tag === "Failed") assert.strictEqual(outcomeOf(decision), "BinaryError")
    }))

  it("end the invocation in which they failed, and are run again by the next one in the same batch", () =>
    fc.assert(
      fc.property(history(), decideContext({ identity: fc.constant(null) }), ({ manifest: state }, context) => {
        const { batch } = state
        if (batch._tag !== "Started" || batch.failedAt === 0) return
        const at = (openedAt: number) => decide({ ...state, stopped_at: 0 }, { ...context, openedAt })
        assert.strictEqual(outcomeOf(at(batch.failedAt - 1)), "BinaryError")
        assert.deepInclude(at(batch.failedAt), { _tag: "RunReviews", cause: "failed-slots" })
      }),
      { numRuns: 500 }
    ))
})

describe("the limit on batches", () => {
  it("stops the start of a batch alone: all else is decided as without it", () =>
    always((state, context, decision) => {
      const free = decide(state, { ...context, maxBatches: null })
      const starts = free._tag === "RunReviews" && ["not-started", "target-changed"].includes(free.cause)
      const over = state.batches >= (context.maxBatches ?? Number.POSITIVE_INFINITY)
      if (starts && over) assert.strictEqual(outcomeOf(decision), "StuckCapReached")
      else assert.deepStrictEqual(decision, free)
    }))
})
