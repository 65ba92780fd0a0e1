// Ends: how a call of a driver ends at which a person must act: its header, and why, in a line or two. `status` and the
// end of a call show the test, the findings and the changes beside it, and what to call next.
import { Effect } from "effect"
import { type AgentEnding, type FailedReport, parseFailedReport } from "../agent/AgentEnding.ts"
import { Agent } from "../agent/Agent.ts"
import type { Changed } from "../agent/AskForResult.ts"
import { ConsentNeeded, isGiven, requireConsent } from "../agent/Consent.ts"
import type { Consent } from "../agent/Event.ts"
import type { Driver } from "../agent/TaskLog.ts"
import { Git } from "../code/Git.ts"
import { presentIdentity, type Reviewed } from "../code/PresentIdentity.ts"
import { isUncommitted } from "../run/Identity.ts"
import type { Outcome } from "../run/Outcome.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { shellWord } from "../text/Phrases.ts"
import { brief, lines, oneLine, someNames } from "../text/Untrusted.ts"
import { Commits, refusalReason } from "./Commits.ts"
import type { CommonEnd } from "./Decide.ts"
import type { RedTest } from "./Prompts.ts"
import { actionOf, type Cause, type Ended, limitOf } from "./End.ts"
import type { AskedEnd, DrivenEvent, DrivenState, RefusedBy } from "./State.ts"
import { changedCode, commandNotFound } from "./Tests.ts"
import type { ConvergeSettings } from "./converge/Settings.ts"

// Why a call ends.

const most = 240

/** Words of an agent or a program, on one line and in quotes. */
const quoted = (text: string): string => {
  const words = brief(lines(text).filter((line) => line.trim() !== "").join(" "), most)
  return words === "" ? "" : `"${words}"`
}

/** A test that failed for good. `round` is 0 before the first agent; `restored`: the worktree was put back. */
export interface RedTests extends Omit<RedTest, "timeout"> {
  readonly round: number
  readonly restored: boolean
}

const howRed = ({ changed, exit }: RedTests): string => {
  if (changed) return "changes the code that it tests"
  if (exit === null) return "runs out of time"
  return exit === commandNotFound ? "fails: command not found" : `fails (exit ${exit})`
}

const putBack = (restored: boolean): string =>
  restored ? "; the working tree was put back to where the round began" : ""

/** The project's tests fail, and no agent fixed them. */
export const testsFailed = (red: RedTests): string => {
  const what = `${brief(red.command, 100)} ${howRed(red)}`
  return red.round === 0
    ? `${what} before any agent has changed anything [--allow red-baseline lets agents fix it]`
    : `${brief(red.command, 100)} still ${howRed(red)}${putBack(red.restored)}`
}

/** Git refused to commit a round's work, by `refusedBy`. `output` is what it and its hooks said. */
export const commitRefused = (
  { output, refusedBy, restored }: Pick<RedTests, "restored"> & {
    readonly refusedBy: RefusedBy
    readonly output: string
  }
): string => `the tests pass, but git refused to commit: ${refusalReason(refusedBy, output)}${putBack(restored)}`

// The lines with which an agent's answer begins.
const heading = /^(?:(?:role|task_id|status|git_range): |issues: none$)/

/** An agent's result cannot be used because of `problems`, or says that work is left; `issues` is what it says. */
export const blockedText = (problems: ReadonlyArray<string>, issues = ""): string => {
  const said = quoted(lines(issues).filter((line) => !heading.test(line)).join("\n"))
  const says = said === "" ? "" : `; it says: ${said}`
  const [problem] = problems
  return problem === undefined ? `work is left${says}` : `an agent's answer cannot be used: ${quoted(problem)}${says}`
}

const reported = ({ problems, solutions, summary }: FailedReport): string =>
  [
    ["", summary],
    ["in the way: ", problems],
    ["it proposes: ", solutions]
  ].flatMap(([name = "", text = ""]) => text.trim() === "" ? [] : [`${name}${quoted(text)}`]).join("; ")

/** An agent failed for good with `message`, or reported that it cannot do its task; `remedy` is what a person can do. */
export const agentFailed = (
  message: string,
  remedy: string | null,
  report: FailedReport | null
): string => {
  const why = report === null ? quoted(message) : reported(report)
  // A remedy may begin with the cause, which is named already.
  const next = remedy?.startsWith(`${message}; `) === true ? remedy.slice(`${message}; `.length) : remedy
  const fix = next === null ? "" : ` [${brief(next, most)}]`
  return `the agent ${report === null ? "failed" : "cannot do its task"}${why === "" ? "" : `: ${why}`}${fix}`
}

