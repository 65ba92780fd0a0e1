// Model: a machine that does what the model foretells passes, and every way of breaking the contract is found out.
import * as fc from "fast-check"
import { Effect, Layer, Ref } from "effect"
import { afterEach, assert, describe, it } from "vitest"
import { Git } from "../../../../src/code/Git.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { fold } from "../../../../src/run/Manifest.ts"
import { attemptText } from "../../../../src/run/Refs.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import { gitLayer as memoryGit } from "../../../../src/testing/memory/Code.ts"
import { reviewersLayer as memoryReviewers } from "../../../../src/testing/memory/Reviewers.ts"
import * as Commands from "../../../../src/testing/model/Commands.ts"
import { Broken, check, type Observed, orphans, sound } from "../../../../src/testing/model/Invariants.ts"
import { clean, issues, type Scripted, silence } from "../../../../src/testing/Scripted.ts"
import { start, type System } from "../../../../src/testing/System.ts"
import type { Reviewer } from "../../../../src/testing/World.ts"
import { attempt, call, forge, launch, parts, reviewedRun, run } from "../../../support/reviewedRuns.ts"
import { batchStarted, created, finished, log, opened, started, stopped } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

/** A machine whose current run has these lines behind its creation. */
const observed = (lines: ReadonlyArray<ReadonlyArray<Event>>, others: Partial<Observed> = {}): Observed => {
  const commits = log([created()], ...lines)
  return { run, commits, manifest: fold(commits), reviewers: [], code: "code-1", now: 0, ...others }
}

/** A machine on which nothing was ever run. */
const untouched: Observed = { run: null, commits: [], manifest: null, reviewers: [], code: "code-1", now: 0 }

/** A reviewer of a slot, which lives until `endsAt`. */
const reviewer = (slot = 1, scripted: Scripted = clean(), endsAt = 0, number = 1): Reviewer => ({
  attempt: attempt(slot, number),
  scripted,
  line: launch.line,
  startedAt: 0,
  endsAt,
  deadline: false,
  stoppedAt: null
})

/** The sentence that is broken, or null. */
const broken = (after: Observed, before: Observed = untouched, known: ReadonlyArray<string> = []): string | null => {
  try {
    check(before, after, new Set(known))
    return null
  } catch (error) {
    return error instanceof Broken ? error.message : assert.fail(String(error))
  }
}

const running = [batchStarted({ size: 1 }), started()]
const living = [reviewer(1, silence, Number.POSITIVE_INFINITY)]
const done = [...running, finished("Clean")]

describe("a machine on which all is well", () => {
  it.each<readonly [name: string, after: Observed, before: Observed]>([
    ["nothing", untouched, untouched],
    ["a reviewer at work", observed([running], { reviewers: living }), observed([])],
    ["a review that is over", observed([done], { reviewers: [reviewer()], now: 5 }), untouched],
    ["a batch left in order", observed([[...running, stopped()], [opened("medium", 1)]]), untouched],
    ["another run", observed([], { run: { ...run, runId: "20300101T000009Z-000000001-p1" } }), observed([running])]
  ])("breaks nothing: %s", (_, after, before) => assert.isNull(broken(after, before)))
})

describe("a sentence of the contract that does not hold", () => {
  const lines = (...of: ReadonlyArray<ReadonlyArray<Event>>): Observed => observed(of)
  const belowFloor = (): Observed => {
    const commits = [
      { seq: 1, at: "", events: [created({ startLevel: "medium" })] },
      { seq: 2, at: "", events: [opened("low", 1)] }
    ]
    return observed([], { commits, manifest: { ...observed([]).manifest ?? assert.fail(), start_level: "medium" } })
  }
  it.each<readonly [name: string, after: Observed, before: Observed]>([
    ["a batch is started once", lines([batchStarted()], [batchStarted()]), untouched],
    ["batch low/4 is the next unused one at its level", lines([opened("low", 4)]), untouched],
    ["no batch lies below the floor", belowFloor(), untouched],
    ["the end of low/1/1 is recorded", lines(running, [opened("medium", 1)]), untouched],
    ["a slot has one verdict", lines(done, [finished("HasIssues")]), untouched],
    [
      "low/1/1 is recorded as what its reviewer said",
      observed([done], { reviewers: [reviewer(1, issues())], now: 5 }),
      untouched
    ],
    ["low/1/1 is recorded as what its reviewer said", lines(done), untouched],
    [
      "a finished review is not run again",
      observed([done, [started({ attempt: 2 })]], { reviewers: [reviewer()], now: 5 }),
      untouched
    ],
    ["an attempt is started once", observed([running], { reviewers: [reviewer(), reviewer()] }), untouched],
    [
      "a slot has one reviewer at a time",
      observed([running], { reviewers: [...living, reviewer(1, clean(), 99, 2)] }),
      untouched
    ],
    [
      "lines are numbered from 1 without a gap",
      observed([], { commits: [{ seq: 2, at: "", events: [created()] }] }),
      untouched
    ],
    ["the history of a run only grows", lines(), lines(running)],
    ["the history of a run only grows", lines([batchStarted({ size: 1 })]), lines(running)]
  ])("is named: %s", (sentence, after, before) => assert.strictEqual(broken(after, before), sentence))
})

