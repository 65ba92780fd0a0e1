// Kernel: drives a run, whatever its policy: observe, decide, act, record, until the call is over.
//
// A policy is what one kind of driven run adds: `converge` goes up the ladder, `plan` works through a plan's tasks.
// Both work in rounds. In a round agents have tasks; a task takes one attempt or more, until its answer is accepted;
// the answer is recorded, the project's tests run, and the round is closed.
//
// A call takes turns. A turn looks at what is durable (the driver's stream, the run, the worktree), decides by a pure
// function, and acts; an act ends with events in the stream, and the next turn looks again. Nothing that counts is in
// memory only, so any later call continues where a killed one ended, and it makes no difference in which turn that
// was. What an act starts outside (an agent, a test) is recorded first and outlives this process; what an act changes
// outside without a record before (a mark, a commit, a plan's file) can be recognised or repeated without harm.
//
// Events are committed on the head that they were decided from. If another process commits first, `stop` for example,
// a turn records nothing, and the next one decides again. One process at a time drives a worktree (`asDriver`), so two
// drivers never decide the same, and what changes in a round is of one run.
//
// A call is over by an outcome, a signal, or an error. Consent is asked for before anything is spent; one that turns
// out to be missing later ends the call, and asks a person. SIGINT ends the agents and tests too, SIGTERM and SIGHUP
// leave them to the next call. What agents have changed always stays, unless `--undo-on-red` says otherwise. An error
// is no end of the run: the next call continues as after a kill.
import { Cause, Effect } from "effect"
import { askForResult, type ResultOrder, type ResultOutcome } from "../agent/AskForResult.ts"
import type { Unfinished } from "../agent/AskForReview.ts"
import { ConsentNeeded } from "../agent/Consent.ts"
import type { Consent } from "../agent/Event.ts"
import { finishedMessage } from "../agent/RunAgent.ts"
import { endMissed } from "../agent/SafeWork.ts"
import type { AgentState } from "../agent/State.ts"
import { type AgentTask, defaultLimits } from "../agent/Task.ts"
import { commitDriver, refreshDriver, transactDriver } from "../agent/TaskLog.ts"
import { Git } from "../code/Git.ts"
import { withScratchpad } from "../code/Scratchpad.ts"
import { shownName } from "../code/Names.ts"
import { changedParts, SnapshotFailed, Snapshots } from "../code/Snapshots.ts"
import type { TargetRef } from "../log/Refs.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { defectText, type Failure } from "../platform/Failure.ts"
import { note, recovered } from "../platform/Note.ts"
import type { SignalName } from "../platform/Process.ts"
import { explainFullDisk } from "../run/FullDisk.ts"
import { refuseJobs } from "../run/Jobs.ts"
import { keepLong } from "../run/LongText.ts"
import { CallPlace, readerCall } from "../run/Naming.ts"
import { header, type Outcome } from "../run/Outcome.ts"
import { newestIn } from "../run/Owner.ts"
import { keepingLog } from "../run/RunLog.ts"
import { presentIdentity } from "../code/PresentIdentity.ts"
import { jsonText } from "../text/Json.ts"
import { paragraphs } from "../text/Phrases.ts"
import { brief } from "../text/Untrusted.ts"
import { Commits } from "./Commits.ts"
import { type Decided, refusedCommit } from "./Decide.ts"
import {
  aborted,
  type AnyDrive,
  countToRound,
  type Drive,
  on,
  over,
  protectedFiles,
  record,
  roundOf,
  type Turn
} from "./Drive.ts"
import { AlreadyDriven, Drivers } from "./DriverLock.ts"
import {
  agentFailedEnd,
  consentEnd,
  gaveUp,
  gitChangedEnd,
  readerChangedEnd,
  movedBaseEnd,
  otherBranch,
  protectedEnd,
  requireConsents,
  uncommittedEnd
} from "./Ends.ts"
import * as Held from "./Held.ts"
import { finishPrompt, fixCommitPrompt, fixTestsPrompt } from "./Prompts.ts"
import { type AnyEnded, type Ended, endOf } from "./End.ts"
import type { DrivenState, RoundState } from "./State.ts"
import { caughtUp, hearingSignals, isSignal, stopWork, unlessStopped, waitFor } from "./Stop.ts"
import { numberOf } from "./Tasks.ts"
import { redTest, runTest } from "./TestRuns.ts"

