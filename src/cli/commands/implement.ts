// implementFlags: the flags of `implement`, and what they ask for together.
import type { Failure } from "../../platform/Failure.ts"
import { Effect, Fiber, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AgentKinds } from "../../agent/Agent.ts"
import { follow, planLogs, reviewLogs, tellAll, tellOn, unfollowed } from "../../drive/Follow.ts"
import { Narrator, Notifier } from "../../drive/Narrator.ts"
import { testsMissing } from "../../drive/TestHints.ts"
import { planNow } from "../../drive/plan/Driver.ts"
import { implement, type ImplementOptions } from "../../drive/plan/Implement.ts"
import { inspectPlan } from "../../drive/plan/Inspect.ts"
import { planJson, type Seen } from "../../drive/plan/Json.ts"
import { planExitCode, type PlanOutcome, planStderr } from "../../drive/plan/Outcome.ts"
import { PlanFiles } from "../../drive/plan/PlanFiles.ts"
import { bounds, defaultRounds, type ImplementSettings, type Wanted } from "../../drive/plan/Settings.ts"
import { WantedError } from "../../drive/plan/TaskChoice.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { branchProblem } from "../../run/Target.ts"
import { badValue } from "../argv.ts"
import { type Called, subcommand } from "../command.ts"
import { configured } from "../configuration.ts"
import {
  checkedAlone,
  type ConvergeOption,
  convergeTable,
  flagsOf,
  telling,
  type Texts,
  textsGiven
} from "../convergeOptions.ts"
import { type Ending, misused } from "../ending.ts"
import { optional } from "../options.ts"
import { excludeEachOther } from "../targetOptions.ts"
import { count, oneOf } from "../values.ts"
import { agentProgram } from "./converge.ts"

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
const flags = {
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
type Given = Command.Command.Config.Infer<typeof flags>

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

// implement: the subcommand `implement`: works through a plan with agents until its tasks are accepted.
// It ends as `converge` does. With `--events` standard output is the events, else it is the document.

const usage = "`ooda-codex-review implement --help` shows all flags"

/** How a call ended; `seen` is what was seen of the plan and its run, null where the call failed. */
interface Ended {
  readonly outcome: PlanOutcome
  readonly seen: Seen | null
}

const failed = ({ message }: Failure): Effect.Effect<Ended> =>
  Effect.succeed({ outcome: { _tag: "BinaryError", message }, seen: null })

/** Works, and writes every event as it is committed where that is wanted. */
const driven = Effect.fnUntraced(
  function*(settings: ImplementSettings, file: string, cwd: string, events: boolean, options: ImplementOptions) {
    const places = yield* unfollowed
    const onRun = (run: RunRef) => follow(places, run, isPlanRun(run) ? planLogs : reviewLogs)
    const working = implement(settings, file, cwd, { ...options, onRun }).pipe(
      Effect.map((seen): Ended => ({ outcome: seen.outcome, seen })),
      Effect.catch(failed)
    )
    if (!events) return yield* working
    const telling = yield* Effect.forkChild(tellAll(places))
    const ended = yield* working
    yield* Fiber.interrupt(telling)
    yield* tellOn(places)
    return ended
  }
)

/** Says what the call would do first, and nothing else is done. */
const inspected = Effect.fnUntraced(
  function*(settings: ImplementSettings, file: string, cwd: string, options: ImplementOptions) {
    const seen = yield* inspectPlan(settings, file, cwd, options)
    if (seen.next !== null) yield* (yield* Narrator).say(seen.next)
    return { outcome: seen.outcome, seen } satisfies Ended
  }
)

/** The texts of what is reviewed: what is not committed or, with commits, the plan's branch against its base. */
const modeOf = (texts: Texts, baseBranch: string | null): Texts | null =>
  !texts.has("--commit-fixes")
    ? new Map([...texts, ["--uncommitted", [""]]])
    : baseBranch === null
    ? null
    : new Map([...texts, ["--base", [baseBranch]]])

const answered = Effect.fnUntraced(function*(asked: Asked, ended: Ended, notify: string | null, cwd: string) {
  const { outcome, seen } = ended
  const document = asked.json || notify !== null ? yield* planJson(outcome, seen) : ""
  if (notify !== null) {
    const problem = yield* (yield* Notifier).notify(notify, document, cwd)
    if (problem !== null) yield* (yield* Narrator).say(`warning: ${problem}`)
  }
  return {
    stdout: asked.json ? document : "",
    stderr: planStderr(outcome),
    code: planExitCode(outcome)
  } satisfies Ending
})

/** Works through the plan, and tells how that ended. */
export const run = Effect.fn("implement.run")(
  function*(asked: Asked, { cwd }: Called) {
    const where = yield* cwd
    const file = yield* (yield* PlanFiles).locate(asked.plan, where)
    const { plan } = yield* planNow({ file })
    const texts = modeOf(asked.texts, plan.baseBranch)
    const name = texts?.get("--base")?.[0]
    const problem = name === undefined ? null : branchProblem(name)
    if (problem !== null) return yield* new WantedError({ reason: { _tag: "NoBase", problem: `${problem} [mend it]` } })
    if (texts === null) {
      const message = "--commit-fixes needs the plan's baseBranch: what its code is compared with"
      return misused(message, usage)
    }
    const { notify, repositoryTests, settings } = yield* configured(texts, where)
    if ("_tag" in settings) return misused(yield* testsMissing(where), usage)
    const { fresh, rounds, then, wanted } = asked
    const told = { driven: settings, rounds, wanted, then }
    const options = { fresh, repositoryTests }
    if (asked.inspect) return yield* answered(asked, yield* inspected(told, file, where, options), null, where)
    const { of } = yield* AgentKinds
    const working = driven(told, file, where, asked.events, options)
    const ended = yield* Effect.provide(working, of(settings.agent, agentProgram(settings, where)))
    return yield* answered(asked, ended, notify, where)
  },
  (self, asked) =>
    Effect.catch(self, (failure) => Effect.flatMap(failed(failure), (ended) => answered(asked, ended, null, "")))
)

/** The subcommand. */
export const command = Command.make("implement", flags).pipe(subcommand({
  read,
  run,
  about: [
    "works through a plan: agents implement, test, review and fix until its tasks are accepted.",
    "",
    "The plan's tasks are marked as done by this program alone, after a review found their work acceptable. Exits as a",
    "step does: 0 accepted or fixed point, 1 no progress, 2 a limit or budget is reached, 3 a person is needed,",
    "6 something outside failed, 8 ended by a signal or by stop, 64 on misuse."
  ],
  examples: [
    {
      command: 'ooda-codex-review implement plan.md --test "npm test"',
      description: "Work through the tasks of a plan."
    },
    {
      command: 'ooda-codex-review implement plan.md --test "npm test" --tasks 1 --then converge',
      description: "Do the next task, and bring its code to the fixed point."
    }
  ]
}))
