// StallKey: the keys by which the loop notices that it makes no progress.
// A key repeats only without progress in between, and the key of a wait never equals the key of an action.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { DecideContext, Decision } from "../src/run/Decide.ts"
import { decide } from "../src/run/Decide.ts"
import type { Identity } from "../src/run/Identity.ts"
import { type Manifest, replay } from "../src/run/Manifest.ts"
import { arbitraries, type Move, moves } from "../src/testing/Arbitraries.ts"

const { decideContext, events, manifest } = arbitraries

const files = { _tag: "Known", head: null, tree: "t", base: null } as const
/** The identity of a run's target: a commit determines it alone. */
const seenOf = ({ target }: Manifest): Identity => target._tag === "Commit" ? { ...files, head: target.sha } : files
const contextOf = (identity: Identity): DecideContext => ({
  ceiling: "xhigh",
  retries: 1,
  openedAt: 1,
  identity,
  maxBatches: null,
  paths: { findings: "/f", transcripts: "/t", logs: [], history: "/h" }
})
const keyOf = (decision: Decision): string | null => decision._tag === "Halt" ? null : decision.key

const take = (state: Manifest, seq: number, move: Move): Manifest =>
  replay(state, [{ seq, at: "", events: moves.eventsOf(state, move) }])

describe("the keys of decisions", () => {
  it("of waits differ from the keys of RunReviews, in any two states", () =>
    fc.assert(
      fc.property(manifest, manifest, decideContext(), (a, b, other) => {
        const [first, second] = [decide(a, other), decide(b, other)]
        if (first._tag === second._tag) return
        if (keyOf(first) !== null) assert.notStrictEqual(keyOf(first), keyOf(second))
      }),
      { numRuns: 1000 }
    ))

  it("of RunReviews contain the cause, the level, and the batch unless the code changed", () =>
    fc.assert(
      fc.property(manifest, manifest, decideContext(), (a, b, other) => {
        const [first, second] = [decide(a, other), decide(b, other)]
        if (first._tag !== "RunReviews" || second._tag !== "RunReviews" || first.key !== second.key) return
        assert.strictEqual(first.cause, second.cause)
        assert.strictEqual(a.current_level, b.current_level)
        if (first.cause !== "target-changed") assert.strictEqual(a.batch_number, b.batch_number)
      }),
      { numRuns: 1000 }
    ))

  it("depend neither on paths nor on the ceiling", () =>
    fc.assert(fc.property(manifest, decideContext(), decideContext(), (state, a, b) => {
      const moved = { ...a, paths: { findings: "/x", transcripts: "/y", logs: [], history: "/z" }, ceiling: b.ceiling }
      assert.strictEqual(keyOf(decide(state, a)), keyOf(decide(state, moved)))
    })))
})

describe("an invocation that makes progress", () => {
  const fresh: fc.Arbitrary<Manifest> = events.RunCreated().map((created) => moves.play(created, []).manifest)

  /** Runs the loop until it halts, with every started reviewer ending. Returns the keys of RunReviews. */
  const walk = (begin: Manifest, size: number, jobs: number, clean: (seq: number) => boolean) => {
    const keys: Array<string> = []
    const now = seenOf(begin)
    const context = contextOf(now)
    let state = begin
    for (let seq = 2; seq < 100; seq++) {
      const decision = decide(state, context)
      if (decision._tag === "Halt") return { keys, outcome: decision.outcome._tag }
      if (decision._tag === "RunReviews") {
        keys.push(decision.key)
        state = take(state, seq, { _tag: "StartBatch", size, jobs, identity: now })
        continue
      }
      const ended = take(state, seq, { _tag: "Finish", pick: 0, clean: clean(seq), identity: now })
      state = take(ended, seq, { _tag: "StartDue", jobs: 1 })
    }
    return assert.fail("the walk does not end")
  }
  const few = fc.integer({ min: 1, max: 5 })

  it("uses one key for all reviews of a batch, however few may run at the same time", () =>
    fc.assert(
      fc.property(fresh, few, few, fc.boolean(), (begin, size, jobs, clean) => {
        const { keys, outcome } = walk(begin, size, jobs, (seq) => clean || seq % 2 === 0)
        assert.lengthOf(keys, 1)
        assert.include(["HandoffAgent", "DoneFixedPoint"], outcome)
      })
    ))
})

describe("an invocation without progress", () => {
  it("has the same key while the code changes under every batch", () =>
    fc.assert(
      fc.property(manifest, (state) => {
        const key = (of: Manifest, tree: string) =>
          keyOf(decide({ ...of, stopped_at: 0 }, contextOf({ ...files, tree })))
        const first = decide({ ...state, stopped_at: 0 }, contextOf(files))
        if (first._tag !== "RunReviews" || first.cause !== "target-changed") return
        const again = take(state, 50, { _tag: "ChangeTarget", size: 1, jobs: 1, identity: files })
        const done = take(again, 51, { _tag: "Finish", pick: 0, clean: true, identity: files })
        assert.strictEqual(key(done, "another"), first.key)
      }),
      { numRuns: 500 }
    ))
})
