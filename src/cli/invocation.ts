// invocation: turns the flags that were given into a valid Invocation, or tells the first problem found.
// Every rule of the contract about more than one flag is checked here, in one fixed order.
import { Result } from "effect"
import { type Action, type Answers, markProblem, type Invocation } from "../run/Invocation.ts"
import { bounds, decode, defaults, isUpsideDown, type Settings } from "../run/Settings.ts"
import type { Mark } from "../run/Mark.ts"
import type { Target } from "../run/Target.ts"
import type { Option } from "./flags.ts"
import { badValue } from "./argv.ts"
import { excludeEachOther, targetRequired, targets } from "./targetOptions.ts"
import { batch, count, duration, head, level, path, patterns, priority, revision, type Value } from "./values.ts"

/** The text given to a flag, the empty text for a switch that is given, or null for a flag that is not. */
export type Given = (option: Option) => string | null

type Checked<A> = Result.Result<A, string>

const read = <A>(option: Option, text: string, parser: Value<A>): Checked<A> =>
  Result.mapError(parser(text), (reason) => badValue(option, text, reason))

/** The value of an option, undefined where it is not given: then the settings have a default. */
const optional = <A>(given: Given, option: Option, parser: Value<A>): Checked<A | undefined> => {
  const text = given(option)
  return text === null ? Result.succeed(undefined) : read(option, text, parser)
}

const readTarget = (given: Given): Checked<Target> => {
  const chosen = targets.filter(([option]) => given(option) !== null)
  const [first, ...more] = chosen
  if (first === undefined) return Result.fail(targetRequired)
  const [option, parser] = first
  return more.length > 0
    ? Result.fail(excludeEachOther(chosen.map(([option]) => option)))
    : read(option, given(option) ?? "", parser)
}

const marks: ReadonlyArray<readonly [Option, (text: string) => Mark]> = [
  ["--mark-retro-clean", () => ({ _tag: "RetroClean" })],
  ["--mark-retro-changes", (text) => ({ _tag: "RetroChanges", reason: { text } })],
  ["--mark-address-passed", () => ({ _tag: "AddressPassed" })],
  ["--mark-address-failed", (text) => ({ _tag: "AddressFailed", details: { text } })],
  ["--advance-level", () => ({ _tag: "AdvanceLevel" })],
  ["--drop-level", () => ({ _tag: "DropLevel" })],
  ["--restart-from-floor", () => ({ _tag: "RestartFromFloor" })]
]

/** What is wrong with the side-effect flags and the knobs of the loop that are given together, or null. */
const clashOf = (knobs: ReadonlyArray<Option>, sideEffects: ReadonlyArray<Option>): string | null => {
  if (sideEffects.length > 1) return `${sideEffects.join(" and ")} are side-effect flags, which are mutually exclusive`
  const all = [...knobs, ...sideEffects]
  if (all.length < 2) return null
  const [mark] = sideEffects
  return mark === undefined ? excludeEachOther(all) : `${excludeEachOther(all)}: ${mark} is a side-effect flag`
}

// A mark, --fresh and --inspect each say what the call does, so at most one of them can be given: a mark would
// change a run without reviews (--fresh) or must not change anything (--inspect), and --inspect creates no run.
const readAction = (given: Given, answers: Answers | undefined): Checked<Action> => {
  const chosen = marks.filter(([option]) => given(option) !== null)
  const knobs = (["--fresh", "--inspect"] as const).filter((option) => given(option) !== null)
  const named = chosen.map(([option]) => option)
  const clash = clashOf(knobs, named)
  if (clash !== null) return Result.fail(clash)
  const [first] = chosen
  if (first !== undefined) {
    const [option, mark] = first
    const action = { _tag: "SideEffect", mark: mark(given(option) ?? "") } as const
    return Result.succeed(answers === undefined ? action : { ...action, answers })
  }
  if (answers !== undefined) return Result.fail("--batch belongs to a mark that answers a hand-off")
  return Result.succeed(
    given("--inspect") === null ? { _tag: "Loop", fresh: given("--fresh") !== null } : { _tag: "Inspect" }
  )
}

/** The settings of a step that the flags name: each value by its own rules, then the ladder. */
export const readSettings = (given: Given, target: Target): Checked<Settings> =>
  Result.gen(function*() {
    const floor = (yield* optional(given, "--level", level)) ?? defaults.floor
    const ceiling = (yield* optional(given, "--ceiling", level)) ?? defaults.ceiling
    if (isUpsideDown({ ceiling, floor })) return yield* Result.fail(`--ceiling ${ceiling} lies below --level ${floor}`)
    for (const option of ["--block", "--trust-from"] as const) {
      if (given(option) !== null && given("--strict") === null) return yield* Result.fail(`${option} needs --strict`)
    }
    return yield* decode({
      target,
      floor,
      ceiling,
      batchSize: yield* optional(given, "-n", count(bounds.reviewers)),
      maxIter: yield* optional(given, "--max-iter", count(bounds.iterations)),
      stateRoot: yield* optional(given, "--state-root", path),
      trustStateRoot: given("--trust-state-root") !== null,
      codexBin: yield* optional(given, "--codex-bin", path),
      strictTarget: given("--strict-target") !== null,
      strict: given("--strict") !== null,
      isolate: given("--isolate") !== null,
      link: yield* optional(given, "--link", patterns),
      block: yield* optional(given, "--block", priority),
      trustFrom: yield* optional(given, "--trust-from", revision),
      retries: yield* optional(given, "--retries", count(bounds.retries)),
      reviewTimeout: yield* optional(given, "--review-timeout", duration),
      idleTimeout: yield* optional(given, "--idle-timeout", duration),
      identityTimeout: yield* optional(given, "--identity-timeout", duration),
      stepTimeout: yield* optional(given, "--step-timeout", duration),
      maxBatches: yield* optional(given, "--max-batches", count(bounds.batches)),
      jobs: yield* optional(given, "--jobs", count(bounds.reviewers)),
      expectHead: yield* optional(given, "--expect-head", head)
    })
  })

/**
 * The Invocation that the flags describe, or one line that says what is wrong. The order of the checks: flags that are
 * never valid here, the mode, every value, the ladder, then what excludes what; so a knob that a mark ignores must
 * be valid all the same.
 */
export const invocation = (given: Given): Checked<Invocation> =>
  Result.gen(function*() {
    if (given("--criteria") !== null) {
      return yield* Result.fail(
        "--criteria is not supported: codex review takes no prompt together with a target; leave it out"
      )
    }
    for (const option of ["--version", "--completions"] as const) {
      if (given(option) !== null) return yield* Result.fail(`${option} stands alone`)
    }
    const target = yield* readTarget(given)
    const settings = yield* readSettings(given, target)
    const answers = yield* optional(given, "--batch", batch)
    const action = yield* readAction(given, answers)
    const problem = markProblem(settings, action)
    return problem === null ? { settings, action } : yield* Result.fail(problem)
  })