/** Why a call gave up. */
export const gaveUp = (
  outcome: Extract<Outcome, { readonly _tag: "StuckCapReached" | "StuckRepeated" }>,
  { patience }: { readonly patience: number }
): string => {
  const { _tag, action, key } = outcome
  const limit = limitOf(_tag, action, key)
  switch (limit) {
    case "max-batches":
    case "max-rounds":
    case "max-time":
    case "max-tokens":
      return `the limit of ${limit.slice("max-".length)} is reached (--${limit})`
    case "steps":
      return `the limit of steps is reached (${key})`
    case "reviews":
      return (_tag === "StuckRepeated" ? outcome.advice : undefined) ??
        `the same reviews would run again, with nothing changed since (${key})`
    case "patience":
      return `${patience} rounds without fewer findings (--patience)`
    case "rounds":
      return "no fix is left (--rounds)"
    case "circle":
      return "the rounds go in a circle: the code is back at a version with known findings"
  }
}

// How it ends.

/** A person is asked for something. */
export const human = (cause: Cause, prompt: string): Ended => ({
  _tag: "HandoffHuman",
  action: actionOf[cause._tag],
  prompt,
  cause
})

/** A person must allow something first. */
export const consentEnd = (consent: Consent, message: string): Ended => human({ _tag: "Consent", consent }, message)

/** An agent failed for a reason that a fresh agent would meet too. */
export const agentFailedEnd = (
  { ending, remedy }: { readonly ending: AgentEnding; readonly remedy: string | null }
): Ended => {
  const report = ending._tag === "Reported" ? ending.report : null
  return human({ _tag: "AgentFailed" }, agentFailed(ending.message, remedy, report))
}

/** Git's own state was changed beside an agent or a test; `parts` names what. */
export const gitChangedEnd = (parts: ReadonlyArray<string>, during = "an agent worked"): Ended =>
  human(
    { _tag: "GitChanged" },
    `git's own state changed while ${during}: ${someNames(parts)} [look before git runs a hook: git status, ` +
      "git reflog, git config --list --show-origin; put back by hand what you did not want; the next call goes on from " +
      "the agent's answer]"
  )

type Moved = Pick<Extract<Cause, { readonly _tag: "BaseMoved" }>, "from" | "to">

/** Why nothing goes on while the change is compared with something else than when a round began. */
export const movedText = ({ from, to }: Moved): string =>
  `the change is compared with ${to}, and with ${from} when the round began [put HEAD, the base branch or the worktree ` +
  "back by hand; or converge --allow moved-base goes on without what is no longer compared]"

/** Files changed while an agent worked that may only read, and perhaps git's own state. */
export const readerChangedEnd = ({ agent, files, what }: Changed): Ended =>
  human(
    { _tag: "GitChanged" },
    `an agent that may only read changed ${someNames([...files, ...what])} (agent ${agent}), or somebody else did ` +
      "meanwhile [undo puts files back; the next call goes on from the agent's answer]"
  )

/** The change is compared with something else than when a round began, whatever moved it. */
export const movedBaseEnd = ({ from, to }: Moved): Ended =>
  human({ _tag: "BaseMoved", from, to }, movedText({ from, to }))

/** Why a call ends with something red: a test, or git that refused to commit. */
const redText = (
  state: DrivenState,
  { command, round, test }: Omit<Extract<CommonEnd, { readonly _tag: "TestsRed" }>, "_tag">
): string => {
  const { commits = [], restored: snapshot = null } = state.rounds[round - 1] ?? {}
  const restored = snapshot !== null
  if (test === null) {
    const { output = { text: "" }, refusedBy = "git" } = commits.at(-1) ?? {}
    return commitRefused({ restored, refusedBy, output: output.text })
  }
  const one = state.tests.find(({ started }) => started.test === test)
  const exit = one?.standing._tag === "Finished" ? one.standing.finished.exit : null
  return testsFailed({ round, command, exit, changed: one !== undefined && changedCode(one), restored })
}

const goOn = " [--allow rejected-result goes on without its answer]"

const rejectedEnd = (state: DrivenState, agent: number): Ended => {
  const { judged = null, standing } = state.agents.agents[agent - 1] ?? {}
  if (standing?._tag === "Failed") {
    const { message, remedy } = standing.failed
    return human({ _tag: "AgentFailed" }, agentFailed(message.text, remedy, null) + goOn)
  }
  const { ending, message: { text } } = standing?._tag === "Finished"
    ? standing.finished
    : { ending: "Done", message: { text: "" } }
  const report = ending === "Reported" ? parseFailedReport(text) : null
  return report === null
    ? human({ _tag: "Rejected" }, blockedText(judged?.problems ?? [], text) + goOn)
    : human({ _tag: "AgentFailed" }, agentFailed(text, null, report) + goOn)
}

/** Files were changed that no agent may change. */
export const protectedEnd = (files: ReadonlyArray<string>): Ended =>
  human(
    { _tag: "Protected" },
    `protected files were changed: ${someNames(files)} [undo puts them back; --fresh begins anew with them]`
  )

/** The commit of a round lacks some of the present content. */
export const uncommittedEnd = (left: string): Ended =>
  human({ _tag: "CommitLacks" }, `the tests pass, but the commit lacks ${left}`)

const unchanged = "; nothing has changed since"

/** The outcome of an end that was asked about before. */
const askedAgain = ({ end, why }: AskedEnd): Ended =>
  human(
    end._tag === "Asked" ? end.cause : { _tag: "TestsRed" },
    why.endsWith(unchanged) ? why : why + unchanged
  )

