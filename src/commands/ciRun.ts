// ciRun: what a step of a workflow does: reviews or converges, and tells what came of it.
// Whatever cannot be told fails the step: a job never passes because of what nobody was told.
import { Effect, type Result } from "effect"
import { codeOf, findingsOf, pageOf, wayOf } from "../ci/Gather.ts"
import { isReviewed, reviewLevels } from "../ci/ReviewLevels.ts"
import { readSettings } from "../cli/invocation.ts"
import { converge, convergeOutcomeOf } from "../converge/Converge.ts"
import { fails, openFindings } from "../core/ci/FailOn.ts"
import type { PullRequest } from "../core/ci/PullRequest.ts"
import { harmless, outputLines } from "../core/ci/RunnerLines.ts"
import { commentText, summaryText } from "../core/ci/Told.ts"
import { toldOnce } from "../core/ci/ToldOnce.ts"
import { annotations } from "../core/findings/formats/Annotations.ts"
import { sarifOf } from "../core/findings/formats/Sarif.ts"
import { exitCode, header, type Outcome } from "../core/loop/Outcome.ts"
import { AgentKinds } from "../services/AgentKinds.ts"
import { variable } from "../services/Environment.ts"
import { Narrator } from "../services/Narrator.ts"
import { OutFiles } from "../services/OutFiles.ts"
import { Output } from "../services/Output.ts"
import { Runner } from "../services/Runner.ts"
import type { StepResult } from "../step/StepResult.ts"
import type { Asked } from "./ciFlags.ts"
import { configured } from "./Configured.ts"
import { targetOf, type Texts } from "./convergeSettings.ts"
import { agentProgram } from "./converge.ts"
import { exits } from "./Exits.ts"
import { JobRefused } from "./JobRefused.ts"
import { testsSeen } from "./TestsSeen.ts"

/** The names of the files that are written. */
export const files = { sarif: "ooda-codex-review.sarif", comment: "ooda-codex-review.md" } as const
const reportName = (level: string): string => `ooda-codex-review-${level}.html`

/** The given texts with what the runner's event adds: the base, and the commit that is trusted. */
const completed = (texts: Texts, pull: PullRequest | null): Effect.Effect<Texts, JobRefused> => {
  const base = texts.get("--base") ?? (pull === null ? [] : [`origin/${pull.base.branch}`])
  return base.length === 0
    ? Effect.fail(new JobRefused({ reason: { _tag: "NoPullRequest" } }))
    : Effect.succeed(
      new Map([...texts, ["--base", base], ...(pull === null ? [] : [["--trust-from", [pull.base.sha]] as const])])
    )
}

const valid = <A>(result: Result.Result<A, string>): Effect.Effect<A, JobRefused> =>
  Effect.mapError(Effect.fromResult(result), (said) => new JobRefused({ reason: { _tag: "Misnamed", said } }))

const reviewed = Effect.fnUntraced(function*({ levels }: Asked, texts: Texts, cwd: string) {
  const given = (option: string) => option === "--strict" ? "" : texts.get(option)?.[0] ?? null
  const target = yield* valid(targetOf(texts))
  const settings = yield* valid(readSettings(given, target))
  return yield* reviewLevels(settings, levels, cwd)
})

const converged = Effect.fnUntraced(function*({ levels }: Asked, texts: Texts, cwd: string) {
  const ladder = [["--level", levels.slice(0, 1)], ["--ceiling", levels.slice(-1)]] as const
  const { repositoryTests, settings } = yield* configured(new Map([...texts, ...ladder]), cwd)
  if ("_tag" in settings) return yield* new JobRefused({ reason: { _tag: "NoTests", seen: yield* testsSeen(cwd) } })
  const { of } = yield* AgentKinds
  const { say } = yield* Narrator
  const result = yield* converge(settings, cwd, { fresh: true, repositoryTests, untrusted: true }).pipe(
    Effect.map(({ outcome, run }): StepResult => ({ line: null, outcome, run })),
    Effect.catch((failure) =>
      Effect.succeed<StepResult>({ line: null, outcome: convergeOutcomeOf(failure), run: null })
    ),
    Effect.provide(of(settings.agent, agentProgram(settings, cwd))),
    Effect.provideService(Narrator, { say: (line) => say(harmless(line)) })
  )
  return [result]
})

