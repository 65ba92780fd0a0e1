// commands: what can happen to a run, as fast-check commands: calls, marks, the world's changes, crashes, races.
// The one rule: after every command the machine equals the model where the contract says what comes, and the
// invariants hold where it does not.
import { Cause, Effect, Exit, Fiber, Ref } from "effect"
import * as fc from "fast-check"
import { type Action, make } from "../../core/Invocation.ts"
import type { Mark } from "../../core/Mark.ts"
import type { Outcome } from "../../core/Outcome.ts"
import { outcomeOf, step } from "../../Step.ts"
import * as scripted from "../scripted.ts"
import { type Script, World } from "../World.ts"
import type { System } from "../System.ts"
import { Broken, check, orphans } from "./invariants.ts"
import * as model from "./Model.ts"
import { directory, modelOf, type Observed, observe, target } from "./observe.ts"

/** What is known between two commands; `known` are the reviewers that a killed command has left behind. */
export interface State {
  observed: Observed | null
  known: Set<string>
}

export type ProgramCommand = fc.AsyncCommand<State, System>

const succeeded = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const ended = await exit
  if (Exit.isSuccess(ended)) return ended.value
  throw Cause.squash(ended.cause)
}

const machine = (system: System): Promise<Observed> => succeeded(system.run(observe))

/** An outcome in the model's words: who goes on, and with what. */
const told = (outcome: Outcome): string => {
  if (outcome._tag !== "HandoffAgent") return outcome._tag
  const [, what, level] = /(?:address (\d+) review.*?)?at level (\w+)/.exec(outcome.prompt) ?? []
  return `HandoffAgent: ${outcome.action}${what === undefined ? "" : ` of ${what}`} at ${level}`
}

const texts = {
  clean: scripted.clean,
  issues: scripted.issues,
  "no review": scripted.noReview,
  failure: scripted.failure,
  "transient failure": scripted.transientFailure,
  silence: () => scripted.silence
} as const satisfies Record<model.Says, (after: number) => scripted.Scripted>

const scriptOf = (parts: ReadonlyArray<model.Part>): Script => ({ attempt, slot }) => {
  const part = model.partOf(parts, slot, attempt)
  return texts[part.says](model.duration(part))
}

const invoke = (call: model.Call, action: Action) =>
  step(
    make({
      target,
      floor: call.floor,
      ceiling: call.ceiling,
      batchSize: call.size,
      retries: model.retries,
      idleTimeout: model.idleTimeout,
      stepTimeout: call.bounded ? model.stepTimeout : null
    }, action),
    directory,
    {}
  ).pipe(
    Effect.map(({ outcome }) => told(outcome)),
    Effect.catch((failure) => Effect.succeed(told(outcomeOf(failure))))
  )

const playing = (parts: ReadonlyArray<model.Part>) => World.use(({ script }) => Ref.set(script, scriptOf(parts)))

const loop = (call: model.Call) =>
  Effect.andThen(playing(call.parts), invoke(call, { _tag: "Loop", fresh: call.fresh }))

const plain: model.Call = { floor: "low", ceiling: "xhigh", size: 1, fresh: false, bounded: false, parts: [] }

const markOf = (flag: model.Flag): Mark => {
  const marks = {
    "mark-retro-clean": { _tag: "RetroClean" },
    "mark-retro-changes": { _tag: "RetroChanges", reason: { text: "a pattern" } },
    "mark-address-passed": { _tag: "AddressPassed" },
    "mark-address-failed": { _tag: "AddressFailed", details: { text: "a test failed" } },
    "advance-level": { _tag: "AdvanceLevel" },
    "drop-level": { _tag: "DropLevel" },
    "restart-from-floor": { _tag: "RestartFromFloor" }
  } as const satisfies Record<model.Flag, Mark>
  return marks[flag]
}

/** The part of a run that the model foretells exactly; of reviewers that still run, the world knows the end. */
const comparable = (run: model.Run | null) =>
  JSON.stringify(run, (key, value: unknown) => key === "endsAt" ? undefined : value, 1)

const same = (what: string, expected: string, actual: string): void => {
  if (expected !== actual) throw new Broken(`${what}: expected ${expected}, found ${actual}`)
}

const before = async (state: State, system: System): Promise<Observed> => state.observed ?? await machine(system)

const after = async (state: State, system: System, earlier: Observed): Promise<Observed> => {
  const now = await machine(system)
  check(earlier, now, state.known)
  state.observed = now
  return now
}

const command = (
  name: string,
  run: (earlier: Observed, state: State, system: System) => Promise<void>
): ProgramCommand => ({
  check: () => true,
  run: async (state, system) => {
    const earlier = await before(state, system)
    await run(earlier, state, system)
    await after(state, system, earlier)
  },
  toString: () => name
})

/** Runs an invocation that the model foretells. */
const foretold = (
  name: string,
  expect: (now: model.Model) => model.Expected,
  effect: Effect.Effect<ReadonlyArray<string>, never, Effect.Services<ReturnType<typeof loop>>>
): ProgramCommand =>
  command(name, async (earlier, _, system) => {
    const expected = expect(modelOf(earlier))
    const outcomes = await succeeded(system.run(effect))
    if (expected.unsure) return
    for (const outcome of outcomes) same("outcome", expected.outcome, outcome)
    same("run", comparable(expected.run), comparable(modelOf(await machine(system)).run))
  })

const show = (call: model.Call): string => {
  const parts = call.parts.map(({ says, slow }) => slow ? `slow ${says}` : says).join(", ")
  return `${call.floor}..${call.ceiling} -n ${call.size}${call.fresh ? " --fresh" : ""}${call.bounded ? " bounded" : ""} [${parts}]`
}

