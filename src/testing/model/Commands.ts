// Commands: what can happen to a run, as fast-check commands: calls, marks, the world's changes, crashes, races.
// Where the contract says what follows, the machine must equal the model. Elsewhere the invariants must hold.
import { Deferred, Effect, Exit, Fiber, type Layer, Ref } from "effect"
import * as fc from "fast-check"
import { attemptText } from "../../run/Refs.ts"
import { stopStep } from "../../drive/StopStep.ts"
import type { Services } from "../Memory.ts"
import { start, type System } from "../System.ts"
import { World } from "../World.ts"
import {
  alive,
  Broken,
  check as checkInvariants,
  directory,
  endedOf,
  modelOf,
  type Observed,
  orphans,
  sound,
  target
} from "./Invariants.ts"
import {
  type Call,
  called,
  type Flag,
  inspected,
  marked,
  opened,
  type Part,
  type Rung,
  rungs,
  type Says,
  takenIn
} from "./Model.ts"
import { agree, foretold, found, inspect, loop, machine, mark, same, succeeded, tellable, together } from "./Play.ts"

/** What is known between two commands; `known` are the reviewers that a killed command has left behind. */
export interface State {
  observed: Observed | null
  known: Set<string>
}

export type ProgramCommand = fc.AsyncCommand<State, System>

const commandOf = (
  name: string,
  run: (earlier: Observed, system: System, state: State) => Promise<void>
): ProgramCommand => ({
  check: () => true,
  run: async (state, system) => {
    const earlier = state.observed ?? await machine(system)
    await run(earlier, system, state)
    const now = await machine(system)
    checkInvariants(earlier, now, state.known)
    state.observed = now
  },
  toString: () => name
})

const show = ({ bounded, ceiling, floor, fresh, parts, size }: Call): string => {
  const played = parts.map(({ says, slow }) => slow ? `slow ${says}` : says).join(", ")
  return `${floor}..${ceiling} -n ${size}${fresh ? " --fresh" : ""}${bounded ? " bounded" : ""} [${played}]`
}

/** One call of loop mode. */
export const calls = (call: Call): ProgramCommand =>
  commandOf(`call ${show(call)}`, async (earlier, system) => {
    const outcome = await succeeded(system.run(loop(call)))
    await agree(called(modelOf(earlier), call), outcome, system)
  })

/** One side-effect flag. */
export const marks = (flag: Flag, floor: Rung, ceiling: Rung): ProgramCommand =>
  commandOf(`--${flag} ${floor}..${ceiling}`, async (earlier, system) => {
    const outcome = await succeeded(system.run(mark(flag, floor, ceiling)))
    await agree(marked(modelOf(earlier), flag, floor, ceiling), outcome, system)
  })

const still = (observed: Observed): string => JSON.stringify({ ...observed, now: "now" })

/** `--inspect` says what comes next, and changes nothing. */
export const inspects = (call: Call): ProgramCommand =>
  commandOf(`inspect ${show(call)}`, async (earlier, system) => {
    const outcome = await succeeded(system.run(inspect(call)))
    same("outcome", inspected(modelOf(earlier), call), outcome)
    same("machine", still(earlier), still(await machine(system)))
  })

/**
 * Two calls of loop mode at once: one run, nothing started twice, the same outcome for both. A failure is recognized by
 * the calls that were there when it was found; a call that began later runs the failed slots again.
 */
export const twoCalls = (given: Call): ProgramCommand => {
  const call = { ...given, fresh: false }
  return commandOf(`two calls ${show(call)}`, async (earlier, system) => {
    const outcomes = await succeeded(system.run(together([loop(call), loop(call)])))
    const expected = called(modelOf(earlier), call)
    const { outcome } = expected
    const later = outcome === "BinaryError" ? called({ ...modelOf(earlier), run: expected.run }, call) : expected
    if (expected.unsure || later.unsure) return
    const actual = await found(outcomes, system)
    const late = [foretold(later, outcome, later.outcome), foretold(later, later.outcome, outcome)]
    if (!late.includes(actual)) same("outcomes", foretold(expected, outcome, outcome), actual)
  })
}

/** A call, and in the midst of it another invocation: a call that may begin a run of its own, or a flag. */
export const races = (call: Call, other: Call | Flag, after: number): ProgramCommand => {
  const [name, effect] = typeof other === "string"
    ? [`--${other}`, mark(other, call.floor, call.ceiling)] as const
    : [`call ${show(other)}`, loop(other)] as const
  return commandOf(`call ${show(call)} while, after ${after}, ${name}`, async (_, system) => {
    const outcomes = await succeeded(system.run(together([loop(call), Effect.delay(effect, after)])))
    // When another process commits first, the call decides again. No one hears of it.
    if (outcomes[1] === "BinaryError" && typeof other === "string") throw new Broken(`${name} lost a race for good`)
  })
}

