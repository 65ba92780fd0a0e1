// stop: the subcommand `stop`: ends the reviewers and the agents of a run.
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { outlives, stopDriven, type StoppedDriven } from "../../drive/Stop.ts"
import { exited } from "../ending.ts"
import type { RunScope } from "../../fleet/RunScope.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { readPlan } from "../../drive/plan/State.ts"
import type { RunRef } from "../../log/Refs.ts"
import { documentText, RunName, runName, version } from "../../run/Document.ts"
import { SeenHead } from "../../run/Event.ts"
import type { Run } from "../../run/Run.ts"
import { counted } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { ladderOf, plansUnderWay } from "../../drive/plan/Runs.ts"
import { NoSuchRun } from "../../run/Owner.ts"
import { select } from "../../step/Selection.ts"
import { expectHead } from "../../step/OpenRun.ts"
import { runUnderWay, type StopResult, type StopOptions, stopReviewers, stopStep } from "../../drive/StopStep.ts"
import { Environment, type Variables } from "../../platform/Environment.ts"
import { exits } from "../../platform/Failure.ts"
import { Git } from "../../code/Git.ts"
import { asideText, Snapshots } from "../../code/Snapshots.ts"
import { RunStore } from "../../run/RunStore.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { type CallContext, subcommand } from "../command.ts"
import { flagsFor, json, storeFlags } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

export interface Request extends StopOptions {
  readonly json: boolean
}