/** One call of loop mode. */
export const calls = (call: model.Call): ProgramCommand =>
  foretold(`call ${show(call)}`, (now) => model.called(now, call), Effect.map(loop(call), (one) => [one]))

/** Two calls of loop mode at once: one run, nothing started twice, the same outcome for both. */
export const twoCalls = (given: model.Call): ProgramCommand => {
  const call = { ...given, fresh: false }
  const both = Effect.all([loop(call), loop(call)], { concurrency: "unbounded" })
  return foretold(`two calls ${show(call)}`, (now) => model.called(now, call), both)
}

/** One side-effect flag. */
export const marks = (flag: model.Flag, floor: model.Rung, ceiling: model.Rung): ProgramCommand =>
  foretold(
    `--${flag} ${floor}..${ceiling}`,
    (now) => model.marked(now, flag, floor, ceiling),
    Effect.map(invoke({ ...plain, floor, ceiling }, { _tag: "SideEffect", mark: markOf(flag) }), (one) => [one])
  )

/** The code under review becomes another one. */
export const edits = (name: string): ProgramCommand =>
  command(`edit ${name}`, async (_, __, system) => {
    await succeeded(system.run(World.use(({ code }) => Ref.set(code, name))))
  })

/** Time passes with no step running. */
export const waits = (millis: number): ProgramCommand =>
  command(`wait ${millis}`, async (_, __, system) => {
    await succeeded(system.run(Effect.sleep(millis)))
  })

/** A call that is ended from outside: by a signal, or by interrupting it. Reviewers go on unless a person asked. */
export const ended = (given: model.Call, how: "SIGINT" | "SIGTERM" | "interruption", after: number): ProgramCommand =>
  command(`call ${show(given)} ended by ${how} after ${after}`, async (earlier, _, system) => {
    const outcome = await succeeded(system.run(Effect.gen(function*() {
      const world = yield* World
      const fiber = yield* Effect.forkChild(loop(given))
      yield* Effect.sleep(after)
      if (how !== "interruption") {
        yield* world.fire(how)
        return yield* Fiber.join(fiber)
      }
      yield* Fiber.interrupt(fiber)
      return "interrupted"
    })))
    const { manifest, now, reviewers } = await machine(system)
    if (outcome !== "DoneAborted" || how === "SIGINT") return
    const stopped = reviewers.filter(({ stoppedAt }) => stoppedAt !== null && stoppedAt >= earlier.now)
    if (!given.fresh && stopped.length > 0 && manifest !== null && now - earlier.now < model.idleTimeout) {
      throw new Broken(`${how} leaves the reviewers running`)
    }
  })

class Killed extends Error {}

/** A call or a flag whose process is killed at its k-th change of anything. A mark is done then, or not begun. */
export const killed = (name: string, at: number, effect: ReturnType<typeof loop>): ProgramCommand =>
  command(`${name} killed at ${at}`, async (_, state, system) => {
    let left = at
    await system.run(World.use(({ witness }) =>
      Effect.andThen(
        Ref.set(witness, () => left-- > 0 ? Effect.void : Effect.die(new Killed())),
        Effect.ensuring(effect, Ref.set(witness, () => Effect.void))
      )
    ))
    for (const { attempt } of orphans(await machine(system))) state.known.add(attempt.files.run)
  })

const level = fc.constantFrom(...model.rungs)
const part: fc.Arbitrary<model.Part> = fc.record({
  says: fc.oneof(
    { weight: 4, arbitrary: fc.constant<model.Says>("clean") },
    { weight: 2, arbitrary: fc.constant<model.Says>("issues") },
    { weight: 2, arbitrary: fc.constantFrom<model.Says>("transient failure", "no review", "failure", "silence") }
  ),
  slow: fc.boolean()
}, { noNullPrototype: true })

// Most calls share a floor, for another floor is another run.
const ladder = fc.oneof(
  { weight: 4, arbitrary: fc.record({ floor: fc.constant<model.Rung>("low"), ceiling: level }) },
  { weight: 1, arbitrary: fc.record({ floor: fc.constant<model.Rung>("medium"), ceiling: fc.constantFrom<model.Rung>("medium", "xhigh") }) }
)

const call: fc.Arbitrary<model.Call> = fc.record({
  size: fc.integer({ min: 1, max: 3 }),
  fresh: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  bounded: fc.boolean(),
  parts: fc.array(part, { minLength: 1, maxLength: 3 })
}).chain((rest) => ladder.map((rungs) => ({ ...rungs, ...rest })))

const flag = fc.constantFrom<model.Flag>(
  "mark-retro-clean",
  "mark-address-passed",
  "mark-retro-changes",
  "mark-address-failed",
  "advance-level",
  "drop-level",
  "restart-from-floor"
)

const kills = fc.tuple(fc.nat({ max: 14 }), call, fc.option(flag)).map(([at, one, mark]) =>
  mark === null
    ? killed(`call ${show(one)}`, at, loop(one))
    : killed(`--${mark}`, at, invoke({ ...one, fresh: false }, { _tag: "SideEffect", mark: markOf(mark) })))

/** Every command, by its weight in a sequence. */
export const commandArbitraries: ReadonlyArray<fc.Arbitrary<ProgramCommand>> = [
  call.map(calls),
  call.map(calls),
  fc.tuple(flag, ladder).map(([mark, { ceiling, floor }]) => marks(mark, floor, ceiling)),
  fc.constantFrom("code-1", "code-2").map(edits),
  fc.constantFrom(25_000, 70_000).map(waits),
  call.map(twoCalls),
  fc.tuple(call, fc.constantFrom("SIGINT", "SIGTERM", "interruption"), fc.constantFrom(0, 150, 2_500, 35_000))
    .map(([one, how, after]) => ended(one, how, after)),
  kills
]