/** `stop`: nothing runs after it, and what had ended before it counts. */
export const stops: ProgramCommand = commandOf("stop", async (_, system, { known }) => {
  const left = await succeeded(
    system.run(Effect.andThen(stopStep({ target, floor: null, stateRoot: null }, directory, {}), alive))
  )
  if (left.some(({ attempt }) => !known.has(attemptText(attempt)))) throw new Broken("nothing runs after stop")
})

/** The code under review becomes another one. */
export const edits = (name: string): ProgramCommand =>
  commandOf(`edit ${name}`, async (_, system) => {
    await succeeded(system.run(World.use(({ code }) => Ref.set(code, name))))
  })

/** Time passes with no step running. */
export const waits = (millis: number): ProgramCommand =>
  commandOf(`wait ${millis}`, async (_, system) => {
    await succeeded(system.run(Effect.sleep(millis)))
  })

/** A call that is ended from outside: by a signal, or by interrupting it. Reviewers go on unless a person asked. */
export const ended = (call: Call, how: "SIGINT" | "SIGTERM" | "interruption", after: number): ProgramCommand =>
  commandOf(`call ${show(call)} ended by ${how} after ${after}`, async (earlier, system, { known }) => {
    const replaces = call.fresh || modelOf(earlier).run?.floor !== call.floor
    const [lost, outcome, left] = await succeeded(system.run(Effect.gen(function*() {
      const world = yield* World
      const fiber = yield* Effect.forkChild(loop(call))
      yield* Effect.sleep(after)
      const ahead = yield* alive
      const end = how === "interruption" ? Fiber.interrupt(fiber) : world.fire(how)
      const exit = yield* Effect.andThen(end, Fiber.await(fiber))
      const left = yield* alive
      return [
        yield* endedOf(ahead, left, replaces ? earlier.run : null),
        Exit.isSuccess(exit) ? exit.value : "interrupted",
        left
      ] as const
    })))
    if (outcome !== "DoneAborted" && outcome !== "interrupted") return
    if (how !== "SIGINT" && lost.length > 0) throw new Broken(`${how} leaves the reviewers running`)
    if (how === "SIGINT" && left.some(({ attempt }) => !known.has(attemptText(attempt)))) {
      throw new Broken("SIGINT leaves no reviewer running")
    }
  })

const unstarted = (observed: Observed): number =>
  (modelOf(observed).run?.slots ?? [])
    .filter((slot) => slot.is === "running" && slot.says === "nothing, for it was never started").length

/** A call that is interrupted at its k-th change, counted from 0: what it has recorded as started is started. */
export const cut = (call: Call, at: number): ProgramCommand =>
  commandOf(`call ${show(call)} cut at ${at}`, async (earlier, system) => {
    await succeeded(system.run(Effect.gen(function*() {
      const { witness } = yield* World
      const reached = yield* Deferred.make<void>()
      let left = at
      // The call goes on a little while it is being interrupted: nothing happens at once.
      const change = Effect.suspend(() => left-- > 0 ? Effect.void : Deferred.succeed(reached, undefined)).pipe(
        Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 10 }))
      )
      yield* Ref.set(witness, () => change)
      const fiber = yield* Effect.forkChild(loop(call))
      yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
      yield* Fiber.interrupt(fiber)
      yield* Ref.set(witness, () => Effect.void)
    })))
    const more = unstarted(await machine(system)) > unstarted(earlier)
    if (more) throw new Broken("what is recorded as started is started")
  })

class Killed extends Error {}

const killing = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>) => {
  let left = at
  return World.use(({ witness }) =>
    Effect.andThen(
      Ref.set(witness, () => left-- > 0 ? Effect.void : Effect.die(new Killed())),
      Effect.ensuring(effect, Ref.set(witness, () => Effect.void))
    )
  )
}

const leftBehind = async (system: System, { known }: State): Promise<void> => {
  for (const { attempt } of orphans(await machine(system))) known.add(attemptText(attempt))
}

/** A call whose process is killed right before or after it changes anything for the k-th time, counted from 0. */
export const killedCalls = (call: Call, at: number): ProgramCommand =>
  commandOf(`call ${show(call)} killed at ${at}`, async (_, system, state) => {
    await system.run(killing(at, loop(call)))
    await leftBehind(system, state)
  })