// The loop.

/** What one kind of driven run adds to the loop. */
export interface Policy<D, C extends { readonly _tag: string }, O, E1, R1, E2, R2> {
  /** Decides from the stream, which has just been read, and from what is beside it. */
  readonly look: (drive: D) => Effect.Effect<{ readonly drive: D; readonly decision: C }, E1, R1>
  /** Does what was decided, and records it. */
  readonly act: (drive: D, decision: C) => Effect.Effect<Turn<D, O | Ended>, E2, R2>
  readonly header: (outcome: O | Ended) => string
}

/** Whether an error asks for a person's consent. */
const asksConsent = <E>(error: E): error is Extract<E, ConsentNeeded> =>
  error instanceof ConsentNeeded || error instanceof SnapshotFailed && error.reason._tag === "Partial"

const consentOf = (error: unknown): Consent => error instanceof ConsentNeeded ? error.consent : "partial-snapshot"

/**
 * Drives a run until the call is over, and records how its driver leaves. An `obstacle` or a missing consent ends the
 * call before anything is spent. A failure or defect is recorded as the driver's end too: one without an end was killed.
 */
export const drive = Effect.fn("Kernel.drive")(
  function*<
    S extends DrivenState,
    X extends TaggedEvent,
    D extends AnyDrive,
    C extends { readonly _tag: string },
    O extends AnyEnded,
    E0 extends Failure,
    R0,
    E1 extends Failure,
    R1,
    E2 extends Failure,
    R2
  >(
    policy: Policy<D & Drive<S, X>, C, O, E1, R1, E2, R2>,
    begun: D & Drive<S, X>,
    obstacle: Effect.Effect<Ended | null, E0, R0>
  ) {
    let last = begun
    const turns = Effect.gen(function*() {
      let turn: Turn<D & Drive<S, X>, O | Ended> = yield* firstTurn(begun, yield* obstacle)
      while (turn._tag === "On") {
        turn = yield* onSameBase(yield* caughtUp(turn.drive))
        last = turn.drive
        if (turn._tag === "Over") break
        const { decision, drive } = yield* policy.look(turn.drive)
        yield* note("decided", { call: drive.call, decision: jsonText(decision) })
        turn = yield* Effect.catchIf(
          policy.act(drive, decision),
          asksConsent,
          (error) => Effect.succeed(over(drive, consentEnd(consentOf(error), error.message)))
        )
        last = turn.drive
      }
      const moved = yield* movedBase(last)
      const outcome = moved === null || turn.outcome._tag === "DoneAborted" ? turn.outcome : movedBaseEnd(moved)
      return { outcome, drive: yield* leave(last, outcome, policy.header(outcome)) }
    })
    return yield* turns.pipe(
      Effect.tapError(({ message }) => leaveFailed(last, message)),
      Effect.tapDefect((defect) => leaveFailed(last, defectText(Cause.die(defect))))
    )
  }
)

/** Works for a target while this process alone drives the worktree. */
export const asDriver = Effect.fn("Kernel.asDriver")(
  function*<A, E extends Error, R>(target: TargetRef, tree: string, use: (pid: number) => Effect.Effect<A, E, R>) {
    yield* refuseJobs([target.root], tree)
    const { driving } = yield* Drivers
    /** The error names the run that the other process drives. */
    const named = Effect.fnUntraced(function*(error: AlreadyDriven) {
      const { who } = error
      if (error.stop !== undefined) return yield* error
      const other = who === null ? null : yield* newestIn({ ...target, targetKey: who.targetKey }, tree)
      const stop = readerCall("stop", { ...yield* CallPlace, run: other?.runId ?? null })
      return yield* new AlreadyDriven({ who, stop })
    })
    return yield* explainFullDisk(
      target.root,
      driving(target, tree, (pid) => withScratchpad(target, keepingLog(hearingSignals(use(pid)))))
    ).pipe(Effect.catchIf((error) => error instanceof AlreadyDriven, named))
  }
)

