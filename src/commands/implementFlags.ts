// implementFlags: the flags of `implement`, and what they ask for together.
import { Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { badValue } from "../cli/quoted.ts"
import { excludeEachOther } from "../cli/targets.ts"
import { count, oneOf } from "../cli/values.ts"
import { bounds, defaultRounds, type Wanted } from "../core/implement/Settings.ts"
import { checkedAlone, telling, type Texts } from "./convergeSettings.ts"
import { type ConvergeOption, convergeTable } from "./convergeTable.ts"
import { optional } from "./flags.ts"
import { flagsOf, textsGiven } from "./flagTable.ts"

// Flags of `converge` that `implement` lacks: the plan's own run decides what is reviewed, and whose word counts.
const others: ReadonlyArray<string> = [
  "--uncommitted",
  "--base",
  "--pr",
  "--trust-from"
] satisfies ReadonlyArray<ConvergeOption>

/** What is asked for. */
export interface Asked {
  /** The plan's file as it was named. */
  readonly plan: string
  /** The settings of a converging run on the command line: the nearest of the sources of `configured`. */
  readonly texts: Texts
  readonly rounds: number
  readonly wanted: Wanted
  readonly then: "converge" | null
  readonly fresh: boolean
  readonly inspect: boolean
  readonly json: boolean
  readonly events: boolean
  readonly notify: string | null
}

/** The flags, for a command of effect/cli. */
export const flags = {
  plan: Argument.String("plan").pipe(
    Argument.withMetavar("PLAN"),
    Argument.withDescription("The plan's file: Markdown with YAML front matter, or YAML.")
  ),
  rounds: optional(
    Flag.String("rounds").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(`Most fixes of one piece of work, at most ${bounds.rounds.most}. Default ${defaultRounds}.`)
    )
  ),
  tasks: Flag.atLeast(
    Flag.String("tasks").pipe(
      Flag.withMetavar("N|TITLE"),
      Flag.withDescription("So many tasks at most, or the task of this title. A title may be repeated. Default: all.")
    ),
    0
  ),
  then: optional(
    Flag.String("then").pipe(
      Flag.withMetavar("WHAT"),
      Flag.withDescription("What follows when the tasks are done: converge, to the fixed point of their code.")
    )
  ),
  ...flagsOf(convergeTable.filter(({ option }) => !others.includes(option)))
}

/** What was given on the command line. */
export type Given = Command.Command.Config.Infer<typeof flags>

const wantedOf = (names: ReadonlyArray<string>): Result.Result<Wanted, string> => {
  const [first, ...more] = names
  if (first === undefined) return Result.succeed({ _tag: "All" })
  if (more.length > 0 || !/^[0-9]+$/.test(first)) return Result.succeed({ _tag: "Named", names })
  return Result.mapBoth(count(bounds.tasks)(first), {
    onSuccess: (most): Wanted => ({ _tag: "AtMost", count: most }),
    onFailure: (reason) => badValue("--tasks", first, reason)
  })
}

const one = <A>(option: string, text: string | null, parser: (text: string) => Result.Result<A, string>) =>
  text === null ? Result.succeed(null) : Result.mapError(parser(text), (reason) => badValue(option, text, reason))

/** What is asked for, or one line that says what is wrong. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const { plan, rounds, tasks, then, ...rest } = all
    const told = textsGiven(rest)
    const on = telling(told)
    const clash = ["--json", "--events"].filter((option) => on.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    // The mode of the plan's code is not known before the plan is read: any of them lets the values be checked.
    yield* checkedAlone(new Map([...on, on.has("--commit-fixes") ? ["--base", ["main"]] : ["--uncommitted", [""]]]))
    return {
      plan,
      texts: told,
      rounds: (yield* one("--rounds", rounds, count(bounds.rounds))) ?? defaultRounds,
      wanted: yield* wantedOf(tasks),
      then: yield* one("--then", then, oneOf(["converge"])),
      fresh: on.has("--fresh"),
      inspect: on.has("--inspect"),
      json: on.has("--json"),
      events: on.has("--events"),
      notify: on.get("--notify")?.[0] ?? null
    }
  })
