// StrictExploration: every state that strict orchestrators, people and crashes can bring a run to, within small bounds.
// A fixed point is reported only where it is proven; from every state there is a way to one; no hand-off is a dead end.
import { assert, describe, it } from "vitest"
import type { Level } from "../src/run/Level.ts"
import { type Bounds, explore } from "./exploring.ts"

// With OODA_EXPLORE=1 every configuration has a batch more, which takes minutes.
const more = Number(process.env["OODA_EXPLORE"] ?? "0")

const between = (floor: Level, ...ceilings: ReadonlyArray<Level>): Bounds => ({
  parties: ceilings.map((ceiling) => ({ floor, ceiling })),
  codes: ["A", "B"],
  batches: 3,
  edits: 0,
  primitives: 0,
  crashes: 0,
  dismissals: 0
})
const three = { ...between("low", "high", "high"), codes: ["A", "B", "C"] }

/** With few states. */
const few: ReadonlyArray<readonly [string, Bounds]> = [
  ["two levels, one orchestrator", { ...between("low", "medium"), edits: 2, primitives: 1, batches: 2 }],
  ["two orchestrators of whom one lets findings pass", {
    ...between("low"),
    parties: [{ floor: "low", ceiling: "medium", lenient: true }, { floor: "low", ceiling: "medium" }],
    edits: 1,
    batches: 2
  }],
  ["an orchestrator at the top of the ladder, whom a primitive may take above its ceiling", {
    ...between("high", "high"),
    edits: 1,
    primitives: 1
  }]
]

/** With many states, which take longer. */
const many: ReadonlyArray<readonly [string, Bounds]> = [
  ["two orchestrators with other ceilings", {
    ...between("low", "low", "medium"),
    edits: 1,
    primitives: 1,
    batches: 2
  }],
  ["two levels, findings that are dismissed and come back", { ...between("low", "medium"), edits: 1, dismissals: 2 }],
  ["one level, two orchestrators", { ...between("low", "low", "low"), codes: ["A", "B", "C"], edits: 2 }],
  ["two levels, two orchestrators", { ...between("low", "medium", "medium"), edits: 1, crashes: 1 }],
  ["one level, two orchestrators, findings that are dismissed and come back", {
    ...between("low", "low", "low"),
    edits: 1,
    dismissals: 2
  }],
  ["three levels, two orchestrators, three codes", { ...three, edits: 2 }],
  ["three levels, two orchestrators, three codes, and everything else once", {
    ...three,
    edits: 1,
    primitives: 1,
    crashes: 1,
    dismissals: 1,
    batches: 2
  }]
]

describe("every state of a strict run", () => {
  const isSound = (name: string, bounds: Bounds) => {
    const { most, states } = explore({ ...bounds, batches: bounds.batches + more })
    if (more > 0) console.log(`${name}: ${states} states, at most ${most} batches to the end`)
    // What was explored is no handful.
    assert.isAbove(states, 1000)
    assert.isAtLeast(most, 1)
  }
  const timeout = 600_000 + more * 3_600_000
  it.each(few)("of %s", { timeout }, isSound)
  it.each(many)("of %s", { timeout, tags: "slow" }, isSound)
})