/** Records that this process drives the run from now on. */
export const begin = Effect.fn("Kernel.begin")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>) {
    const { id, options: { call: line }, pid, run } = drive
    const branch = yield* (yield* Git).branch(run.manifest.worktree)
    const call = line === undefined ? {} : { call: line }
    return yield* record(drive, [{ _tag: "DriverStarted", driver: id, pid, branch, ...call }])
  }
)

const firstTurn = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>, obstacle: Ended | null) {
    if (obstacle !== null) return over(drive, obstacle)
    const { driver, options: { repositoryTests = null }, run: { manifest: { worktree } }, settings } = drive
    return yield* requireConsents(driver, settings, worktree, repositoryTests).pipe(
      Effect.map((driver) => on({ ...drive, driver })),
      Effect.catchTag(
        "ConsentNeeded",
        ({ consent, message }) => Effect.succeed(over(drive, consentEnd(consent, message)))
      )
    )
  }
)

/** What the rounds of this call are compared with, if it has moved; see `Held`. */
const movedBase = ({ driver: { state }, run: { manifest, ref } }: AnyDrive) => Held.movedBase(state, ref, manifest)

/** A turn that goes on only with the merge base that the rounds began with, or if a person allows another one. */
const onSameBase = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>) {
    const moved = yield* movedBase(drive)
    if (moved === null) return on(drive)
    if (!drive.settings.allow.includes("moved-base")) return over(drive, movedBaseEnd(moved))
    return on(yield* record(drive, [{ _tag: "ConsentGiven", consent: "moved-base", content: moved.to }]))
  }
)

// Characters of a reason.
const mostWhy = 2000

const whyAsked = (outcome: AnyEnded, settings: AnyDrive["settings"]): string | null => {
  switch (outcome._tag) {
    case "HandoffHuman":
      return outcome.prompt
    case "StuckCapReached":
    case "StuckRepeated":
      return gaveUp(outcome, settings)
    default:
      return null
  }
}

/** What is recorded when a driver leaves, with the header of the outcome. */
export const left = ({ id }: Pick<AnyDrive, "id">, header: string, outcome: AnyEnded) =>
  ({ _tag: "DriverEnded", driver: id, outcome: header, end: endOf(outcome) }) as const

const failedWith = (drive: Pick<AnyDrive, "id">, message: string) => {
  const outcome: Outcome = { _tag: "BinaryError", message: brief(message, mostWhy) }
  return { ...left(drive, header(outcome), outcome), end: { _tag: "Failed", broke: true } as const }
}

/** Records a failure as the end of a driver that has none yet. What keeps it from being recorded is only noted. */
const leaveFailed = <S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>, message: string) =>
  transactDriver(drive.driver, (now) => {
    const last = now.state.drivers.at(-1)
    return last?.driver === drive.id && last.outcome === null
      ? commitDriver(now, [failedWith(drive, message)])
      : Effect.succeed(now)
  }).pipe(Effect.tapError(recovered("the driver's end is not recorded")), Effect.ignore)

/** Records that a driver leaves, whatever others have committed since it looked. */
const leave = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    outcome: AnyEnded,
    header: string
  ) {
    const driver = yield* refreshDriver(drive.driver)
    const why = whyAsked(outcome, drive.settings)
    const content = why === null || drive.isAmid === true ? {} : { content: yield* presentIdentity(drive.run.manifest) }
    const asks = why === null ? {} : { why: brief(why, mostWhy), ...content }
    return yield* record({ ...drive, driver }, [
      { ...left(drive, header, outcome), ...asks }
    ])
  }
)

// What a policy does by the rules of all.

/** Ends the call for a signal. A person's signal ends the agents and tests too; what they have changed stays. */
export const interrupted = Effect.fn("Kernel.interrupted")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(before: D & Drive<S, X>, signal: SignalName) {
    // The stream that was read before lacks what the work committed until it was interrupted.
    const drive = yield* caughtUp(before)
    return over(signal === "SIGINT" ? yield* stopWork(drive, "Interrupt") : drive, aborted)
  }
)

