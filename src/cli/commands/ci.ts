// ci: the subcommand `ci`: what the GitHub Action of this repository calls.
// A workflow passes every input, given or not: an empty text counts as not given.
import { Effect, Result } from "effect"
import { Command, type Flag } from "effect/cli"
import { AgentKinds } from "../../agent/Agent.ts"
import { Git } from "../../code/Git.ts"
import { Comments } from "../../ci/Comments.ts"
import { type Change, changeOf, JobRefused } from "../../ci/Change.ts"
import {
  codeOf,
  FailOn,
  fails,
  findingsOf,
  isReviewed,
  openFindings,
  pageOf,
  reviewLevels,
  pathOf
} from "../../ci/Review.ts"
import { Runner, RunnerFailed } from "../../ci/Runner.ts"
import { commentText, harmless, marker, outputLines, summaryText, withoutRepeats } from "../../ci/Summary.ts"
import { requireLogin } from "../../read/doctor/Login.ts"
import { reviewOpening } from "../../read/Opening.ts"
import { narrateWhile } from "../../read/Watch.ts"
import { Narrator } from "../../drive/Narrator.ts"
import { testsMissing } from "../../drive/TestHints.ts"
import { converge } from "../../drive/converge/Converge.ts"
import { convergeSettings } from "../../drive/converge/Settings.ts"
import { variable } from "../../platform/Environment.ts"
import { Output } from "../../platform/Process.ts"
import { OutFiles } from "../../read/UserFiles.ts"
import { annotations } from "../../review/findings/formats/Annotations.ts"
import { sarifOf } from "../../review/findings/formats/Sarif.ts"
import { compare, type Level, levels } from "../../run/Level.ts"
import { exitCode, header, type Outcome } from "../../run/Outcome.ts"
import type { Setting } from "../../run/Setting.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { failedResult, type StepResult } from "../../step/StepResult.ts"
import { badValue } from "../argv.ts"
import { type CallContext, perform, subcommand } from "../command.ts"
import { configuredSettings } from "../configuration.ts"
import { changeRequired, flagsOf, givenBy, settingsFor, type Texts, textsOf } from "../convergeOptions.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { readSettings } from "../invocation.ts"
import { flagAs, operand, optional } from "../options.ts"
import { targetOf } from "../targetOptions.ts"
import { level, oneOf, type Value } from "../values.ts"
import { agentProgram } from "./converge.ts"

/** `high`, or all levels from one to another as `low..high`. */
const span: Value<ReadonlyArray<Level>> = (text) =>
  Result.gen(function*() {
    const [first = "", last = first, ...more] = text.split("..")
    const [from, to] = [yield* level(first), yield* level(last)]
    if (more.length > 0 || compare(from, to) > 0) return yield* Result.fail("expected LVL or LVL..LVL, the lower first")
    return levels.filter((one) => compare(one, from) >= 0 && compare(one, to) <= 0)
  })

const orNothing = <A>(parser: Value<A>): Value<A | null> => (text) => text === "" ? Result.succeed(null) : parser(text)

/** The settings of `ci` that no other command has, by their names. */
export const ciSettings = {
  mode: {
    flag: "--mode",
    metavar: "MODE",
    kind: "word",
    words: ["review", "converge"],
    default: "review",
    text: "review edits nothing; converge has agents fix."
  },
  levels: {
    flag: "--levels",
    metavar: "LVL",
    kind: "line",
    default: "high",
    text: "The level, or the levels as low..high."
  },
  failOn: {
    flag: "--fail-on",
    metavar: "WHAT",
    kind: "word",
    words: FailOn.literals,
    default: "findings",
    text: "What fails the job: never, error, findings, or a priority from P0 to P3 and what is graver."
  },
  forkTests: {
    flag: "--fork-tests",
    metavar: "WHEN",
    kind: "word",
    words: ["never", "always"],
    default: "never",
    text: "Whether converge works on a pull request from a fork, which runs its tests; never only reviews it."
  },
  author: {
    flag: "--comment-author",
    metavar: "LOGIN",
    kind: "line",
    default: "github-actions[bot]",
    text: "Who comments."
  },
  out: {
    flag: "--out-dir",
    metavar: "DIR",
    kind: "path",
    otherwise: "$RUNNER_TEMP",
    text: "Where files are written."
  }
} as const satisfies Record<string, Setting>

const given = <A>(setting: Setting, parser: Value<A>): Flag.Flag<A | null> =>
  optional(flagAs(setting, orNothing(parser)))

