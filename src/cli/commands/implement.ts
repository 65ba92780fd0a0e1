// implement: the subcommand `implement`: works through a plan with agents until its tasks are accepted.
// It ends as `converge` does. With `--events` standard output has the events, else the document.
import { type Failure, plainText } from "../../platform/Failure.ts"
import { Effect, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PlainFiles } from "../../code/PlainFiles.ts"
import { shellWord } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { AgentKinds } from "../../agent/Agent.ts"
import { aborted, type DriveOptions } from "../../drive/Drive.ts"
import { follow } from "../../drive/Follow.ts"
import { Narrator } from "../../drive/Narrator.ts"
import { testsMissing } from "../../drive/TestHints.ts"
import { planNow } from "../../drive/plan/Drive.ts"
import { implement, inspectPlan } from "../../drive/plan/Implement.ts"
import { finishUndos, locatePlan } from "../../drive/plan/OpenPlan.ts"
import { planJson, type Seen } from "../../drive/plan/Json.ts"
import { planExitCode, type PlanOutcome, planStderr } from "../../drive/plan/Outcome.ts"
import { unknownKeys } from "../../drive/plan/file/Plan.ts"
import { PlanFiles } from "../../drive/plan/PlanFiles.ts"
import { type ImplementSettings, planSettings, type Wanted } from "../../drive/plan/Settings.ts"
import { noBase } from "../../drive/plan/TaskChoice.ts"
import { requireLogin } from "../../read/doctor/Login.ts"
import { planOpening } from "../../read/Opening.ts"
import { narrateWhile } from "../../read/Watch.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { branchProblem } from "../../run/Target.ts"
import { badValue } from "../argv.ts"
import { type CallContext, misusedCall, subcommand } from "../command.ts"
import { configuredSettings } from "../configuration.ts"
import { agreedOpening } from "../firstRun.ts"
import { type ConvergeRequest as Call, flagsOf, readCall, settingsFor, type Texts } from "../convergeOptions.ts"
import { type Ending, printEnding } from "../ending.ts"
import { flagsFor, optionalOperand, textFlag } from "../options.ts"
import { count } from "../values.ts"
import { agentProgram, briefly, callOf, notifyEnd, sayEnd, withEvents, withPage } from "./converge.ts"

/** The request. The texts are settings of a converging run. */
export interface Request extends Call {
  /** The plan's file as named. */
  readonly plan: string
  readonly rounds: number
  readonly wanted: Wanted
  readonly then: "converge" | null
  /** Whether to create the file, with a plan to fill in. */
  readonly init: boolean
}

/** A plan to fill in. */
const template = `---
title: What the change is
goal: What is true when all tasks are done.
tasks:
  - title: The first task
    description: >
      What to build, and how to see that it works.
  - title: The second task
    description: What comes after it.
    dependencies: [0]
---

What every task needs to know: background, what is out of scope.
`

/** The flags for effect/cli. */
const flags = {
  plan: optionalOperand(
    Argument.String("PLAN").pipe(
      Argument.withDescription("The plan's file: Markdown with YAML front matter, or YAML. Required.")
    )
  ),
  ...flagsFor({ rounds: planSettings.rounds }),
  tasks: Flag.atLeast(textFlag(planSettings.wanted), 0),
  ...flagsFor({
    then: planSettings.then,
    init: {
      flag: "--init",
      kind: "switch",
      text: "Write a plan to fill in to the file PLAN, which must not exist, and do nothing else."
    }
  }),
  ...flagsOf(settingsFor("implement"))
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const wantedOf = (names: ReadonlyArray<string>): Result.Result<Wanted, string> => {
  const [first, ...more] = names
  if (first === undefined) return Result.succeed({ _tag: "All" })
  if (more.length > 0 || !/^[0-9]+$/.test(first)) return Result.succeed({ _tag: "Named", names })
  return Result.mapBoth(count(planSettings.wanted.bounds)(first), {
    onSuccess: (most): Wanted => ({ _tag: "AtMost", count: most }),
    onFailure: (reason) => badValue("--tasks", first, reason)
  })
}

// The mode of the plan's code is not known before the plan is read: any mode lets the values be checked.
const withMode = (on: Texts): Texts =>
  new Map([...on, on.has("--commit-fixes") ? ["--base", ["main"]] : ["--uncommitted", [""]]])

const planRequired = "PLAN is required [ooda-codex-review implement --init plan.md writes one to fill in]"

/** The request, or one line that says what is wrong. */
export const read = ({ init, plan, rounds, tasks, then, ...rest }: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    if (plan === null) return yield* Result.fail(planRequired)
    return { ...yield* readCall(rest, withMode), init, plan, rounds, wanted: yield* wantedOf(tasks), then }
  })

const misusedBy = (message: string, { json }: Request): Ending =>
  misusedCall({ message, meant: null, call: "ooda-codex-review implement" }, json)

/** The end of a call; `seen` is the last seen plan and run, null if the call failed. */
interface Ended {
  readonly outcome: PlanOutcome
  readonly seen: Seen | null
}

const failed = (failure: Failure): Effect.Effect<Ended> =>
  Effect.succeed({ outcome: { _tag: "BinaryError", message: plainText(failure) }, seen: null })

