// Implement: drivers of a plan among random implementers, tests, reviews, analyses, crashes and people.
// No task is marked for code that was not reviewed and tested, and every call ends.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decide } from "../src/drive/plan/Decide.ts"
import { begun, evolvePlan } from "../src/drive/plan/State.ts"
import type { DecideSettings, Wanted } from "../src/drive/plan/Settings.ts"
import type { PlanTask } from "../src/drive/plan/file/Plan.ts"
import { driverEnded } from "./askedEnds.ts"
import { Killed, makePlanWorld, type Over, type PlanKind, reread, type Working } from "./planDriving.ts"
import { bound, holds, isAskedAgain, keepsLimits, wayOut } from "./planLaws.ts"
import { wordsOfTask } from "./planReviews.ts"
import { carryOut } from "./planTurns.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 400)

const allow = fc.subarray<"red-baseline" | "rejected-result">(["red-baseline", "rejected-result"])
const likely = (...of: ReadonlyArray<number>) => fc.constantFrom(...of)
const seldom = (one: fc.Arbitrary<number>) => fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, one)
const limits = {
  fixAttempts: fc.nat(2),
  commitFixes: fc.constantFrom(null, "Fix"),
  rounds: fc.nat(3),
  maxTokens: seldom(fc.integer({ min: 20, max: 400 })),
  maxTime: seldom(fc.integer({ min: 0, max: 400_000 }))
}
const settings: fc.Arbitrary<DecideSettings> = fc.record({
  ...limits,
  tests: fc.uniqueArray(fc.constantFrom("npm test", "npm run lint"), { maxLength: 2 }),
  undoOnRed: fc.boolean(),
  maxRounds: fc.constant(null),
  allow,
  then: fc.constantFrom(null, "converge")
})

const none: PlanTask = {
  title: "One",
  description: "",
  done: false,
  files: [],
  docs: [],
  dependencies: [],
  steps: []
}
/** Tasks whose titles repeat, each of which may wait for those before it, or for those after it. */
const tasks = fc.tuple(
  fc.array(
    fc.record({
      title: fc.constantFrom("One", "Two"),
      done: likely(0, 0, 0, 1).map((done) => done === 1),
      waits: fc.array(fc.boolean())
    }),
    { minLength: 1, maxLength: 5 }
  ),
  fc.boolean()
).map(([all, isBackwards]): ReadonlyArray<PlanTask> => {
  const at = (index: number): number => isBackwards ? all.length - 1 - index : index
  return all.map((_, index) => {
    const { done, title, waits } = all[at(index)] ?? assert.fail("no task")
    const dependencies = waits.flatMap((waits, one) => waits && one < at(index) ? [at(one)] : [])
    return { ...none, title, description: wordsOfTask(index), done, dependencies }
  })
})
const wanted: fc.Arbitrary<Wanted> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Wanted>({ _tag: "All" }) },
  fc.integer({ min: 1, max: 3 }).map((count): Wanted => ({ _tag: "AtMost", count })),
  fc.subarray(["One", "Two", "0"]).map((names): Wanted => ({ _tag: "Named", names }))
)
const kind: fc.Arbitrary<PlanKind> = fc.record({
  seed: fc.nat(),
  settings,
  tasks,
  wanted,
  inside: fc.boolean(),
  issues: likely(0, 0.3, 0.7, 1),
  red: likely(0, 0, 0.2, 0.6),
  poor: likely(0, 0.1, 0.3),
  crashes: likely(0, 0.05, 0.2),
  people: likely(0, 0.02, 0.1, 0.4),
  codes: fc.integer({ min: 1, max: 12 })
})
/** The settings of each further call. */
const changes = fc.array(
  fc.record({ ...limits, allow }, { requiredKeys: [] }),
  { minLength: 5, maxLength: 5 }
)

/** One call of a driver, to its end or until it is killed. */
const call = (working: Working, change: Partial<DecideSettings> = {}): Over => {
  const { chance, now, person, take } = working
  take(change)
  for (let made = 0;; made++) {
    if (chance(now.kind.people)) person()
    const view = working.view()
    const decision = decide(now.state, view, now.settings)
    assert.isAtMost(made, bound(working), `no end: ${JSON.stringify(decision)}`)
    assert.deepStrictEqual(decide(reread(working), view, now.settings), decision, "the log alone decides")
    holds(working, decision, view)
    const from = now.events.length
    try {
      const over = carryOut(working, decision)
      isAskedAgain(working, from, now.events.length - 1, decision, view)
      if (over !== null) return over
    } catch (error) {
      if (error instanceof Killed) isAskedAgain(working, from, now.events.length, decision, view)
      throw error
    }
    keepsLimits(working)
    assert.isAbove(now.events.length, from, `nothing came of ${JSON.stringify(decision)}`)
  }
}