/** The outcome of a call that decided to end. */
export const commonEnd = (state: DrivenState, end: CommonEnd): Ended => {
  switch (end._tag) {
    case "Circle": {
      const { content } = end
      const key = content._tag === "Unknown" ? "unknown" : content.tree ?? "empty"
      return { _tag: "StuckRepeated", action: "AddressBatch", key }
    }
    case "Budget":
      return { _tag: "StuckCapReached", action: end.action, key: `max-${end.budget}` }
    case "RedBaseline":
      return consentEnd("red-baseline", redText(state, { ...end, round: 0 }))
    case "TestsRed":
      return human({ _tag: end.test === null ? "CommitRefused" : "TestsRed" }, redText(state, end))
    case "Rejected":
      return rejectedEnd(state, end.agent)
    case "Protected":
      return protectedEnd(end.files)
    case "Unchanged":
      return askedAgain(end.asked)
    case "StopAsked":
      return { _tag: "DoneAborted" }
  }
}

// What keeps a call of any driver from beginning: a person's uncommitted changes, and missing consent.

const couldNot = (message: string): Outcome => ({ _tag: "BinaryError", message })

const branchText = (branch: string | null): string => branch === null ? "a detached HEAD" : oneLine(branch)

/** The end of a call that would commit on another branch than the one its run was begun on; null if it would not. */
export const otherBranch = Effect.fn("Ends.otherBranch")(function*({ branch }: DrivenState, worktree: string) {
  if (branch === undefined) return null
  const now = yield* (yield* Git).branch(worktree)
  if (now === branch) return null
  const back = branch === null ? "git switch --detach" : `git switch ${shellWord(branch)}`
  return couldNot(
    `--commit-fixes commits on ${branchText(branch)}, where this run was begun, and ${branchText(now)} is checked ` +
      `out [${back}; or begin a new run with --fresh]`
  )
})

/**
 * The end of a call that may not commit; null if it may. `--commit-fixes` commits everything, so a person's uncommitted
 * changes refuse the first call.
 */
export const cannotCommit = Effect.fn("Ends.cannotCommit")(
  function*({ commitFixes }: ConvergeSettings, reviewed: Reviewed, state: DrivenState, isFirst: boolean) {
    if (commitFixes === null) return null
    const author = yield* (yield* Commits).authorProblem(reviewed.worktree)
    if (author !== null) return couldNot(`--commit-fixes cannot commit: ${author}`)
    if (!isFirst) return yield* otherBranch(state, reviewed.worktree)
    if (isUncommitted(yield* presentIdentity(reviewed))) {
      return couldNot("--commit-fixes needs a clean working tree [commit or stash your changes first]")
    }
    const left = yield* (yield* Commits).left(reviewed.worktree)
    return left === null ? null : couldNot(`--commit-fixes needs a clean working tree, but HEAD lacks ${left}`)
  }
)

/**
 * What a person must allow before a call spends anything: an agent without a sandbox; the repository's own tests, of this
 * digest; and commits that run hooks where no test runs either, since running tests runs what agents wrote anyway.
 */
const neededConsents = Effect.fnUntraced(
  function*({ commitFixes, tests }: ConvergeSettings, worktree: string, repositoryTests: string | null) {
    const silent = commitFixes !== null && tests.length === 0
    const programs = silent ? yield* (yield* Commits).programs(worktree) : []
    const needed: ReadonlyArray<{ readonly consent: Consent; readonly content: string | null }> = [
      ...((yield* Agent).confined ? [] : [{ consent: "unsandboxed" as const, content: null }]),
      ...(repositoryTests === null ? [] : [{ consent: "repository-tests" as const, content: repositoryTests }]),
      ...(programs.length === 0 ? [] : [{ consent: "commit-hooks" as const, content: null }])
    ]
    return needed
  }
)

/** The end of a call that lacks a consent which it needs before it spends anything; null if it lacks none. */
export const withoutConsent = Effect.fn("Ends.withoutConsent")(
  function*(
    state: DrivenState,
    settings: ConvergeSettings,
    worktree: string,
    repositoryTests: string | null
  ) {
    const missing = (yield* neededConsents(settings, worktree, repositoryTests)).find(({ consent, content }) =>
      !settings.allow.includes(consent) && !isGiven(state, consent, content)
    )
    return missing === undefined ? null : consentEnd(missing.consent, new ConsentNeeded(missing).message)
  }
)

/** Records the consents that a call needs before it spends anything. Fails if one is missing. */
export const requireConsents = Effect.fn("Ends.requireConsents")(
  function*<S extends DrivenState, X extends TaggedEvent>(
    driver: Driver<S, X | DrivenEvent>,
    settings: ConvergeSettings,
    worktree: string,
    repositoryTests: string | null
  ) {
    let now = driver
    for (const { consent, content } of yield* neededConsents(settings, worktree, repositoryTests)) {
      now = yield* requireConsent(now, consent, settings.allow, content)
    }
    return now
  }
)
