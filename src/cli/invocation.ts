// invocation: turns the given flags into a valid Invocation, or returns the first problem.
// Every rule of the contract about more than one flag is checked here, in one fixed order.
import { Result } from "effect"
import { type Action, type Answers, markProblem, type Invocation } from "../run/Invocation.ts"
import { decode, isUpsideDown, linkNeedsCopy, type Settings } from "../run/Settings.ts"
import type { Setting } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"
import type { Mark } from "../run/Mark.ts"
import type { Target } from "../run/Target.ts"
import type { Option } from "./flags.ts"
import { excludeEachOther, targetOf, targetRequired } from "./targetOptions.ts"
import { batch, type FlagTexts, level, valueOf, valuesOf } from "./values.ts"

type Checked<A> = Result.Result<A, string>

const marks: ReadonlyArray<readonly [Option, (text: string) => Mark]> = [
  ["--mark-retro-clean", () => ({ _tag: "RetroClean" })],
  ["--mark-retro-changes", (text) => ({ _tag: "RetroChanges", reason: { text } })],
  ["--mark-address-passed", () => ({ _tag: "AddressPassed" })],
  ["--mark-address-failed", (text) => ({ _tag: "AddressFailed", details: { text } })],
  ["--advance-level", () => ({ _tag: "AdvanceLevel" })],
  ["--drop-level", () => ({ _tag: "DropLevel" })],
  ["--restart-from-floor", () => ({ _tag: "RestartFromFloor" })]
]

/** What is wrong with the given side-effect flags and loop knobs together, or null. */
const clashOf = (knobs: ReadonlyArray<Option>, sideEffects: ReadonlyArray<Option>): string | null => {
  if (sideEffects.length > 1) return `${sideEffects.join(" and ")} are side-effect flags, which are mutually exclusive`
  const all = [...knobs, ...sideEffects]
  if (all.length < 2) return null
  const [mark] = sideEffects
  return mark === undefined ? excludeEachOther(all) : `${excludeEachOther(all)}: ${mark} is a side-effect flag`
}

// A mark, --fresh and --inspect each say what the call does, so at most one of them can be given: a mark would
// change a run without reviews (--fresh) or must not change anything (--inspect), and --inspect creates no run.
const readAction = (given: FlagTexts, answers: Answers | undefined): Checked<Action> => {
  const isGiven = (option: Option) => given(option).length > 0
  const chosen = marks.filter(([option]) => isGiven(option))
  const knobs = (["--fresh", "--inspect"] as const).filter(isGiven)
  const named = chosen.map(([option]) => option)
  const clash = clashOf(knobs, named)
  if (clash !== null) return Result.fail(clash)
  const [first] = chosen
  if (first !== undefined) {
    const [option, mark] = first
    const action = { _tag: "SideEffect", mark: mark(given(option)[0] ?? "") } as const
    return Result.succeed(answers === undefined ? action : { ...action, answers })
  }
  if (answers !== undefined) return Result.fail("--batch belongs to a mark that answers a hand-off")
  return Result.succeed(
    isGiven("--inspect") ? { _tag: "Inspect" } : { _tag: "Loop", fresh: isGiven("--fresh") }
  )
}

const { block, ceiling, floor, isolate, link, strict, trustFrom } = stepSettings

/**
 * The values of a step's settings. The order of the checks: the ladder, what needs `--strict`, every value in the order
 * of the table, then what needs a copy.
 */
export const stepValues = (given: FlagTexts): Checked<Readonly<Record<string, unknown>>> =>
  Result.gen(function*() {
    const isGiven = ({ flag }: Setting) => given(flag).length > 0
    const bottom = (yield* valueOf(given, floor.flag, level)) ?? floor.default
    const top = (yield* valueOf(given, ceiling.flag, level)) ?? ceiling.default
    if (isUpsideDown({ ceiling: top, floor: bottom })) {
      return yield* Result.fail(`--ceiling ${top} lies below --level ${bottom}`)
    }
    for (const one of [block, trustFrom]) {
      if (isGiven(one) && !isGiven(strict)) return yield* Result.fail(`${one.flag} needs --strict`)
    }
    const values = yield* valuesOf(stepSettings, given)
    const reads = isGiven(isolate) || isGiven(strict)
    return isGiven(link) && !reads ? yield* Result.fail(linkNeedsCopy) : values
  })

/** The settings of a step that the flags name. */
export const readSettings = (given: FlagTexts, target: Target): Checked<Settings> =>
  Result.flatMap(stepValues(given), (values) => decode({ ...values, target }))

/**
 * The Invocation of the flags, or one line that says what is wrong. The order of the checks: flags that are never valid
 * here, the mode, every value, the ladder, then what excludes what; so even a knob that a mark ignores must be valid.
 */
export const invocation = (given: FlagTexts): Checked<Invocation> =>
  Result.gen(function*() {
    if (given("--criteria").length > 0) {
      return yield* Result.fail(
        "--criteria is not supported: codex review takes no prompt together with a target; leave it out"
      )
    }
    for (const option of ["--version", "--completions"] as const) {
      if (given(option).length > 0) return yield* Result.fail(`${option} takes no other options`)
    }
    const target = yield* targetOf(given, targetRequired)
    const settings = yield* readSettings(given, target)
    const answers = yield* valueOf(given, "--batch", batch)
    const action = yield* readAction(given, answers)
    const problem = markProblem(settings, action)
    return problem === null ? { settings, action } : yield* Result.fail(problem)
  })