describe("an orphan", () => {
  const left = observed([[...running, stopped()], [opened("medium", 1)]], { reviewers: living })

  it("is a living reviewer that no step will look at again", () => {
    assert.deepStrictEqual(orphans(left).map((one) => one.attempt.id), ["1-1"])
    assert.deepStrictEqual(orphans(observed([running], { reviewers: living })), [])
    assert.deepStrictEqual(orphans({ ...left, reviewers: [reviewer(1, clean(), 0)] }), [])
  })

  it("breaks the contract, unless a killed command has left it behind", () => {
    assert.match(broken(left) ?? "", /^no orphaned reviewer lives on: /)
    assert.isNull(broken(left, untouched, [attemptText(attempt())]))
  })
})

describe("a command", () => {
  const { calls, cut, ended, marks, races, stops, twoCalls } = Commands
  const slowly = call({ bounded: true, parts: [{ says: "clean", slow: true }] })
  let system: System | null = null
  afterEach(async () => {
    await system?.dispose()
    system = null
  })

  /** Why the commands cannot be played on such a machine. */
  const played = async (options: Memory.Options, ...commands: ReadonlyArray<Commands.ProgramCommand>) => {
    const state: Commands.State = { observed: null, known: new Set() }
    system = start(Memory.layer(options))
    try {
      for (const command of commands) await command.run(state, system)
      return null
    } catch (error) {
      return error instanceof Error ? error.message : ""
    }
  }
  const reviewers = (change: Partial<Reviewers["Service"]>): Memory.Options => ({
    reviewers: Layer.effect(Reviewers, Effect.map(Reviewers, (real) => Reviewers.of({ ...real, ...change }))).pipe(
      Layer.provide(memoryReviewers)
    )
  })
  const unstoppable = reviewers({ stop: () => Effect.succeed(0) })
  const dead = reviewers({ look: (all) => Effect.succeed(all.map(() => ({ _tag: "Lost" }) as const)) })

  it.each<readonly [string, Memory.Options, ReadonlyArray<Commands.ProgramCommand>, RegExp]>([
    [
      "a call that comes to another outcome than the model foretells",
      dead,
      [calls(call())],
      /^outcome: expected DoneFixedPoint, run .*, found BinaryError, run /
    ],
    ["a stop that leaves a reviewer at work", unstoppable, [calls(slowly), stops], /^nothing runs after stop$/],
    ["a signal that does", unstoppable, [ended(slowly, "SIGINT", 1000)], /^SIGINT leaves no reviewer running$/],
    [
      "a flag that leaves its batch with a reviewer at work",
      unstoppable,
      [calls(slowly), marks("advance-level", "low", "xhigh")],
      /^no orphaned reviewer lives on: /
    ]
  ])(
    "finds out %s",
    async (_, options, commands, message) => assert.match(await played(options, ...commands) ?? "nothing", message)
  )

  it("finds nothing wrong with the machine in memory", async () => {
    const all = [
      calls(slowly),
      ended(slowly, "SIGTERM", 150),
      twoCalls(call()),
      races(call(), "drop-level", 150),
      cut(slowly, 2),
      stops
    ]
    assert.isNull(await played({}, ...all))
  })
})

describe("random commands", () => {
  /** A machine whose code is another one at every look. */
  const restless = () =>
    Memory.layer({
      git: Layer.effect(
        Git,
        Effect.gen(function*() {
          const git = yield* Git
          const looks = yield* Ref.make(0)
          const identity = Effect.map(
            Ref.updateAndGet(looks, (n) => n + 1),
            (n) => ({ _tag: "Known", head: "head", tree: `tree-${n}`, base: null }) as const
          )
          return Git.of({ ...git, identity: () => identity })
        })
      ).pipe(Layer.provide(memoryGit()))
    })

  it("pass on a sound machine", () => Commands.check(Memory.layer, 3))

  it("find out another one, with the shortest counterexample", async () => {
    const { counterexample, failed } = await fc.check(Commands.property(restless, 4), { seed: 7, numRuns: 20 })
    assert.isTrue(failed)
    assert.lengthOf([...counterexample?.[0] ?? []], 1)
  })
})

describe("the runs of a machine", () => {
  it("are sound as the program writes them", () =>
    onMachine(Effect.andThen(reviewedRun({ size: 2, parts: parts("clean", "issues") }), sound)))

  it("are not where a line says what could not have been", async () => {
    const forged = Effect.flatMap(reviewedRun(), (one) => forge(one, opened("xhigh", 9)))
    const defect: unknown = await onMachine(Effect.andThen(forged, sound)).catch((error: unknown) => error)
    assert.instanceOf(defect, Broken)
    assert.match(defect instanceof Broken ? defect.message : "", /^audit of \S+, line \d+: BatchOpened xhigh batch 9 /)
  })
})