/** The outcome of all: that of the first that could not be reviewed, else of the first with findings. */
const outcomeOf = (results: ReadonlyArray<StepResult>): Outcome => {
  const all = results.map(({ outcome }) => outcome)
  return all.find((one) => !isReviewed(one)) ?? all.find(({ _tag }) => _tag !== "DoneFixedPoint") ?? all[0] ??
    { _tag: "BinaryError", message: "nothing was reviewed" }
}

const forkNote =
  "This pull request comes from a fork. It was reviewed and not worked on: its tests do not run beside " +
  "the secrets of this repository unless the workflow says `fork-tests: always`."
const silentNote = "The token of this event cannot write on pull requests from forks, so there is no comment."

/** Reviews or converges, and writes all that there is to tell. */
export const ciRun = Effect.fn("ci.run")(
  function*(asked: Asked, pull: PullRequest | null, cwd: string, version: string) {
    const runner = yield* Runner
    const isKept = asked.mode === "converge" && pull?.isFork === true && !asked.forkTests
    const mode = isKept ? "review" : asked.mode
    const texts = yield* completed(asked.texts, pull)
    const results = yield* mode === "review" ? reviewed(asked, texts, cwd) : converged(asked, texts, cwd)
    const outcome = outcomeOf(results)
    const runs = results.flatMap(({ run }) => run === null || run.head.seq === 0 ? [] : [run])
    const trustFrom = texts.get("--trust-from")?.[0] ?? null
    const found = yield* Effect.forEach(runs, ({ ref }) => findingsOf(ref, trustFrom))
    const reports = toldOnce(found.flatMap((report) => report === null ? [] : [report]))
    const isDone = (mode === "review" ? isReviewed(outcome) : outcome._tag === "DoneFixedPoint") &&
      reports.length === results.length
    const isSilent = pull?.isFork === true && (yield* variable("GITHUB_EVENT_NAME")) === "pull_request"
    const told = {
      mode,
      said: header(outcome),
      isDone,
      code: [...new Set(runs.flatMap((run) => codeOf(run) ?? []))],
      points: (yield* Effect.forEach(runs, ({ ref }) => wayOf(ref))).flat(),
      reports,
      notes: [...(isKept ? [forkNote] : []), ...(isSilent ? [silentNote] : [])]
    } as const
    const out = asked.out ?? (yield* variable("RUNNER_TEMP")) ?? cwd
    const { write } = yield* OutFiles
    const written = Effect.fnUntraced(function*(name: string, text: string) {
      yield* write(cwd, `${out}/${name}`, text)
      return `${out}/${name}`
    })
    const sarif = yield* written(files.sarif, sarifOf(reports, version))
    const comment = yield* written(files.comment, commentText(told))
    const pages = yield* Effect.forEach(
      runs,
      (run) => Effect.flatMap(pageOf(run.ref), (text) => written(reportName(run.manifest.current_level), text))
    )
    const isFailed = fails(asked.failOn, reports, isDone)
    yield* runner.summarise(summaryText(told))
    yield* runner.output(
      outputLines({
        mode,
        outcome: outcome._tag,
        "exit-code": exitCode(outcome),
        findings: openFindings(reports),
        verdict: isFailed ? "fail" : "pass",
        head: runs.map(({ head }) => `${head.seq}:${head.hash}`).at(-1) ?? "",
        sarif,
        report: pages.at(-1) ?? "",
        comment: pull === null || isSilent ? "" : comment
      })
    )
    yield* (yield* Output).write(reports.map(annotations).join(""))
    const code = !isFailed ? exits.done : isDone ? exits.wrong : exits.couldNot
    return { stdout: "", stderr: `${header(outcome)}\n`, code }
  }
)
