// Snapshots: where an undo goes back to, and which stretches of a run it takes back.
import { assert, describe, it } from "vitest"
import {
  changedParts,
  type Snapshot,
  type SnapshotCause,
  stretchesFrom,
  targetOf
} from "../../../src/code/Snapshots.ts"
import { runRef } from "../run/events.ts"

it("git's parts that changed, came or went are named, and no other", () => {
  const state = (...parts: ReadonlyArray<string>) =>
    parts.map((one) => ({ part: one.slice(0, 1), digest: one.slice(1) }))
  assert.deepStrictEqual(changedParts(state("a1", "b1", "c1"), state("a1", "b2", "d1")), ["b", "c", "d"])
})

const before = (agent: number): SnapshotCause => ({ _tag: "BeforeAgent", agent })
const after = (agent: number): SnapshotCause => ({ _tag: "AfterAgent", agent })
const undoing: SnapshotCause = { _tag: "BeforeUndo" }
const undone: SnapshotCause = { _tag: "AfterUndo" }

const taken = (...each: ReadonlyArray<readonly [number | null, SnapshotCause]>): ReadonlyArray<Snapshot> =>
  each.map(([round, cause], i) => ({
    schema: 2,
    run: runRef(),
    number: i + 1,
    at: "2026-01-01T00:00:00.000Z",
    worktree: "/repo",
    cause,
    round,
    tree: `t${i + 1}`,
    rules: "",
    skipped: [],
    git: [],
    commit: `c${i + 1}`
  }))

/** The numbers of the snapshots at the ends of the stretches; null is the present. */
const stretches = (all: ReadonlyArray<Snapshot>, from: number, next = (all.at(-1)?.number ?? 0) + 1) =>
  stretchesFrom(all, from, next).map(({ first, last }) => [first.number, last?.number ?? null])

describe("what an undo takes back", () => {
  const rounds = taken([1, before(1)], [1, after(1)], [1, before(2)], [1, after(2)], [2, before(3)], [2, after(3)])

  it("is the work of each agent, the newest first", () => {
    assert.deepStrictEqual(stretches(rounds, 1), [[5, 6], [3, 4], [1, 2]])
    assert.deepStrictEqual(stretches(rounds, 5), [[5, 6]])
  })

  it("begins in the midst of a round where that snapshot is wanted", () =>
    assert.deepStrictEqual(stretches(rounds, 3), [[5, 6], [3, 4]]))

  it("reaches over the tests after an agent", () => {
    const all = taken([1, before(1)], [1, after(1)], [1, { _tag: "AfterTests" }], [1, before(2)], [1, after(2)])
    assert.deepStrictEqual(stretches(all, 1), [[4, 5], [1, 3]])
  })

  it("is nothing of a round whose last snapshot is wanted", () => {
    assert.deepStrictEqual(stretches(rounds, 4), [[5, 6]])
    assert.deepStrictEqual(stretches(rounds, 6), [])
  })

  it("is up to the present, or to the next snapshot, where the agent was killed", () => {
    assert.deepStrictEqual(stretches(taken([1, before(1)]), 1), [[1, null]])
    assert.deepStrictEqual(stretches(taken([1, before(1)], [1, after(1)], [1, before(2)]), 1), [[3, null], [1, 2]])
    assert.deepStrictEqual(stretches(taken([1, before(1)], [null, undoing], [null, undone]), 1), [[2, 3], [1, 2]])
  })

  it("is an undo too, and what of a round was done after it", () => {
    const all = taken([1, before(1)], [1, after(1)], [null, undoing], [null, undone], [1, before(2)], [1, after(2)])
    assert.deepStrictEqual(stretches(all, 1), [[5, 6], [3, 4], [1, 2]])
    assert.deepStrictEqual(stretches(all, 3), [[5, 6], [3, 4]])
  })

  it("reaches over snapshots that are lost", () => {
    const without = (...lost: ReadonlyArray<number>) => rounds.filter(({ number }) => !lost.includes(number))
    assert.deepStrictEqual(stretches(without(3, 4), 1), [[5, 6], [1, 5]])
    assert.deepStrictEqual(stretches(without(3), 1), [[5, 6], [1, 4]])
    assert.deepStrictEqual(stretches(without(5, 6), 1, 7), [[3, null], [1, 2]])
  })

  it("are two undos, each for itself", () => {
    const all = taken([1, before(1)], [1, after(1)], [null, undoing], [null, undone], [null, undoing], [null, undone])
    assert.deepStrictEqual(stretches(all, 3), [[5, 6], [3, 4]])
  })
})

describe("where an undo goes back to", () => {
  const all = taken([1, before(1)], [1, after(1)], [2, before(2)], [2, after(2)], [null, undoing], [null, undone])
  const number = (to: Parameters<typeof targetOf>[1]) => targetOf(all, to)?.number ?? null

  it("is before the last round, a round by its number, or all of them", () => {
    assert.strictEqual(number({ _tag: "LastRound" }), 3)
    assert.strictEqual(number({ _tag: "Round", round: 1 }), 1)
    assert.strictEqual(number({ _tag: "AllRounds" }), 1)
    assert.strictEqual(number({ _tag: "Snapshot", number: 5 }), 5)
  })

  it("is nowhere without such a round or snapshot", () => {
    assert.isNull(number({ _tag: "Round", round: 3 }))
    assert.isNull(number({ _tag: "Snapshot", number: 7 }))
    assert.isNull(targetOf([], { _tag: "LastRound" }))
  })
})