/** The actions of `ci`. */
export const actions = ["run", "post"] as const

const flags = {
  action: operand("ACTION", oneOf(actions), "What to do: run the reviews, or post the comment."),
  mode: given(ciSettings.mode, oneOf(ciSettings.mode.words)),
  levels: given(ciSettings.levels, span),
  failOn: given(ciSettings.failOn, oneOf(FailOn.literals)),
  forkTests: given(ciSettings.forkTests, oneOf(ciSettings.forkTests.words)),
  author: given(ciSettings.author, Result.succeed),
  out: given(ciSettings.out, Result.succeed),
  ...flagsOf(settingsFor("ci"))
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request. `texts` are the flags of `converge`; a null `out` is the runner's directory. */
export interface Request {
  readonly action: "run" | "post"
  readonly mode: "review" | "converge"
  readonly levels: ReadonlyArray<Level>
  readonly failOn: FailOn
  readonly forkTests: boolean
  readonly author: string
  readonly out: string | null
  readonly texts: Texts
}

/** Flags that make sense only for a call that works on the code. */
const ofConverge = new Set<string>([
  stepSettings.maxBatches.flag,
  ...Object.values(convergeSettings).map(({ flag }) => flag)
])

const separators: Readonly<Record<string, RegExp>> = { "--test": /\n/, "--allow": /[\s,]+/ }

/** The texts that are not empty; a text with several values is split. */
const saying = (texts: Texts): Texts =>
  new Map(
    [...texts].map(([option, all]) => {
      const separator = separators[option]
      const parts = separator === undefined ? all : all.flatMap((text) => text.split(separator))
      return [
        option,
        option === "--trust-state-root" ? all : parts.map((part) => part.trim()).filter((part) => part !== "")
      ] as const
    }).filter(([, all]) => all.length > 0)
  )

/** The request, or one line that says what is wrong with the arguments together. */
export const read = (all: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { action, author, failOn, forkTests, levels, mode, out } = all
    const texts = saying(textsOf(all))
    const useless = mode === "converge" ? undefined : [...texts.keys()].find((option) => ofConverge.has(option))
    if (useless !== undefined) {
      return yield* Result.fail(badValue(useless, texts.get(useless)?.[0] ?? "", "it needs --mode converge"))
    }
    return {
      action,
      mode: mode ?? ciSettings.mode.default,
      levels: levels ?? [ciSettings.levels.default],
      failOn: failOn ?? ciSettings.failOn.default,
      forkTests: forkTests === "always",
      author: author ?? ciSettings.author.default,
      out,
      texts
    }
  })

// A report that cannot be written fails the step: a job never passes because of a lost report.

export const files = { sarif: "ooda-codex-review.sarif", comment: "ooda-codex-review.md" } as const
const reportName = (level: string): string => `ooda-codex-review-${level}.html`

const absent = (what: string): JobRefused =>
  new JobRefused({
    message: `${what}, whose files are trusted, is not in this checkout [check out with fetch-depth: 0]`
  })

/**
 * The id of the commit whose files are trusted; null for the repository's own event about the tip of the default branch,
 * which is trusted itself.
 */
const trustedCommit = Effect.fnUntraced(
  function*({ defaultBranch, isFork, trusts }: Change, base: string, cwd: string) {
    const { commit, mergeBase, repository } = yield* Git
    const { root } = yield* repository(cwd)
    const given = trusts === null ? null : yield* commit(root, trusts.sha)
    if (trusts?._tag === "Base") return given === null ? yield* absent(`commit ${trusts.sha}`) : trusts.sha
    const head = yield* commit(root, "HEAD")
    const name = defaultBranch === null ? base : `refs/remotes/origin/${defaultBranch}`
    const tip = yield* commit(root, name)
    if (head === null || tip === null) return yield* absent(head === null ? "HEAD" : name)
    if (trusts === null) return tip === head && !isFork ? null : tip
    if (given !== null && (yield* mergeBase(root, given, head)) === given) return given
    const forked = yield* mergeBase(root, tip, head)
    // Where the commit before a push is missing, the pushed one is not trusted in its place.
    const isLost = forked === head && given === null && !/^0+$/.test(trusts.sha)
    if (forked === null || isLost) return yield* absent("the commit before this push")
    return forked === head ? null : forked
  }
)