/** Warns of a budget. */
export const warn = <S extends DrivenState, X extends TaggedEvent, D>(
  drive: D & Drive<S, X>,
  { budget, limit, used }: Decided<"Warn">
) => record(drive, [{ _tag: "BudgetWarned", budget, used, limit }])

/** Runs a test of a round, or takes its end. What it changes in the worktree belongs to its round. */
export const test = Effect.fn("Kernel.test")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    { command, round, running }: Decided<"Test">
  ) {
    // A person may have worked since the round's last agent, if no driver was there.
    if (round > 0 && running === null) yield* countToRound(drive, round, { _tag: "BeforeTests" })
    const { manifest: { worktree }, ref } = drive.run
    const gitDirectories = Snapshots.use((all) => all.gitDirectories(ref, worktree))
    const before = running === null ? yield* gitDirectories : null
    const ended = yield* waitFor(runTest(drive, round, command, running))
    const left = round > 0 ? yield* countToRound(drive, round, { _tag: "AfterTests" }) : null
    if (isSignal(ended)) return yield* interrupted(drive, ended)
    const missed = endMissed("Test", ended.driver.state.tests.length, left)
    const after = missed.length === 0 ? ended : yield* record(ended, missed)
    const changed = before === null ? [] : changedParts(before, yield* gitDirectories)
    return changed.length === 0 ? on(after) : over(after, gitChangedEnd(changed.map(shownName), "a test ran"))
  }
)

/** Commits the work of a round. A signal or `stop` ends git and its hooks. */
export const commit = Effect.fn("Kernel.commit")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    { agent, round }: Decided<"Commit">,
    message: string
  ) {
    const { run: { manifest: { worktree }, ref } } = drive
    const refused = yield* otherBranch(drive.driver.state, worktree)
    if (refused !== null) return over(drive, refused)
    const { commits, started: { content: { head = null } } } = yield* roundOf<RoundState>(drive, round)
    const { commitAll, left } = yield* Commits
    const isAgain = commits.some((one) => one.agent === agent && one.changed)
    const committed = Effect.gen(function*() {
      const made = yield* commitAll(worktree, message, head)
      // What hooks changed is committed once more.
      const isWhole = made.commit !== null && (made.changed === undefined || isAgain)
      return { made, lacks: isWhole ? yield* left(worktree) : null }
    })
    const ended = yield* waitFor(unlessStopped(drive, committed))
    if (isSignal(ended)) return yield* interrupted(drive, ended)
    if (ended === null) return over(yield* caughtUp(drive), aborted)
    // No commit is recorded, so the next call commits again.
    if (ended.lacks !== null) {
      return over({ ...yield* caughtUp(drive), isAmid: true as const }, uncommittedEnd(ended.lacks))
    }
    const { output: said, ...made } = ended.made
    const output = yield* keepLong(ref, said)
    return on(yield* record(drive, [{ _tag: "FixesCommitted", round, agent, output, ...made }]))
  }
)

/** A turn that counts for the end of a round, unless protected files were changed: then a person looks at them. */
export const unlessProtected = Effect.fnUntraced(
  function*<D extends AnyDrive, A, E, R>(drive: D, turn: Effect.Effect<A, E, R>) {
    const files = yield* protectedFiles(drive)
    return files.length === 0 ? yield* turn : over(drive, protectedEnd(files))
  }
)

// Asking agents.

const limitsOf = ({ agentTimeout }: AnyDrive["settings"]) => ({ ...defaultLimits, timeout: agentTimeout })

/** What every agent of a drive is asked with, beside its own `task`. */
export const orderOf = <T extends Partial<AgentTask>>(
  { run: { manifest: { worktree } }, settings }: AnyDrive,
  task: T
) => ({
  task: {
    cwd: worktree,
    effort: settings.agentEffort,
    model: settings.agentModel,
    findings: null,
    limits: limitsOf(settings),
    ...task
  },
  allow: settings.allow,
  waitQuota: settings.waitQuota,
  ...(settings.maxTokens === null ? {} : { budget: settings.maxTokens })
} satisfies Omit<ResultOrder, "task"> & { readonly task: object })

