// converge: the subcommand `converge`: drives a run until it is done or a person must act.
// It ends in an Outcome, as a step does. With `--events` standard output has the events, else the document.
import { Effect, Fiber, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { type Ending, ending } from "../ending.ts"
import { converge, inspectConverge } from "../../drive/converge/Converge.ts"
import { aborted } from "../../drive/Drive.ts"
import { follow, writeAll, writeNew, unfollowed } from "../../drive/Follow.ts"
import type { ConvergeSettings } from "../../drive/converge/Settings.ts"
import { AgentKinds } from "../../agent/Agent.ts"
import { Narrator, Notifier } from "../../drive/Narrator.ts"
import { requireLogin } from "../../read/doctor/Login.ts"
import { reviewOpening } from "../../read/Opening.ts"
import { endPage, type Status } from "../../read/Status.ts"
import { narrateWhile } from "../../read/Watch.ts"
import { callLine } from "../../step/CallLine.ts"
import { locate } from "../../step/OpenRun.ts"
import { convergeJson } from "../../drive/converge/Json.ts"
import { requireNewTarget } from "../../step/TargetCheck.ts"
import { laidOut } from "../../text/Paint.ts"
import { outgoing } from "../../text/redaction/Redaction.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { type Failure, plainText } from "../../platform/Failure.ts"
import { failedResult, type StepResult } from "../../step/StepResult.ts"
import { type CallContext, misusedCall, subcommand } from "../command.ts"
import { type ConvergeRequest, flagsOf, readCall, settingsFor } from "../convergeOptions.ts"
import { configuredSettings } from "../configuration.ts"
import { agreedOpening } from "../firstRun.ts"
import { continuedRun } from "../continued.ts"
import { optional } from "../options.ts"
import { testsMissing } from "../../drive/TestHints.ts"

const flags = {
  ...flagsOf(settingsFor("converge")),
  commit: optional(Flag.String("commit").pipe(Flag.withHidden))
}

/** The request, or one line that says what is wrong. */
export const read = (
  { commit, ...all }: Command.Command.Config.Infer<typeof flags>
): Result.Result<ConvergeRequest, string> =>
  commit === null
    ? readCall(all)
    : Result.fail("--commit cannot converge: a commit does not change; name its branch with --base or --pr")

const failed = (failure: Failure): Effect.Effect<StepResult> =>
  Effect.succeed(failedResult(failure, plainText(failure)))

/** The program of the agent. Codex agents use the codex of the reviews, unless a person names another. */
export const agentProgram = (settings: ConvergeSettings, cwd: string): string | null => {
  const { agent, agentCmd, step: { codexBin } } = settings
  if (agent !== "codex" || agentCmd !== null) return agentCmd
  // An agent starts in the root of the worktree; a relative program is resolved where the call was made.
  return codexBin.includes("/") && !codexBin.startsWith("/") ? `${cwd}/${codexBin}` : codexBin
}

interface Driving extends Omit<ConvergeRequest, "settings" | "texts"> {
  readonly settings: ConvergeSettings
  readonly repositoryTests: string | null
  readonly call?: string
}

// Flags that a repeated call does not repeat by itself.
const once: ReadonlySet<string> = new Set(["--again", "--yes", "--fresh", "--json", "--events", "--inspect"])

/** The command line of a call, to be repeated; absent if it is unknown or very long. */
export const callOf = Effect.fnUntraced(function*(name: string, { argv }: CallContext) {
  const call = argv === undefined ? null : yield* callLine([name, ...argv.filter((word) => !once.has(word))])
  return call === null ? {} : { call }
})

/** Does the work, and writes every event as it is committed if `events` is set. */
export const withEvents = Effect.fnUntraced(function*<A, E, R>(
  events: boolean,
  work: (logs: Effect.Success<typeof unfollowed>) => Effect.Effect<A, E, R>
) {
  const logs = yield* unfollowed
  if (!events) return yield* work(logs)
  const writer = yield* Effect.forkChild(writeAll(logs))
  const result = yield* work(logs)
  yield* Fiber.interrupt(writer)
  yield* writeNew(logs)
  return result
})

/** Passes the final document, without secrets, to the command that is notified of the end. */
export const notifyEnd = Effect.fnUntraced(function*(command: string, document: string, cwd: string) {
  const problem = yield* (yield* Notifier).notify(command, outgoing(document), cwd)
  if (problem !== null) yield* (yield* Narrator).say(`warning: ${problem}`)
})

/** The result of a call, and the state of its run; null if it drove none. */
export interface Driven<A> {
  readonly result: A
  readonly status: Status | null
}

const undriven = (failure: Failure) =>
  Effect.map(failed(failure), (result): Driven<StepResult> => ({ result, status: null }))

/** Fails if no run of the target could begin. */
const requireNewRun = ({ commitFixes, step }: ConvergeSettings, cwd: string) =>
  locate(step, cwd, true).pipe(
    Effect.flatMap((place) => requireNewTarget(step, place, commitFixes !== null)),
    Effect.provideService(IdentityTimeout, step.identityTimeout)
  )

const drive = Effect.fnUntraced(function*(asked: Driving, cwd: string) {
  const { again, call, events, fresh, repositoryTests, settings, yes } = asked
  const { say } = yield* Narrator
  yield* requireLogin(settings.step.codexBin, cwd)
  const first = { yes, stateRoot: settings.step.stateRoot, cwd }
  const opening = yield* agreedOpening(first, reviewOpening(settings, cwd), requireNewRun(settings, cwd))
  if (opening === null) {
    return { result: { line: null, outcome: aborted, run: null }, status: null } satisfies Driven<StepResult>
  }
  return yield* withEvents(
    events,
    (logs) =>
      narrateWhile(
        { write: say, limits: settings, stateRoot: settings.step.stateRoot },
        opening,
        (onRun) =>
          converge(settings, cwd, {
            again,
            ...(call === undefined ? {} : { call }),
            fresh,
            repositoryTests,
            onRun: (run) => Effect.andThen(follow(logs, run), onRun(run))
          }).pipe(
            Effect.map(({ outcome, run }): StepResult => ({ line: null, outcome, run })),
            Effect.catch(failed)
          )
      )
  )
})

const asks: ReadonlySet<string> = new Set(["HandoffHuman", "StuckCapReached", "StuckRepeated"])

const isFailedBatch = ({ view }: Status): boolean => view.status.reason === "ReviewsFailed"

/**
 * Says how a call ended whose last line is its header. A question to a person comes below the header, and is returned.
 */
export const sayEnd = Effect.fnUntraced(function*({ _tag }: { readonly _tag: string }, status: Status | null) {
  if (status === null) return ""
  if (isFailedBatch(status)) {
    // The story and the header say why, so that the page need not.
    yield* (yield* Narrator).say(`\n${endPage(status).split("\n").slice(1).join("\n").replace(/^\n+/, "")}`, "open")
    return ""
  }
  if (asks.has(_tag)) return endPage(status)
  if (_tag.startsWith("Done")) {
    yield* (yield* Narrator).say(`\n${endPage(status)}`, _tag === "DoneAborted" ? "open" : "good")
  }
  return ""
})

/** An outcome as a header says it: a batch that failed is named with its cause, not with each of its reviews. */
export const briefly = <O extends { readonly _tag: string }>(
  outcome: O | Outcome,
  status: Status | null
): O | Outcome =>
  outcome._tag === "BinaryError" && status !== null && isFailedBatch(status)
    ? { ...outcome, message: status.view.status.text }
    : outcome

/** The ending with the page below its header, on the width of the terminal. */
export const withPage = Effect.fnUntraced(function*(ending: Ending, text: string) {
  if (text === "") return ending
  const { page } = yield* Narrator
  return {
    ...ending,
    stderr: `${ending.stderr.split("\n")[0] ?? ""}\n${laidOut(text, "open", page())}`
  } satisfies Ending
})

const inspected = Effect.fnUntraced(function*({ again, repositoryTests, settings }: Driving, cwd: string) {
  const { next, ...result } = yield* inspectConverge(settings, cwd, { again, repositoryTests })
  if (next !== null) yield* (yield* Narrator).say(next)
  return { result, status: null } satisfies Driven<StepResult>
})

const ended = Effect.fnUntraced(function*(asked: Driving, cwd: string) {
  const { inspect, json, notify, settings } = asked
  const { of } = yield* AgentKinds
  const driven: Driven<StepResult> = yield* inspect
    ? Effect.catch(inspected(asked, cwd), undriven)
    : drive(asked, cwd).pipe(
      Effect.catch(undriven),
      Effect.provide(of(settings.agent, agentProgram(settings, cwd)))
    )
  const { result, status } = driven
  const page = yield* sayEnd(result.outcome, status)
  const document = json || notify !== null ? yield* convergeJson(result, settings.step) : ""
  if (notify !== null && !inspect) yield* notifyEnd(notify, document, cwd)
  return yield* withPage(ending(json ? document : "", briefly(result.outcome, status)), page)
})

/** Drives the run, and reports how it ended. */
export const run = Effect.fn("converge.run")(
  function*(asked: ConvergeRequest, context: CallContext) {
    const where = yield* context.cwd
    const { notify, repositoryTests, settings } = yield* configuredSettings(
      asked.texts,
      where,
      continuedRun
    )
    const ending: Ending = "_tag" in settings
      ? misusedCall(
        { message: yield* testsMissing(where), meant: null, call: "ooda-codex-review converge" },
        asked.json
      )
      : yield* ended(
        { ...asked, settings, notify, repositoryTests, ...(yield* callOf("converge", context)) },
        where
      )
    return ending
  },
  (self, { json }) =>
    Effect.catchTag(self, ["ConfigFailed", "PlainFileFailed", "GitFailed", "GitHubFailed"], (failure) => {
      const result = failedResult(failure, plainText(failure))
      return Effect.map(json ? convergeJson(result) : Effect.succeed(""), (text) => ending(text, result.outcome))
    })
)

export const command = Command.make("converge", flags).pipe(subcommand({
  read,
  run,
  about: [
    "reviews, has agents fix what is found, tests, and goes on until the fixed point.",
    "",
    "It calls the step, gives its hand-offs to an agent, runs the project's tests, and sets the marks. The run can be",
    "left and taken up by hand at any moment. Exits as a step does: 0 fixed point, 1 no progress, 2 a limit or budget",
    "is reached, 3 a person is needed, 6 something outside failed, 8 ended by a signal or by stop, 64 on misuse."
  ],
  examples: [
    {
      command: 'ooda-codex-review converge --uncommitted --test "npm test"',
      description: "Converge the changes of the working tree."
    },
    {
      command: 'ooda-codex-review converge --base main --test "npm test" --commit-fixes',
      description: "Converge a branch, with one commit for each round."
    }
  ]
}))
