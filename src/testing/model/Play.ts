// Play: runs calls and flags on a machine, and compares their results with the model.
// An invocation is played through `step` alone, as a host would.
import { Cause, Effect, Exit, Ref } from "effect"
import { type Action, make } from "../../run/Invocation.ts"
import type { Mark } from "../../run/Mark.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { outcomeOf, step } from "../../step/Step.ts"
import * as scripted from "../Scripted.ts"
import type { System } from "../System.ts"
import { type Script, World } from "../World.ts"
import { Broken, directory, modelOf, observe, type Observed, target } from "./Invariants.ts"
import * as model from "./Model.ts"
import type { Flag } from "./Model.ts"

/** The value of an effect that must not fail. */
export const succeeded = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const ended = await exit
  if (Exit.isSuccess(ended)) return ended.value
  throw Cause.squash(ended.cause)
}

/** The machine between two commands. */
export const machine = (system: System): Promise<Observed> => succeeded(system.run(observe))

/** An outcome in the model's words: who goes on, and with what. */
const outcomeText = (outcome: Outcome): string => {
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
    // Decided anew every second, so that a step learns soon what others did to its run.
    { OODA_AWAIT_SECS: "1" }
  ).pipe(
    Effect.map(({ outcome }) => outcomeText(outcome)),
    Effect.catch((failure) => Effect.succeed(outcomeText(outcomeOf(failure))))
  )

/** A call of loop mode whose reviewers follow their scripts. Succeeds with its result. */
export const loop = (call: model.Call) =>
  World.use(({ script }) => Ref.set(script, scriptOf(call.parts))).pipe(
    Effect.andThen(invoke(call, { _tag: "Loop", fresh: call.fresh }))
  )

/** Runs invocations at once, each giving way to the others before every change it makes. */
export const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  World.use(({ witness }) =>
    Ref.set(witness, () => Effect.yieldNow).pipe(
      Effect.andThen(Effect.all(effects, { concurrency: "unbounded" })),
      Effect.ensuring(Ref.set(witness, () => Effect.void))
    )
  )

/** One look without an act. */
export const inspect = (call: model.Call) => invoke(call, { _tag: "Inspect" })

const plain: model.Call = { floor: "low", ceiling: "xhigh", size: 1, fresh: false, bounded: false, parts: [] }

const marks = {
  "mark-retro-clean": { _tag: "RetroClean" },
  "mark-retro-changes": { _tag: "RetroChanges", reason: { text: "a pattern" } },
  "mark-address-passed": { _tag: "AddressPassed" },
  "mark-address-failed": { _tag: "AddressFailed", details: { text: "a test failed" } },
  "advance-level": { _tag: "AdvanceLevel" },
  "drop-level": { _tag: "DropLevel" },
  "restart-from-floor": { _tag: "RestartFromFloor" }
} as const satisfies Record<Flag, Mark>

/** A side-effect flag. Succeeds with its result. */
export const mark = (flag: Flag, floor: model.Rung, ceiling: model.Rung) =>
  invoke({ ...plain, floor, ceiling }, { _tag: "SideEffect", mark: marks[flag] })

/** What can be compared of a run. When a running reviewer will end is left out, because only the world knows it. */
export const tellable = (run: model.Run | null): string =>
  JSON.stringify(run, (key, value: unknown) => key === "endsAt" ? undefined : value)

/** Compares one thing that was found with the model. */
export const same = (what: string, expected: string, actual: string): void => {
  if (expected !== actual) throw new Broken(`${what}: expected ${expected}, found ${actual}`)
}

/** What is compared with the model after invocations: their results, and the run as it is then. */
export const found = async (outcomes: ReadonlyArray<string>, system: System): Promise<string> =>
  `${outcomes.join(" and ")}, run ${tellable(modelOf(await machine(system)).run)}`

/** The same as the model predicts it. */
export const foretold = ({ run }: model.Expected, ...outcomes: ReadonlyArray<string>): string =>
  `${outcomes.join(" and ")}, run ${tellable(run)}`

/** Compares an outcome and the present state of the machine with the model. */
export const agree = async (expected: model.Expected, outcome: string, system: System): Promise<void> => {
  if (!expected.unsure) same("outcome", foretold(expected, expected.outcome), await found([outcome], system))
}