/** What an agent said, as far as the log has it. */
export const messageOf = (agent: AgentState | null): string =>
  agent?.standing._tag === "Finished" ? agent.standing.finished.message.text : ""

/** The thread on which an agent can be continued; null where it has none. */
export const threadOf = (agent: AgentState | null): string | null =>
  agent?.standing._tag === "Finished" ? agent.standing.finished.threadId : null

/** A task of a round as its agents are asked about it. */
type RoundTask = Pick<AgentTask, "prompt" | "role" | "sandbox" | "taskId"> & Partial<AgentTask>

/**
 * The order for the next agent of a task, on a `thread` or a new one. Agents up to `after` have answered before: what
 * the last of them named as left is asked for on its own thread, with `more` behind it.
 */
export const taskOrder = (
  drive: AnyDrive,
  task: RoundTask,
  { after, fingerprints = [], more = "", thread }: {
    readonly after: number
    readonly fingerprints?: ReadonlyArray<string>
    readonly more?: string
    readonly thread: string | null
  }
) => {
  const last = drive.driver.state.agents.agents[after - 1] ?? null
  const now = last === null ? thread : threadOf(last)
  const left = last?.judged?.action === "remediate"
    ? paragraphs(finishPrompt({ taskId: task.taskId, issues: messageOf(last), fingerprints }), more)
    : null
  // An agent without a thread knows nothing of its task.
  const prompt = left === null ? task.prompt : now === null ? paragraphs(task.prompt, left) : left
  return { ...orderOf(drive, { ...task, prompt }), after, ...(now === null ? {} : { thread: now }) }
}

/** What is red after a round's last agent, for the next one on its `thread`: a test, or git that refused to commit. */
export const redPrompt = Effect.fn("Kernel.redPrompt")(
  function*(
    drive: AnyDrive,
    round: RoundState,
    taskId: string,
    thread: string | null,
    fingerprints: ReadonlyArray<string> = []
  ) {
    const { driver: { state }, settings: { fixAttempts, testTimeout } } = drive
    const again = { taskId, attempt: numberOf(taskId), of: fixAttempts, fingerprints, whole: thread === null }
    const refused = refusedCommit(state, round)
    return refused === null
      ? fixTestsPrompt({ ...again, timeout: testTimeout, ...yield* redTest(drive, round.round) })
      : fixCommitPrompt({ ...again, output: refused.output.text })
  }
)

/** The turn after an agent: its work is in the stream, from which the next decision is made. */
export const answered = <D extends AnyDrive>(
  drive: D,
  result: ResultOutcome | Unfinished
): Turn<D, Ended> => {
  // A stop is recorded before it ends the agent. If one is recorded, the agent's own end says nothing.
  if (drive.driver.state.stopAsked) return on(drive)
  switch (result._tag) {
    case "Judged":
      return on(drive)
    case "Halted":
    case "Blocked":
      return over(drive, agentFailedEnd(result))
    case "GitStateChanged":
      return over(drive, result.files.length === 0 ? gitChangedEnd(result.what) : readerChangedEnd(result))
    case "Stopped":
      return result.cause === "Superseded" ? on(drive) : over(drive, aborted)
  }
}

/** Asks an agent and waits for its end. */
export const ask = Effect.fn("Kernel.ask")(
  function*<S extends DrivenState, X extends TaggedEvent, D extends AnyDrive>(
    drive: D & Drive<S, X>,
    order: ResultOrder
  ) {
    const ended = yield* waitFor(askForResult(drive.driver, order))
    if (isSignal(ended)) return yield* interrupted(drive, ended)
    return answered({ ...drive, driver: yield* refreshDriver(ended.driver) }, ended.result)
  }
)

/** The whole answer of an agent that has finished. */
export const answerOf = ({ driver, settings }: AnyDrive, agent: number) =>
  finishedMessage(driver, agent, limitsOf(settings))
