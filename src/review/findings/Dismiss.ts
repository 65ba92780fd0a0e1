// Dismiss: records that a finding need not block, in the log of a run or in the file of the repository.
// A dismissal that exists already in the same words is not written again. A failure changes nothing.
import { Clock, Effect, Equal, Result, Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import { dismissalLine, Dismissals, DismissalsFailed, dismissalsIn } from "./Dismissals.ts"
import { dismissalOf } from "./Waiving.ts"
import { dayProblem, fingerprintProblem, reasonProblem, type RepoDismissal, type Scope } from "../../run/Dismissal.ts"
import type { Event } from "../../run/Event.ts"
import { fold } from "../../run/Manifest.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import type { RunRef } from "../../log/Refs.ts"
import { reviewRun } from "../../run/ReviewRun.ts"
import { EventLog } from "../../log/EventLog.ts"
import { Git } from "../../code/Git.ts"
import { ReviewFilesFailed } from "../ReviewFiles.ts"
import { readHistory } from "./Reviews.ts"
import { commit, type Run, transact } from "../../run/Run.ts"

const reasonText = (reason: NotDismissedReason): string => {
  switch (reason._tag) {
    case "Refused":
      return reason.problem
    case "NotBegun":
      return `the log of run ${reason.run} has no beginning`
    case "OfPlan":
      return `run ${reason.run} works through a plan: it has no findings [name a run of reviews]`
    case "NoFinding":
      return `no finding of run ${reason.run} is called ${reason.fingerprint}; findings --json names them`
    case "Past":
      return `--until ${reason.until} is past: today is ${reason.today} (UTC)`
    case "OtherRepository":
      return `run ${reason.run} is of another repository than this one`
    case "Unreadable":
      return reason.error.message
  }
}

const NotDismissedReason = Schema.Union([
  Schema.TaggedStruct("Refused", { problem: Schema.String }),
  Schema.TaggedStruct("NotBegun", { run: Schema.String }),
  Schema.TaggedStruct("OfPlan", { run: Schema.String }),
  Schema.TaggedStruct("NoFinding", { run: Schema.String, fingerprint: Schema.String }),
  Schema.TaggedStruct("Past", { until: Schema.String, today: Schema.String }),
  Schema.TaggedStruct("OtherRepository", { run: Schema.String }),
  Schema.TaggedStruct("Unreadable", { error: ReviewFilesFailed })
])
type NotDismissedReason = typeof NotDismissedReason.Type

/** Nothing was dismissed, and nothing written. */
export class NotDismissed extends Schema.TaggedError<NotDismissed>()("NotDismissed", { reason: NotDismissedReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason)
  }
}

/** The run, and its findings with that fingerprint, from the last batch that reports one. */
const found = Effect.fnUntraced(
  function*(ref: RunRef, fingerprint: string) {
    if (isPlanRun(ref)) return yield* new NotDismissed({ reason: { _tag: "OfPlan", run: ref.runId } })
    const { commits, head } = yield* (yield* EventLog).read(reviewRun, ref)
    const manifest = fold(commits)
    if (manifest === null) return yield* new NotDismissed({ reason: { _tag: "NotBegun", run: ref.runId } })
    const run: Run = { ref, manifest, head }
    const { batches } = yield* readHistory(run)
    for (const { findings } of [...batches].reverse()) {
      const dismissal = dismissalOf(findings, fingerprint)
      if (dismissal !== null) return { run, dismissal }
    }
    return yield* new NotDismissed({ reason: { _tag: "NoFinding", run: ref.runId, fingerprint } })
  },
  Effect.catchTag(
    "ReviewFilesFailed",
    (error) => Effect.fail(new NotDismissed({ reason: { _tag: "Unreadable", error } }))
  )
)

type Dismissing = Omit<RepoDismissal, "at">

/** Keeps it in the log of the run, unless the log says the same already. */
const forRun = Effect.fnUntraced(function*(run: Run, { reason, ...dismissal }: Dismissing) {
  const event: Event = { _tag: "FindingDismissed", ...dismissal, reason: { text: reason } }
  yield* transact(run, (read) => {
    const same = (read.manifest.dismissed ?? []).some(({ at: _, scope: __, ...one }) =>
      Equal.equals(one, { ...dismissal, reason })
    )
    return same ? Effect.succeed(read) : commit(read, [event])
  })
})

/** Adds it to the file of the repository, unless that says the same already. */
const forRepository = Effect.fnUntraced(function*({ ref }: Run, dismissing: Dismissing, at: string, cwd: string) {
  const repository = yield* (yield* Git).repository(cwd)
  if (repository.id !== ref.repoId) {
    return yield* new NotDismissed({ reason: { _tag: "OtherRepository", run: ref.runId } })
  }
  const dismissals = yield* Dismissals
  const known = dismissalsIn(yield* dismissals.read(repository.root, { _tag: "Worktree" }))
  if (Result.isFailure(known)) {
    return yield* new DismissalsFailed({ reason: { _tag: "NoDismissal", line: known.failure } })
  }
  const same = known.success.some(({ at: _, scope: __, ...one }) => Equal.equals(one, dismissing))
  if (!same) yield* dismissals.add(repository.root, dismissalLine({ ...dismissing, at }))
})

/** A finding of a run by its name, why it is not to block, for what, and the last day; null for one without an end. */
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
    if (problem !== null) return yield* new NotDismissed({ reason: { _tag: "Refused", problem } })
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const today = now.slice(0, 10)
    if (until !== null && until < today) {
      return yield* new NotDismissed({ reason: { _tag: "Past", until, today } })
    }
    const { dismissal, run } = yield* found(ref, fingerprint)
    const dismissing: Dismissing = { ...dismissal, reason, until }
    yield* scope === "run" ? forRun(run, dismissing) : forRepository(run, dismissing, now, cwd)
    return { dismissal: dismissing, strict: run.manifest.strict !== undefined }
  }
)