/** The given texts with the data of the runner's event: the base, and the trusted commit. */
const completed = Effect.fnUntraced(function*(texts: Texts, change: Change, cwd: string) {
  const [base] = texts.get("--base") ?? (change.base === null ? [] : [`origin/${change.base}`])
  if (base === undefined) {
    return yield* new JobRefused({
      message: "the event names no base [name what to compare with: --base BRANCH]"
    })
  }
  const trusted = yield* trustedCommit(change, base, cwd)
  return new Map([...texts, ["--base", [base]], ...(trusted === null ? [] : [["--trust-from", [trusted]] as const])])
})

const valid = <A>(result: Result.Result<A, string>): Effect.Effect<A, JobRefused> =>
  Effect.mapError(Effect.fromResult(result), (message) => new JobRefused({ message }))

const reviewed = Effect.fnUntraced(function*({ levels }: Request, texts: Texts, cwd: string) {
  const given = givenBy(new Map([...texts, ["--strict", [""]]]))
  const target = yield* valid(targetOf(given, changeRequired))
  const settings = yield* valid(readSettings(given, target))
  return yield* reviewLevels(settings, levels, cwd)
})

const converged = Effect.fnUntraced(function*({ levels }: Request, texts: Texts, cwd: string) {
  const ladder = [["--level", levels.slice(0, 1)], ["--ceiling", levels.slice(-1)]] as const
  const { repositoryTests, settings } = yield* configuredSettings(new Map([...texts, ...ladder]), cwd)
  if ("_tag" in settings) return yield* new JobRefused({ message: yield* testsMissing(cwd) })
  const { of } = yield* AgentKinds
  const { say } = yield* Narrator
  const options = { fresh: true, repositoryTests, untrusted: true }
  const { result } = yield* narrateWhile(
    { write: (text, tone) => say(harmless(text), tone), limits: settings, stateRoot: null },
    reviewOpening(settings, cwd),
    (onRun) =>
      converge(settings, cwd, { ...options, onRun }).pipe(
        Effect.map(({ outcome, run }): StepResult => ({ line: null, outcome, run })),
        Effect.catch((failure) => Effect.succeed(failedResult(failure)))
      )
  ).pipe(Effect.provide(of(settings.agent, agentProgram(settings, cwd))))
  return [result]
})

/** The combined outcome: of the first level that could not be reviewed, else of the first with findings. */
const outcomeOf = (results: ReadonlyArray<StepResult>): Outcome => {
  const all = results.map(({ outcome }) => outcome)
  return all.find((one) => !isReviewed(one)) ?? all.find(({ _tag }) => _tag !== "DoneFixedPoint") ?? all[0] ??
    { _tag: "BinaryError", message: "nothing was reviewed" }
}

const forkNote = ({ pull }: Change) =>
  `This ${pull === null ? "event does not say whose the change is" : "pull request comes from a fork"}. ` +
  "It was reviewed and not worked on: its tests do not run beside the secrets of this repository unless the workflow " +
  "says `fork-tests: always`."
const silentNote = "The token of this event cannot write on pull requests from forks, so there is no comment."

const skippedNote =
  "This pull request comes from a fork, whose jobs get no secrets, and codex is not logged in: nothing was reviewed. " +
  "A person who may push can run the review on a branch of this repository."

/** Ends a job that has no secrets to log in with. It neither passed nor failed. */
const skipped = Effect.fnUntraced(function*(mode: Request["mode"]) {
  const runner = yield* Runner
  yield* runner.summarise(`## Codex review: **not reviewed**\n\n${skippedNote}\n`)
  yield* runner.output(
    outputLines({ mode, outcome: "", "exit-code": "", findings: "", verdict: "skipped", comment: "" })
  )
  yield* (yield* Output).write(`::notice title=Not reviewed::${skippedNote}\n`)
  return exited(exits.done)
})

/** Whether a job runs for a fork, without secrets and with a token that cannot comment. */
const isPowerless = Effect.fnUntraced(function*({ isFork }: Change) {
  return isFork && (yield* variable("GITHUB_EVENT_NAME")) === "pull_request"
})

