// invocation: from what was given to a valid Invocation, or the one problem that stands in the way.
// The one rule: every rule of the contract that concerns more than one flag is checked here, in one fixed order.
import { Result } from "effect"
import { type Action, defaults, type Invocation } from "../core/Invocation.ts"
import { compare, type Level } from "../core/Level.ts"
import type { Mark } from "../core/Mark.ts"
import { parseBranch, parseCommit, parsePr, type Target } from "../core/Target.ts"
import type { Switch, Valued } from "./flags.ts"
import { quoted } from "./quoted.ts"
import { count, duration, head, level, path, type Value, verbatim } from "./values.ts"

/** What was given: which switches, and the texts of the flags with a value. */
export interface Given {
  readonly switched: (option: Switch) => boolean
  readonly value: (option: Valued) => string | null
}

type Choice<A> = { readonly option: Switch | Valued; readonly value: A }

const present = <A>(choices: ReadonlyArray<Choice<A> | null>): ReadonlyArray<Choice<A>> =>
  choices.flatMap((choice) => choice === null ? [] : [choice])

const exclude = (options: ReadonlyArray<string>): string => `${options.join(" and ")} exclude each other`

/** The Invocation that the flags describe, or one line that says what is wrong. `env` gives the default state root. */
export const invocation = (
  given: Given,
  env: Readonly<Record<string, string | undefined>>
): Result.Result<Invocation, string> =>
  Result.gen(function*() {
    if (given.value("--criteria") !== null) {
      return yield* Result.fail(
        "--criteria is not supported: codex review takes no prompt beside --uncommitted, --base or --commit; leave it out"
      )
    }
    for (const option of ["--version", "--completions"] as const) {
      const asked = option === "--version" ? given.switched(option) : given.value(option) !== null
      if (asked) return yield* Result.fail(`${option} stands alone`)
    }
    const read = <A>(option: Valued, parser: Value<A>): Result.Result<A | null, string> => {
      const text = given.value(option)
      return text === null
        ? Result.succeed(null)
        : Result.mapError(parser(text), (reason) => `${option} ${quoted(text)}: ${reason}`)
    }
    const valued = <A, B>(option: Valued, value: A | null, make: (value: A) => B): Choice<B> | null =>
      value === null ? null : { option, value: make(value) }
    const switched = <A>(option: Switch, value: A): Choice<A> | null =>
      given.switched(option) ? { option, value } : null

    const modes = present<Target>([
      switched("--uncommitted", { _tag: "Uncommitted" }),
      valued("--base", yield* read("--base", parseBranch), (branch) => ({ _tag: "Base", branch })),
      valued("--commit", yield* read("--commit", parseCommit), (sha) => ({ _tag: "Commit", sha })),
      valued("--pr", yield* read("--pr", parsePr), (number) => ({ _tag: "PullRequest", number }))
    ])
    const floor: Level = (yield* read("--level", level)) ?? defaults.floor
    const ceiling: Level = (yield* read("--ceiling", level)) ?? defaults.ceiling
    const maxIter = yield* read("--max-iter", count(1, 1_000_000))
    const settings = {
      floor,
      ceiling,
      batchSize: (yield* read("-n", count(1, 1000))) ?? defaults.batchSize,
      maxIter: { value: maxIter ?? defaults.maxIter, explicit: maxIter !== null },
      stateRoot: (yield* read("--state-root", path)) ?? (env["OODA_STATE_ROOT"] || null),
      codexBin: (yield* read("--codex-bin", path)) ?? defaults.codexBin,
      strictTarget: given.switched("--strict-target"),
      json: given.switched("--json"),
      retries: (yield* read("--retries", count(0, 100))) ?? defaults.retries,
      reviewTimeout: (yield* read("--review-timeout", duration)) ?? defaults.reviewTimeout,
      idleTimeout: (yield* read("--idle-timeout", duration)) ?? defaults.idleTimeout,
      stepTimeout: yield* read("--step-timeout", duration),
      maxBatches: yield* read("--max-batches", count(1, 1_000_000)),
      jobs: yield* read("--jobs", count(1, 1000)),
      expectHead: yield* read("--expect-head", head)
    }
    const marks = present<Mark>([
      switched("--mark-retro-clean", { _tag: "RetroClean" }),
      valued("--mark-retro-changes", yield* read("--mark-retro-changes", verbatim), (text) => ({
        _tag: "RetroChanges",
        reason: { text }
      })),
      switched("--mark-address-passed", { _tag: "AddressPassed" }),
      valued("--mark-address-failed", yield* read("--mark-address-failed", verbatim), (text) => ({
        _tag: "AddressFailed",
        details: { text }
      })),
      switched("--advance-level", { _tag: "AdvanceLevel" }),
      switched("--drop-level", { _tag: "DropLevel" }),
      switched("--restart-from-floor", { _tag: "RestartFromFloor" })
    ])

    const [mode, ...moreModes] = modes
    if (mode === undefined) {
      return yield* Result.fail("one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required")
    }
    if (moreModes.length > 0) return yield* Result.fail(exclude(modes.map(({ option }) => option)))
    const [mark, ...moreMarks] = marks
    if (moreMarks.length > 0) return yield* Result.fail(exclude(marks.map(({ option }) => option)))
    const fresh = given.switched("--fresh")
    const inspect = given.switched("--inspect")
    if (mark !== undefined && fresh) return yield* Result.fail(exclude(["--fresh", mark.option]))
    if (mark !== undefined && inspect) return yield* Result.fail(exclude(["--inspect", mark.option]))
    if (fresh && inspect) {
      return yield* Result.fail(`${exclude(["--fresh", "--inspect"])}: --inspect creates nothing, --fresh a run`)
    }
    if (compare(ceiling, floor) < 0) {
      return yield* Result.fail(`--ceiling ${ceiling} lies below --level ${floor}`)
    }
    const action: Action = mark !== undefined
      ? { _tag: "SideEffect", mark: mark.value }
      : inspect
      ? { _tag: "Inspect" }
      : { _tag: "Loop", fresh }
    return { settings: { target: mode.value, ...settings }, action }
  })