const work = Effect.fnUntraced(
  function*<R>(
    settings: ImplementSettings,
    file: string,
    cwd: string,
    events: boolean,
    opening: Effect.Effect<string, never, R>,
    options: DriveOptions
  ) {
    const { say } = yield* Narrator
    return yield* withEvents(
      events,
      (logs) =>
        narrateWhile(
          { write: say, limits: { ...settings.driven, maxRounds: null }, stateRoot: settings.driven.step.stateRoot },
          opening,
          (onRun) => {
            // The run that converges the plan's code is part of the story of the plan's run.
            const begun = (run: RunRef) => Effect.andThen(follow(logs, run), isPlanRun(run) ? onRun(run) : Effect.void)
            return implement(settings, file, cwd, { ...options, onRun: begun }).pipe(
              Effect.map((seen): Ended => ({ outcome: seen.outcome, seen })),
              Effect.catch(failed)
            )
          }
        )
    )
  }
)

/** Only says what the call would do first. */
const inspected = Effect.fnUntraced(
  function*(settings: ImplementSettings, file: string, cwd: string, options: DriveOptions) {
    const seen = yield* inspectPlan(settings, file, cwd, options)
    if (seen.next !== null) yield* (yield* Narrator).say(seen.next)
    return { outcome: seen.outcome, seen } satisfies Ended
  }
)

/** The flags of the review target: uncommitted changes or, with commits, the plan's branch against its base. */
const modeOf = (texts: Texts, baseBranch: string | null): Texts | null =>
  !texts.has("--commit-fixes")
    ? new Map([...texts, ["--uncommitted", [""]]])
    : baseBranch === null
    ? null
    : new Map([...texts, ["--base", [baseBranch]]])

const answered = Effect.fnUntraced(function*(asked: Request, ended: Ended, notify: string | null, cwd: string) {
  const { outcome, seen } = ended
  const document = asked.json || notify !== null ? yield* planJson(outcome, seen) : ""
  if (notify !== null) yield* notifyEnd(notify, document, cwd)
  return {
    stdout: asked.json ? document : "",
    stderr: planStderr(outcome),
    code: planExitCode(outcome)
  } satisfies Ending
})

/** At most so many unknown keys of a plan are named: more of them belong to another tool. */
const mostWarnings = 10

/** The plan in a file. If it is missing, an undo may have been interrupted that had moved it aside: that is finished. */
const planIn = (file: string, { inspect, texts }: Request, cwd: string) => {
  const reading = Effect.map(planNow({ file }), ({ plan }) => plan)
  const finished = locatePlan(file, texts.get("--state-root")?.[0] ?? null, cwd).pipe(Effect.flatMap(finishUndos))
  return Effect.catchIf(
    reading,
    ({ reason }) => !inspect && reason._tag === "NoPlanFile",
    () => Effect.andThen(finished, reading)
  )
}

/** Writes a plan to fill in. */
const begun = Effect.fnUntraced(function*(plan: string, cwd: string) {
  const { create } = yield* PlainFiles
  yield* plan.startsWith("/") ? create("/", plan.slice(1), template) : create(cwd, plan, template)
  const named = shellWord(plan)
  return printEnding(`wrote ${oneLine(plan)}\nfill it in, then: ooda-codex-review implement ${named}`)
})

/** Works through the plan, and reports how that ended. */
export const run = Effect.fn("implement.run")(
  function*(asked: Request, context: CallContext) {
    const where = yield* context.cwd
    if (asked.init) return yield* begun(asked.plan, where)
    const file = yield* (yield* PlanFiles).locate(asked.plan, where)
    const plan = yield* planIn(file, asked, where)
    const { say } = yield* Narrator
    for (const line of unknownKeys(plan).slice(0, mostWarnings)) yield* say(`warning: ${line}`)
    const texts = modeOf(asked.texts, plan.baseBranch)
    const name = texts?.get("--base")?.[0]
    const problem = name === undefined ? null : branchProblem(name)
    if (problem !== null) return yield* noBase(`${problem} [name a branch there]`)
    if (texts === null) {
      const message = "--commit-fixes needs the plan's baseBranch: what its code is compared with"
      return misusedBy(message, asked)
    }
    const { notify, repositoryTests, settings } = yield* configuredSettings(texts, where)
    if ("_tag" in settings) return misusedBy(yield* testsMissing(where), asked)
    const { again, fresh, rounds, then, wanted } = asked
    const whole = { driven: settings, rounds, wanted, then }
    const options = { again, fresh, repositoryTests, ...(yield* callOf("implement", context)) }
    if (asked.inspect) return yield* answered(asked, yield* inspected(whole, file, where, options), null, where)
    const { of } = yield* AgentKinds
    if (settings.agent === "codex") yield* requireLogin(agentProgram(settings, where) ?? "codex", where)
    if (then !== null) yield* requireLogin(settings.step.codexBin, where)
    const first = { yes: asked.yes, stateRoot: settings.step.stateRoot, cwd: where }
    const opening = yield* agreedOpening(
      first,
      planOpening(settings, file, rounds, then !== null, where),
      Effect.void
    )
    if (opening === null) return yield* answered(asked, { outcome: aborted, seen: null }, notify, where)
    const working = work(whole, file, where, asked.events, opening, options)
    const { result, status } = yield* Effect.provide(working, of(settings.agent, agentProgram(settings, where)))
    const page = yield* sayEnd(result.outcome, status)
    const ending = yield* answered(asked, result, notify, where)
    return yield* withPage({ ...ending, stderr: planStderr(briefly(result.outcome, status)) }, page)
  },
  (self, asked) =>
    Effect.catch(self, (failure) => Effect.flatMap(failed(failure), (ended) => answered(asked, ended, null, "")))
)

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
    { command: "ooda-codex-review implement --init plan.md", description: "Write a plan to fill in." },
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