/** A flag whose process is killed likewise: done whole or not at all, but for what had ended being taken in before. */
export const killedMarks = (flag: Flag, floor: Rung, ceiling: Rung, at: number): ProgramCommand =>
  commandOf(`--${flag} ${floor}..${ceiling} killed at ${at}`, async (earlier, system, state) => {
    await system.run(killing(at, mark(flag, floor, ceiling)))
    await leftBehind(system, state)
    const now = modelOf(earlier)
    if (now.run !== null && now.run.floor !== floor) return
    const whole = [now.run, opened(now, floor, "mark"), marked(now, flag, floor, ceiling).run]
      .map((run) => tellable(takenIn({ ...now, run })))
    const actual = tellable(takenIn(modelOf(await machine(system))))
    if (!whole.includes(actual)) throw new Broken(`a mark is done whole or not at all: found ${actual}`)
  })

// Sequences. Values are few, so that commands meet the same level, the same code and the same run.

const part: fc.Arbitrary<Part> = fc.record({
  says: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Says>("clean") },
    { weight: 2, arbitrary: fc.constant<Says>("issues") },
    { weight: 2, arbitrary: fc.constantFrom<Says>("transient failure", "no review", "failure", "silence") }
  ),
  slow: fc.boolean()
}, { noNullPrototype: true })

// Most invocations share a floor, for another floor is another run.
const ladder = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ floor: fc.constant<Rung>("low"), ceiling: fc.constantFrom(...rungs) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ floor: fc.constant<Rung>("medium"), ceiling: fc.constantFrom<Rung>("medium", "xhigh") })
  }
)

const call: fc.Arbitrary<Call> = fc.record({
  ladder,
  size: fc.integer({ min: 1, max: 3 }),
  fresh: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  bounded: fc.boolean(),
  parts: fc.array(part, { minLength: 1, maxLength: 3 })
}).map(({ ladder, ...rest }) => ({ ...ladder, ...rest }))

const flag = fc.constantFrom<Flag>(
  "mark-retro-clean",
  "mark-address-passed",
  "mark-retro-changes",
  "mark-address-failed",
  "advance-level",
  "drop-level",
  "restart-from-floor"
)
const marking = fc.tuple(flag, ladder)
const moment = fc.constantFrom(0, 150, 2_500, 7_000)

const kills = fc.oneof(
  fc.tuple(call, fc.nat({ max: 14 })).map(([one, at]) => killedCalls(one, at)),
  fc.tuple(marking, fc.nat({ max: 6 })).map(([[one, { ceiling, floor }], at]) => killedMarks(one, floor, ceiling, at))
)

const command: fc.Arbitrary<ProgramCommand> = fc.oneof(
  { weight: 4, arbitrary: call.map(calls) },
  { weight: 3, arbitrary: marking.map(([one, { ceiling, floor }]) => marks(one, floor, ceiling)) },
  { weight: 1, arbitrary: fc.constantFrom("code-1", "code-2").map(edits) },
  { weight: 1, arbitrary: fc.constantFrom(5_000, 20_000).map(waits) },
  { weight: 1, arbitrary: call.map(inspects) },
  { weight: 1, arbitrary: fc.constant(stops) },
  { weight: 2, arbitrary: call.map(twoCalls) },
  { weight: 2, arbitrary: fc.tuple(call, fc.oneof(call, flag), moment).map(([a, b, at]) => races(a, b, at)) },
  {
    weight: 2,
    arbitrary: fc.tuple(call, fc.constantFrom("SIGINT", "SIGTERM", "interruption"), moment)
      .map(([one, how, at]) => ended(one, how, at))
  },
  { weight: 1, arbitrary: fc.tuple(call, fc.nat({ max: 14 })).map(([one, at]) => cut(one, at)) },
  { weight: 2, arbitrary: kills }
)

/** Sequences of commands; they shrink to the shortest one that fails. */
export const sequences = (maxCommands: number): fc.Arbitrary<Iterable<ProgramCommand>> =>
  fc.commands([command], { maxCommands })

// The property, with which a host checks its own layers too

export { Broken } from "./Invariants.ts"
export type { System }

/** Plays one sequence on a new machine, and audits what it has written. Rejects with what does not hold. */
export const play = async (layer: Layer.Layer<Services | World>, sequence: Iterable<ProgramCommand>): Promise<void> => {
  const real = start(layer)
  try {
    await fc.asyncModelRun(() => ({ model: { observed: null, known: new Set<string>() }, real }), sequence)
    await succeeded(real.run(sound))
  } finally {
    await real.dispose()
  }
}

/** The law: on these layers the program does what the model predicts. `layer` makes a new machine each time. */
export const property = (layer: () => Layer.Layer<Services | World>, maxCommands = 12) =>
  fc.asyncProperty(sequences(maxCommands), (sequence) => play(layer(), sequence))

/** Checks the law, and throws the shortest counterexample. `runs`: how many sequences are played. */
export const check = (layer: () => Layer.Layer<Services | World>, runs = 100): Promise<void> =>
  fc.assert(property(layer), { numRuns: runs })
