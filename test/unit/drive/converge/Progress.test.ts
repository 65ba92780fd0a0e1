// Progress: circles, rounds without progress, budgets.
import { assert, describe, it } from "vitest"
import { used } from "../../../../src/drive/Budgets.ts"
import { circle, roundsWithoutProgress } from "../../../../src/drive/converge/Progress.ts"
import { after, closed, concluded, content, driverStarted, roundStarted, worked } from "./streams.ts"

/** A round that began with one content and left another one. */
const round = (number: number, from: string, to: string, findings: ReadonlyArray<string> = ["f"]) => [
  roundStarted({ round: number, content: content(from), findings }),
  concluded(number, to),
  closed(number)
]

describe("a circle", () => {
  it("is found when a round leaves what an earlier one began with", () => {
    const state = after(round(1, "a", "b"), round(2, "b", "a"))
    assert.deepStrictEqual(circle(state, content("a")), content("a"))
  })

  it("is found when patterns bring back code that had issues, but not clean code", () => {
    const patterns = (number: number, from: string, to: string) => [
      roundStarted({ round: number, kind: "Retrospective", content: content(from), findings: [] }),
      concluded(number, to, "RetroChanges")
    ]
    const back = after(round(1, "a", "b"), patterns(2, "b", "a"))
    assert.deepStrictEqual(circle(back, content("a")), content("a"))
    assert.isNull(circle(after(round(1, "a", "b"), patterns(2, "b", "c"), round(3, "c", "b")), content("b")))
  })

  it("is broken by any change to the worktree since", () => {
    assert.isNull(circle(after(round(1, "a", "b"), round(2, "b", "a")), content("c")))
  })

  it("is not found while the content is new", () => {
    assert.isNull(circle(after(round(1, "a", "b"), round(2, "b", "c")), content("c")))
    assert.isNull(circle(after(), content("a")))
  })

  it("is found when two rounds in a row change nothing about the same findings, and not earlier", () => {
    assert.isNull(circle(after(round(1, "a", "a")), content("a")))
    assert.isNotNull(circle(after(round(1, "a", "a", ["f", "g"]), round(2, "a", "a", ["g", "f"])), content("a")))
    assert.isNull(circle(after(round(1, "a", "a"), round(2, "a", "a", ["g"])), content("a")))
  })

  it("is unknown if the content is unknown", () => {
    const unknown = { _tag: "Unknown", why: "git is missing" } as const
    assert.isNull(circle(after(round(1, "a", "b"), round(2, "b", "a")), unknown))
  })
})

describe("rounds without progress", () => {
  const findings = (count: number) => Array.from({ length: count }, (_, i) => `f${i}`)
  const rounds = (...counts: ReadonlyArray<number>) =>
    counts.map((count, i) => roundStarted({ round: i + 1, findings: findings(count) }))

  it("are counted from the round with the fewest findings", () => {
    assert.strictEqual(roundsWithoutProgress(after(rounds(3))), 0)
    assert.strictEqual(roundsWithoutProgress(after(rounds(3, 3, 4))), 2)
    assert.strictEqual(roundsWithoutProgress(after(rounds(3, 4, 3, 2))), 0)
    assert.strictEqual(roundsWithoutProgress(after(rounds(2, 3, 2, 3, 2))), 4)
    const twice = roundStarted({ round: 2, findings: ["f0", "f0"] })
    assert.strictEqual(roundsWithoutProgress(after(rounds(2), twice)), 0)
  })

  it("are counted anew when a higher level is clean, but not when the same one is clean again", () => {
    const clean = (level: "low" | "medium", at: number) =>
      roundStarted({ round: at, kind: "Retrospective", level, findings: [] })
    assert.strictEqual(roundsWithoutProgress(after(rounds(1, 1), clean("low", 3))), 0)
    const again = after(clean("low", 1), roundStarted({ round: 2 }), roundStarted({ round: 3 }), clean("low", 4))
    assert.strictEqual(roundsWithoutProgress(again), 1)
    assert.strictEqual(roundsWithoutProgress(after(clean("low", 1), rounds(5, 5), clean("medium", 9))), 0)
  })
})

describe("budgets", () => {
  it("count rounds with an agent, and the time of drivers", () => {
    const state = after(
      driverStarted("d1"),
      roundStarted(),
      worked(1, "round-1/address"),
      roundStarted({ round: 2, kind: "Retrospective" }),
      { _tag: "RetrospectiveSkipped", round: 2, because: "NoFindings" },
      // One that was begun, and answered by hand.
      roundStarted({ round: 3 }),
      closed(3, "AnsweredElsewhere")
    )
    assert.deepStrictEqual(used(state, 5, 10_000), { rounds: 1, time: 10_000, tokens: 5 })
    const left = after(driverStarted("d1"), { _tag: "DriverEnded", driver: "d1", outcome: "DoneAborted" })
    assert.strictEqual(used(left, 0, 10_000).time, 1000)
  })
})
