// Dismiss: records that a finding need not block, in the log of a run or in the file of the repository.
// An existing dismissal in the same words is not written again. A failure changes nothing. Only a person dismisses: a
// process of an agent or a test is refused, and what is dismissed while they work says who did it.
import { Clock, Effect, Equal, Result, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import {
  dismissalLine,
  Dismissals,
  DismissalsFailed,
  dismissalsIn,
  dismissalsName
} from "../review/findings/Dismissals.ts"
import { dismissalOf } from "../review/findings/Waiving.ts"
import {
  dayProblem,
  type Dismissal,
  fingerprintProblem,
  reasonProblem,
  type RepoDismissal,
  type Scope
} from "../run/Dismissal.ts"
import type { Event } from "../run/Event.ts"
import type { RunRef } from "../log/Refs.ts"
import { readConverge } from "../drive/converge/State.ts"
import { workedRound } from "../drive/Tasks.ts"
import { callersHere } from "../platform/Processes.ts"
import { refuseJobs } from "../run/Jobs.ts"
import { RunStore } from "../run/RunStore.ts"
import { Git } from "../code/Git.ts"
import { Snapshots } from "../code/Snapshots.ts"
import { readHistory } from "../review/findings/Reviews.ts"
import { commit, read, type Run, transact } from "../run/Run.ts"

/** Nothing was dismissed, and nothing written. */
export class NotDismissed extends Schema.TaggedError<NotDismissed>()("NotDismissed", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

const refused = (message: string): NotDismissed => new NotDismissed({ message })

/** The run, and its findings with that fingerprint, from the last batch that reports one. */
const found = Effect.fnUntraced(
  function*(ref: RunRef, fingerprint: string) {
    const run = yield* read(ref)
    const { batches } = yield* readHistory(run)
    for (const { findings } of [...batches].reverse()) {
      const dismissal = dismissalOf(findings, fingerprint)
      if (dismissal !== null) return { run, dismissal }
    }
    return yield* refused(`no finding of run ${ref.runId} is called ${fingerprint}; findings --json names them`)
  },
  Effect.catchTag(
    "ReviewFilesFailed",
    ({ message }) => Effect.fail(refused(message))
  )
)

type Dismissing = Omit<RepoDismissal, "at">

/** Stores it in the log of the run, unless the log has the same already. */
const forRun = Effect.fnUntraced(function*(run: Run, { reason, ...dismissal }: Dismissing) {
  const event: Event = { _tag: "FindingDismissed", ...dismissal, reason: { text: reason } }
  yield* transact(run, (now) => {
    const same = (now.manifest.dismissed ?? []).some(({ at: _, scope: __, ...one }) =>
      Equal.equals(one, { ...dismissal, reason })
    )
    return same ? Effect.succeed(now) : commit(now, [event])
  })
})

/** Refuses a process of a job of the run's worktree. */
const requirePerson = Effect.fnUntraced(function*({ manifest: { worktree }, ref: { root } }: Run) {
  const others = yield* Effect.orElseSucceed((yield* RunStore).roots(null, worktree, false), () => [])
  yield* refuseJobs([root, ...others], worktree)
})

/** Who dismisses while agents or tests work on the run, in which round; null if none do. */
const inRoundOf = Effect.fnUntraced(
  function*({ ref }: Run) {
    const { state } = yield* readConverge(ref)
    const round = workedRound(state)
    return round === null ? null : { round, ...callersHere() }
  },
  Effect.catchTag("LogMissing", () => Effect.succeed(null))
)

/** Adds it to the file of the repository, unless the file has the same already. */
const forRepository = Effect.fnUntraced(function*({ ref }: Run, dismissing: Dismissing, at: string, cwd: string) {
  const repository = yield* (yield* Git).repository(cwd)
  if (repository.id !== ref.repoId) {
    return yield* refused(`run ${ref.runId} is of another repository than this one`)
  }
  const dismissals = yield* Dismissals
  const known = dismissalsIn(yield* dismissals.read(repository.root, { _tag: "Worktree" }))
  if (Result.isFailure(known)) {
    return yield* new DismissalsFailed({ reason: { _tag: "NoDismissal", line: known.failure } })
  }
  const same = known.success.some(({ at: _, scope: __, ...one }) => Equal.equals(one, dismissing))
  if (same) return
  yield* dismissals.add(repository.root, dismissalLine({ ...dismissing, at }))
  // No agent may change the file: otherwise the run would end because of it.
  yield* (yield* Snapshots).acceptProtected(ref, repository.root, dismissalsName)
})

// Undoing dismissals

/** The dismissals for a run and those of the repository around `cwd`, in that order, with expired ones. */
export const dismissalsOf = Effect.fn("Dismiss.dismissalsOf")(function*(ref: RunRef, cwd: string) {
  const run = yield* read(ref)
  const { root } = yield* (yield* Git).repository(cwd)
  const known = dismissalsIn(yield* (yield* Dismissals).read(root, { _tag: "Worktree" }))
  if (Result.isFailure(known)) {
    return yield* new DismissalsFailed({ reason: { _tag: "NoDismissal", line: known.failure } })
  }
  return [...run.manifest.dismissed ?? [], ...known.success]
})

/** Removes the dismissals of a finding from the file of the repository. */
const outOfRepository = Effect.fnUntraced(function*(ref: RunRef, fingerprint: string, cwd: string) {
  const { root } = yield* (yield* Git).repository(cwd)
  const dismissals = yield* Dismissals
  const text = yield* dismissals.read(root, { _tag: "Worktree" })
  const kept = text.split("\n").filter((line) => {
    const read = dismissalsIn(line)
    return Result.isFailure(read) || !read.success.some((one) => one.fingerprint === fingerprint)
  })
  yield* dismissals.replace(root, kept.join("\n"))
  yield* (yield* Snapshots).acceptProtected(ref, root, dismissalsName)
})

/** Takes back the dismissal of a finding: in the log of the run and, if it is the repository's, in its file too. */
export const withdrawDismissal = Effect.fn("Dismiss.withdrawDismissal")(
  function*(ref: RunRef, { fingerprint, scope }: Pick<Dismissal, "fingerprint" | "scope">, cwd: string) {
    const run = yield* read(ref)
    yield* requirePerson(run)
    if (scope === "repo") yield* outOfRepository(ref, fingerprint, cwd)
    const event: Event = { _tag: "DismissalWithdrawn", fingerprint }
    const isThere = ({ manifest }: Run) => manifest.dismissed?.some((one) => one.fingerprint === fingerprint) === true
    yield* transact(run, (now) => isThere(now) ? commit(now, [event]) : Effect.succeed(now))
  }
)

// Dismissing

/** A finding of a run by its name, the reason, the scope, and the last day; null for no end. */
export interface DismissRequest {
  readonly fingerprint: string
  readonly reason: string
  readonly until: string | null
  readonly scope: Scope
}

/** Dismisses a finding of a run; the file is that of the repository around `cwd`. Returns what was dismissed. */
export const dismissFinding = Effect.fn("Dismiss.dismissFinding")(
  function*(ref: RunRef, { fingerprint, reason, scope, until }: DismissRequest, cwd: string) {
    const problem = fingerprintProblem(fingerprint) ?? reasonProblem(reason) ??
      (until === null ? null : dayProblem(until))
    if (problem !== null) return yield* refused(problem)
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const today = now.slice(0, 10)
    if (until !== null && until < today) {
      return yield* refused(`--until ${until} is past: today is ${today} (UTC)`)
    }
    const { dismissal, run } = yield* found(ref, fingerprint)
    yield* requirePerson(run)
    const inRound = yield* inRoundOf(run)
    if (scope === "repo" && inRound !== null && (yield* (yield* RunStore).look(run.ref)).reviewersAlive) {
      return yield* refused(`agents work on run ${ref.runId}, and may not change ${dismissalsName} [use --scope run]`)
    }
    const dismissing: Dismissing = { ...dismissal, reason, until, ...(inRound === null ? {} : { inRound }) }
    if (scope === "repo") yield* forRepository(run, dismissing, now, cwd)
    // The file counts for later runs: this run reads it as it was when the run began.
    yield* forRun(run, dismissing)
    return { dismissal: dismissing, strict: run.manifest.strict !== undefined }
  }
)
