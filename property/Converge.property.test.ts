// Converge: drivers of a strict run among random reviews, agents, tests, crashes and people.
// A driver always ends, never does a thing twice, and never stops without a way to continue.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decide, type DecideSettings, type Decision, type End, type View } from "../src/drive/converge/Decide.ts"
import { levels } from "../src/run/Level.ts"
import { codeIs } from "../test/unit/run/strictWorld.ts"
import { type Driven, isTested, type Kind, makeWorld, reread } from "./driving.ts"
import { driverEnded } from "./askedEnds.ts"
import { carryOut, Killed, type Over } from "./drivingTurns.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 400)

const command = fc.constantFrom("npm test", "npm run lint")
const settings: fc.Arbitrary<DecideSettings> = fc.record({
  tests: fc.uniqueArray(command, { maxLength: 2 }),
  fixAttempts: fc.nat(2),
  undoOnRed: fc.boolean(),
  retro: fc.constantFrom("agent", "never"),
  commitFixes: fc.constantFrom(null, "Fix"),
  patience: fc.integer({ min: 1, max: 6 }),
  maxRounds: fc.integer({ min: 1, max: 8 }),
  maxTokens: fc.option(fc.integer({ min: 20, max: 400 }), { freq: 3 }),
  maxTime: fc.option(fc.integer({ min: 0, max: 400_000 }), { freq: 3 }),
  allow: fc.subarray(["red-baseline", "rejected-result"])
})
const likely = (...of: ReadonlyArray<number>) => fc.constantFrom(...of)
const kind: fc.Arbitrary<Kind> = fc.record({
  seed: fc.nat(),
  settings,
  rungs: fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => ({
    floor: levels[Math.min(a, b)] ?? "low",
    ceiling: levels[Math.max(a, b)] ?? "xhigh"
  })),
  issues: likely(0, 0.3, 0.7, 1),
  red: likely(0, 0.2, 0.6, 1),
  poor: likely(0, 0.2, 0.6),
  crashes: likely(0, 0.05, 0.2),
  people: likely(0, 0.02, 0.1),
  codes: fc.integer({ min: 1, max: 12 })
})

/** How many decisions a call may make: a round more for each thing that stepped in, and levels without an agent. */
const bound = ({ now: { interventions, settings: { fixAttempts, maxRounds, tests } } }: Driven): number => {
  const suites = (fixAttempts + 2) * (2 * tests.length + 2)
  const asked = 3 * (fixAttempts + 2)
  const round = 12 + suites + asked + (fixAttempts + 1) * 2
  return (maxRounds + 2 + interventions) * (round + levels.length * 6)
}

/** The code went back to a state that had issues: a round passed, another state followed, then the old one again. */
const inCircle = ({ now: { passes, run: { code } } }: Driven): boolean => {
  const last = passes.at(-1)
  return last !== undefined && last.left === code &&
    passes.slice(0, -1).some(({ began, kind: what }, i) =>
      what === "AddressBatch" && began === code && passes.slice(i).some((one) => one.began !== one.left)
    )
}

/** What a person can do about an end: what is decided then is another thing. */
const wayOut = (driven: Driven, end: End): void => {
  const { now } = driven
  const later = reread(driven)
  const at = driven.view()
  const tried = (view: Partial<View>, change: Partial<DecideSettings> = {}, state = later): Decision =>
    decide(state, { ...at, driver: "person", ...view }, { ...now.settings, ...change })
  const next = { ...later, stopAsked: false }
  const decision = (): Decision => {
    switch (end._tag) {
      case "Circle":
        return tried({ handoff: null, content: codeIs("edited") }, {}, next)
      case "Patience":
        return tried({}, { patience: end.rounds + 1 }, next)
      case "Budget": {
        const more = { rounds: "maxRounds", time: "maxTime", tokens: "maxTokens" } as const
        return tried({}, { [more[end.budget]]: at.used[end.budget] + 1 }, next)
      }
      case "RedBaseline":
        return tried({}, { allow: ["red-baseline"] }, next)
      case "Rejected":
        return tried({}, { allow: ["rejected-result"] }, next)
      case "TestsRed":
      case "Protected":
      case "StopAsked":
        return tried({}, {}, next)
      case "Unchanged":
        return tried({ again: true }, {}, next)
    }
  }
  assert.notDeepEqual(decision(), { _tag: "End", end }, `a dead end: ${JSON.stringify(end)}`)
}