const flags = {
  ...runFlags,
  ...flagsFor({
    floor: {
      flag: "--level",
      metavar: "LVL",
      kind: "level",
      otherwise: "whatever its floor",
      text: "Only a run with this floor."
    },
    expectHead: stepSettings.expectHead
  }),
  ...storeFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.map(selectorOf(given), (selector) => {
    const { expectHead, floor, json, stateRoot } = given
    const target = selector._tag === "Latest" ? selector.target : null
    const run = selector._tag === "Named" ? selector.prefix : null
    return { stateRoot, target, run, floor, expectHead, json }
  })

/** What was ended of a driven run, in words, and that its driver has not ended yet; null where there was nothing. */
const endedText = Effect.fnUntraced(function*(run: RunRef, stopped: StoppedDriven) {
  const { agents, driver, lives, tests } = stopped
  const outlived = yield* outlives(run, stopped)
  const ended = [
    ...(agents === 0 ? [] : [counted(agents, "agent")]),
    ...(tests === 0 ? [] : [counted(tests, "test")]),
    ...(lives && !outlived ? ["the driver"] : [])
  ]
  const texts = [
    ...(ended.length === 0 ? [] : [`stopped ${ended.join(", ")}`]),
    ...(outlived ? [`the driver (process ${driver?.pid ?? 0}) was asked to end and has not yet`] : [])
  ]
  return texts.length === 0 ? null : texts.join("; ")
})

/** The one active plan run of this worktree, with its ladder, or null. NoSuchRun if another run is active too. */
const planAtWork = Effect.fnUntraced(function*(stateRoot: string | null, cwd: string) {
  const repository = yield* (yield* Git).repository(cwd)
  const roots = yield* (yield* RunStore).roots(stateRoot, cwd, false)
  const [first, ...more] = yield* plansUnderWay(roots, repository)
  if (first === undefined) return null
  const reviews = yield* runUnderWay(roots, repository)
  const ladder = first.driver === null ? null : yield* ladderOf(first.ref, first.driver)
  const others = [...more.map(({ ref }) => ref), ...(reviews === null ? [] : [reviews.ref])]
    .filter(({ runId }) => runId !== ladder?.runId)
  if (others.length === 0) return first.ref
  const runs = [first.ref, ...others].map(({ repoId, runId, targetKey }) => ({ repoId, runId, targetKey }))
  return yield* new NoSuchRun({ reason: { _tag: "SeveralUnderWay", runs } })
})

/** The named plan run or, without a name, the active one; null if it is a run of reviews, or missing. */
const meantPlan = Effect.fnUntraced(function*({ run, stateRoot, target }: Request, cwd: string) {
  if (run === null || run === undefined) return target === null ? yield* planAtWork(stateRoot, cwd) : null
  const found = yield* select({ _tag: "Named", prefix: run }, { stateRoot, cwd })
  return isPlanRun(found) ? found : null
})

/** Also ends the driver of the run, with everything under way. */
const withDriven = Effect.fnUntraced(function*(first: StopResult) {
  if (first.run === null) return first
  const driven = yield* stopDriven(first.run.ref)
  // Before it was asked to end, the driver may have started a batch. One that starts later is ended by the driver.
  const again = driven.driver === null ? first : yield* stopReviewers(first.run)
  const result = again.reviewers === null ? first : again
  const ended = yield* endedText(first.run.ref, driven)
  if (ended === null) return result
  const reviewers = result.reviewers === null ? "" : `; ${result.line ?? ""}`
  return { ...result, line: `${ended}${reviewers}` }
})

/** What was stopped, in one line, in a run of reviews or of a plan. */
interface Stopped {
  readonly line: string | null
  readonly run: Pick<Run, "ref" | "head"> | null
}

/** Ends what is under way in a plan run, and in its review run if its driver converges the code by now. */
const stoppedPlan = Effect.fnUntraced(function*(asked: Request, run: RunRef, cwd: string, env: Variables) {
  const found = yield* readPlan(run)
  yield* expectHead(asked.expectHead ?? null, found)
  if (asked.floor !== null) {
    const line = `nothing to stop: the run of a plan begins at no level, so not at ${asked.floor} either`
    return { line, run: found } satisfies Stopped
  }
  const stopped = yield* stopDriven(run)
  const ladder = stopped.driver === null ? null : yield* ladderOf(run, stopped.driver)
  const code = ladder === null
    ? null
    : yield* withDriven(yield* stopStep({ ...asked, run: ladder.runId, floor: null, expectHead: null }, cwd, env))
  const ended = yield* endedText(run, stopped)
  const line = ended ?? "no process works on the plan"
  const alone = ended === null ? `nothing to stop: ${line}` : line
  const whole = code === null || code.line === null ? alone : `${line}; the run of its code: ${code.line}`
  return { line: whole, run: yield* readPlan(run) } satisfies Stopped
})

/** The document of `stop --json`. */
export class StopDocument extends Schema.Class<StopDocument>("Stop")({
  schema: version,
  line: Schema.NullOr(Schema.String),
  run: Schema.NullOr(RunName),
  head: Schema.NullOr(SeenHead)
}) {}

const stopJson = ({ line, run }: Stopped): string =>
  documentText(StopDocument, {
    line,
    run: run === null ? null : runName(run.ref),
    head: run?.head ?? null
  })

/** Stops, and reports what was stopped. */
export const run = Effect.fn("stop.run")(function*(asked: Request, { cwd }: CallContext) {
  const env = yield* Environment
  const directory = yield* cwd
  const plan = yield* meantPlan(asked, directory)
  const stopped: Stopped = plan === null
    ? yield* withDriven(yield* stopStep(asked, directory, env))
    : yield* stoppedPlan(asked, plan, directory, env)
  const aside = stopped.run === null
    ? null
    : yield* Effect.orElseSucceed((yield* Snapshots).aside(stopped.run.ref), () => null)
  const texts = [...(stopped.line === null ? [] : [stopped.line]), ...(aside === null ? [] : [asideText(aside)])]
  const line = texts.map((text) => `${oneLine(text)}\n`).join("")
  return { ...exited(exits.done), stdout: asked.json ? stopJson(stopped) : line }
})

/** In a store for many people, only a named run is stopped. */
const scope = ({ run = null, target }: Request): Effect.Effect<RunScope> =>
  Effect.succeed(
    run !== null
      ? { _tag: "Named", prefix: run }
      : target !== null
      ? { _tag: "Latest", target }
      : { _tag: "Unsaid" }
  )

export const command = Command.make("stop", flags).pipe(subcommand({
  read,
  run,
  scope,
  about: [
    "ends the reviewers, agents and tests of a run and whoever drives it, and records it.",
    "",
    "RUN is a run's id or the beginning of it; without one it is this worktree's run under way, and an error where",
    "several are. A step that waits for them ends in DoneAborted (8). Exits 0, also where nothing runs, 6 when it",
    "could not, 64 on misuse. Finished reviews are kept: the next step runs only the others."
  ],
  examples: [
    { command: "ooda-codex-review stop --uncommitted", description: "End the reviewers of the working tree." }
  ]
}))
