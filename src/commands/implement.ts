// implement: the subcommand `implement`: works through a plan with agents until its tasks are accepted.
// It ends as `converge` does. With `--events` standard output is the events, else it is the document.
import { Effect, Fiber } from "effect"
import { Command } from "effect/cli"
import { type Ending, misused } from "../cli/ending.ts"
import { type PlanOutcome, planExitCode, planStderr } from "../core/implement/PlanOutcome.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { WantedError } from "../core/implement/WantedError.ts"
import { branchProblem } from "../core/run/Target.ts"
import type { ImplementSettings } from "../core/implement/Settings.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { follow, planLogs, reviewLogs, tellAll, tellOn, unfollowed } from "../driving/Following.ts"
import { implement, type ImplementOptions } from "../implement/Implement.ts"
import { inspectPlan } from "../implement/Inspect.ts"
import { planJson, type Seen } from "../implement/PlanJson.ts"
import { planNow } from "../implement/Working.ts"
import { AgentKinds } from "../services/AgentKinds.ts"
import { Narrator } from "../services/Narrator.ts"
import { Notifier } from "../services/Notifier.ts"
import { PlanFiles } from "../services/PlanFiles.ts"
import { type Called, subcommand } from "./Command.ts"
import { configured } from "./Configured.ts"
import { agentProgram } from "./converge.ts"
import type { Texts } from "./convergeSettings.ts"
import { type Asked, flags, read } from "./implementFlags.ts"
import { testsMissing } from "./TestsSeen.ts"

const usage = "`ooda-codex-review implement --help` shows all flags"

export { read } from "./implementFlags.ts"

/** How a call ended; `seen` is what was seen of the plan and its run, null where the call failed. */
interface Ended {
  readonly outcome: PlanOutcome
  readonly seen: Seen | null
}

const failed = ({ message }: { readonly message: string }): Effect.Effect<Ended> =>
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