/** One call of a driver, to its end or until it is killed. */
const call = (driven: Driven): Over => {
  const { chance, now, person, take } = driven
  take()
  for (let made = 0;; made++) {
    if (chance(now.kind.people)) person()
    const view = driven.view()
    const decision = decide(now.state, view, now.settings)
    assert.isAtMost(made, bound(driven), `no end: ${JSON.stringify(decision)}`)
    assert.deepStrictEqual(decide(reread(driven), view, now.settings), decision, "the stream alone decides")
    if (now.state.stopAsked) assert.deepStrictEqual(decision, { _tag: "End", end: { _tag: "StopAsked" } })
    if (decision._tag === "Step") assert.isFalse(inCircle(driven), "a step in a circle")
    const before = [now.events.length, now.run.commits, now.handoff]
    const over = carryOut(driven, decision)
    if (over !== null) return over
    const after = [now.events.length, now.run.commits, now.handoff]
    assert.isTrue(before.some((one, i) => one !== after[i]), `nothing came of ${JSON.stringify(decision)}`)
  }
}

const nameOf = (over: Over): string => over === null ? "" : "end" in over ? over.end._tag : over.because

/** A call that may be killed, and what must hold of its end. */
const called = (driven: Driven): void => {
  const from = driven.now.events.length
  try {
    const over = call(driven)
    driven.now.again = false
    if (over !== null && "end" in over && over.end._tag === "Unchanged") {
      const paid = driven.now.events.slice(from).filter(([{ _tag }]) =>
        _tag === "AgentStarted" || _tag === "TestStarted"
      )
      assert.deepStrictEqual(paid, [], "what only a person can fix has started something")
    }
    const name = nameOf(over)
    if (name === "DoneFixedPoint") assert.isTrue(isTested(driven), "a fixed point over tests that are red")
    if (over !== null && "end" in over) wayOut(driven, over.end)
    if (over !== null) driven.append(driverEnded(`d${driven.now.driver}`, over, driven.view().content))
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
}

const plain: Kind = {
  seed: 0,
  settings: {
    tests: ["npm test"],
    fixAttempts: 1,
    undoOnRed: false,
    retro: "agent",
    commitFixes: null,
    patience: 10_000,
    maxRounds: 10_000,
    maxTokens: null,
    maxTime: null,
    allow: []
  },
  rungs: { floor: "low", ceiling: "high" },
  issues: 1,
  red: 0,
  poor: 0,
  crashes: 0,
  people: 0,
  codes: 10_000
}
const settled = (change: Partial<DecideSettings>): Kind["settings"] => ({ ...plain.settings, ...change })

describe("drivers of a run", () => {
  it("always end, do nothing twice, end circles at once and leave a person a way out", () => {
    fc.assert(
      fc.property(kind, (kind) => {
        const driven = makeWorld(kind)
        for (let calls = 0; calls < 6; calls++) {
          called(driven)
          if (driven.chance(0.3)) driven.person()
        }
      }),
      { numRuns }
    )
  })

  it.each<[string, Partial<Kind>, ReadonlyArray<string>]>([
    ["a circle, where agents know two contents alone", { codes: 2 }, ["Circle"]],
    ["patience, where each change leads to other findings", { settings: settled({ patience: 3 }) }, ["Patience"]],
    ["the rounds, where patience has no limit", { settings: settled({ maxRounds: 5 }) }, ["Budget"]],
    ["the tokens", { settings: settled({ maxTokens: 100 }) }, ["Budget"]],
    ["no time at all", { settings: settled({ maxTime: 0 }), issues: 0 }, ["Budget"]],
    ["a fixed point, where reviews are clean", { issues: 0 }, ["DoneFixedPoint"]],
    ["tests that were red before", { red: 1 }, ["RedBaseline"]],
    ["tests that stay red", { red: 1, settings: settled({ allow: ["red-baseline"] }) }, ["TestsRed"]],
    ["a commit that git refuses", { red: 1, settings: settled({ tests: [], commitFixes: "Fix" }) }, ["TestsRed"]]
  ])("end in %s", (_, change, expected) => {
    const seen = Array.from({ length: 20 }, (_, seed) => {
      const driven = makeWorld({ ...plain, ...change, seed })
      const name = nameOf(call(driven))
      assert.isBelow(driven.now.state.rounds.length, 40)
      return name
    })
    assert.sameMembers([...new Set(seen)], [...expected])
  })

  it("never let a clean review hide patterns that turned the tests red", () => {
    const settings = settled({ fixAttempts: 0 })
    for (let seed = 0; seed < numRuns * 0.35; seed++) {
      const driven = makeWorld({ ...plain, settings, issues: 0.3, red: 0.4, seed })
      for (let calls = 0; calls < 10; calls++) called(driven)
    }
  })
})