/** Reviews or converges, and writes all reports. */
export const ciRun = Effect.fn("ci.ciRun")(
  function*(asked: Request, change: Change, cwd: string, version: string) {
    const runner = yield* Runner
    const isSilent = yield* isPowerless(change)
    const codex = asked.texts.get(stepSettings.codexBin.flag)?.[0] ?? stepSettings.codexBin.default
    const login = isSilent ? yield* Effect.result(requireLogin(codex, cwd)) : Result.succeed(undefined)
    if (Result.isFailure(login)) return yield* skipped(asked.mode)
    const isKept = asked.mode === "converge" && change.isFork && !asked.forkTests
    const mode = isKept ? "review" : asked.mode
    const texts = yield* completed(asked.texts, change, cwd)
    const results = yield* mode === "review" ? reviewed(asked, texts, cwd) : converged(asked, texts, cwd)
    const outcome = outcomeOf(results)
    const runs = results.flatMap(({ run }) => run === null || run.head.seq === 0 ? [] : [run])
    const trustFrom = texts.get("--trust-from")?.[0] ?? null
    const found = yield* Effect.forEach(runs, ({ ref }) => findingsOf(ref, trustFrom))
    const reports = withoutRepeats(found.flatMap((report) => report === null ? [] : [report]))
    const isDone = (mode === "review" ? isReviewed(outcome) : outcome._tag === "DoneFixedPoint") &&
      reports.length === results.length
    const all = {
      mode,
      said: header(outcome),
      isDone,
      code: [...new Set(runs.flatMap((run) => codeOf(run) ?? []))],
      path: (yield* Effect.forEach(runs, ({ ref }) => pathOf(ref))).flat(),
      reports,
      notes: [...(isKept ? [forkNote(change)] : []), ...(isSilent ? [silentNote] : [])]
    } as const
    const out = asked.out ?? (yield* variable("RUNNER_TEMP")) ?? cwd
    const { write } = yield* OutFiles
    const written = Effect.fnUntraced(function*(name: string, text: string) {
      yield* write(cwd, `${out}/${name}`, text)
      return `${out}/${name}`
    })
    const sarif = yield* written(files.sarif, sarifOf(reports, version))
    const comment = yield* written(files.comment, commentText(all))
    const pages = yield* Effect.forEach(
      runs,
      (run) => Effect.flatMap(pageOf(run.ref), (text) => written(reportName(run.manifest.current_level), text))
    )
    const isFailed = fails(asked.failOn, reports, isDone)
    yield* runner.summarise(summaryText(all))
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
        comment: change.pull === null || isSilent ? "" : comment
      })
    )
    yield* (yield* Output).write(annotations(reports))
    const code = !isFailed ? exits.done : isDone ? exits.wrong : exits.couldNot
    return { stdout: "", stderr: `${header(outcome)}\n`, code }
  }
)

const presentChange = Effect.gen(function*() {
  return yield* Result.match(changeOf(yield* variable("GITHUB_EVENT_NAME"), yield* (yield* Runner).event), {
    onSuccess: Effect.succeed,
    onFailure: (problem) =>
      Effect.fail(new RunnerFailed({ variable: "GITHUB_EVENT_PATH", reason: { _tag: "NoEvent", problem } }))
  })
})

const called = Effect.fnUntraced(function*(asked: Request, { cwd, version }: CallContext) {
  const where = yield* cwd
  const change = yield* presentChange
  const { pull } = change
  if (asked.action === "run") return yield* ciRun(asked, change, where, version)
  const { write } = yield* Output
  if (pull === null) {
    yield* write("no pull request to comment on\n")
    return exited(exits.done)
  }
  const { number, repository } = pull
  const out = asked.out ?? (yield* variable("RUNNER_TEMP")) ?? where
  const comment = { repository, number, author: asked.author, marker, file: `${out}/${files.comment}` }
  yield* write(`comment ${yield* (yield* Comments).put(comment, where)}\n`)
  return exited(exits.done)
})

/** Reviews and reports, or posts the comment. A failure message may quote a stranger. */
export const run = Effect.fn("ci.run")((asked: Request, where: CallContext) =>
  Effect.map(perform(called(asked, where)), (ending) => ({ ...ending, stderr: harmless(ending.stderr) }))
)

export const command = Command.make("ci", flags).pipe(subcommand({
  read,
  run,
  about: [
    "reviews or converges in a job of GitHub Actions, and reports the result.",
    "",
    "run writes SARIF, a page for each run, the text of a comment, the job's summary, outputs and annotations. post",
    "writes the comment on the pull request, or replaces the one that is there. The event says what is compared with;",
    "--base names it for other events. Configuration, dismissals and AGENTS.md come from one trusted commit, such as the",
    "pull request's base. run exits 0, 1 when what was found fails the job, 6 when it could not review or report; post exits",
    "0 or 6; 64 on misuse. docs/ci.md shows a workflow."
  ],
  examples: [
    { command: "ooda-codex-review ci run --levels low..high --fail-on P1", description: "Review a pull request." },
    { command: "ooda-codex-review ci post", description: "Say on the pull request what was found." }
  ]
}))