const nameOf = (over: Over): string => over === null ? "" : "end" in over ? over.end._tag : over.because

/** A call that may be killed, and what must hold of its end. */
const called = (working: Working, change: Partial<DecideSettings> = {}): string => {
  const from = working.now.events.length
  try {
    const over = call(working, change)
    working.now.again = false
    if (nameOf(over) === "Unchanged") {
      const tags = working.now.events.slice(from).map(([{ _tag }]) => _tag)
      assert.notInclude(tags, "AgentStarted", "what only a person can fix has started an agent")
    }
    if (over !== null && "end" in over) wayOut(working, over.end)
    if (over !== null) working.append(driverEnded(`d${working.now.driver}`, over, working.content()))
    return nameOf(over)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return "Killed"
  }
}

const plain: PlanKind = {
  seed: 0,
  settings: {
    tests: ["npm test"],
    fixAttempts: 1,
    undoOnRed: false,
    commitFixes: null,
    rounds: 5,
    maxRounds: null,
    maxTokens: null,
    maxTime: null,
    allow: [],
    then: null
  },
  tasks: [0, 1].map((index) => ({ ...none, description: wordsOfTask(index), dependencies: index === 0 ? [] : [0] })),
  wanted: { _tag: "All" },
  inside: true,
  issues: 0,
  red: 0,
  poor: 0,
  crashes: 0,
  people: 0,
  codes: 10_000
}
const settled = (change: Partial<DecideSettings>): DecideSettings => ({ ...plain.settings, ...change })

describe("drivers of a plan", () => {
  it("mark what was reviewed and tested alone, do nothing twice, always end and leave a person a way out", () => {
    fc.assert(
      fc.property(kind, changes, (kind, changes) => {
        const working = makePlanWorld(kind)
        let end = called(working)
        for (const change of changes) {
          // What follows is another run's.
          if (end === "Done" || end === "Converge") return
          if (working.chance(0.3)) working.person()
          end = called(working, change)
        }
      }),
      { numRuns }
    )
  })

  it.each<[string, Partial<PlanKind>, ReadonlyArray<string>]>([
    ["accepted work", {}, ["Done"]],
    ["nothing at all, where the plan is done", { tasks: plain.tasks.map((one) => ({ ...one, done: true })) }, ["Done"]],
    ["its fixed point, where that is wanted", { settings: settled({ then: "converge" }) }, ["Converge"]],
    ["nothing done, where the worktree never changes", { codes: 1 }, ["NothingDone"]],
    ["the limit, where every review asks for fixes", { issues: 1 }, ["Limit", "Circle", "Done"]],
    ["a circle, where agents know two contents alone", { issues: 1, codes: 2 }, ["Circle", "Done", "NothingDone"]],
    ["red tests before any work on the plan", { red: 1 }, ["RedBaseline"]],
    ["tests that stay red", { red: 1, settings: settled({ allow: ["red-baseline"] }) }, ["TestsRed"]],
    ["a commit that git refuses", { red: 1, settings: settled({ tests: [], commitFixes: "Do" }) }, ["TestsRed"]],
    ["the tokens", { settings: settled({ maxTokens: 5 }) }, ["Budget"]],
    ["no time at all", { settings: settled({ maxTime: 0 }) }, ["Budget"]]
  ])("end in %s", (_, change, expected) => {
    const seen = Array.from({ length: 30 }, (_, seed) => nameOf(call(makePlanWorld({ ...plain, ...change, seed }))))
    assert.sameMembers([...new Set(seen)], [...expected])
  })
})

describe("a decision", () => {
  it("is made after every line, in any order of lines, and changes nothing", () => {
    fc.assert(
      fc.property(kind, fc.array(fc.nat(), { maxLength: 200 }), (kind, order) => {
        const working = makePlanWorld(kind)
        called(working)
        const { now: { events, settings } } = working
        let state = begun
        for (const [i, at] of [...events.keys(), ...order].entries()) {
          const [event] = events[at % events.length] ?? assert.fail("no line")
          state = evolvePlan(state, event, i)
          const before = JSON.stringify(state)
          const view = working.view()
          assert.deepStrictEqual(decide(state, view, settings), decide(state, view, settings))
          assert.strictEqual(JSON.stringify(state), before)
        }
      }),
      { numRuns: Math.ceil(numRuns / 8) }
    )
  })
})
