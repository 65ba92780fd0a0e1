// Executor: runs one review that a fleet delivered, on this machine, as a step runs its own.
// A review is handed in only if it was read in the pinned copy, and only under the newest token.
import { Clock, Effect, Redacted, Schedule } from "effect"
import type { AttemptRef } from "../run/Refs.ts"
import type { Variables } from "../platform/Environment.ts"
import { note, recovered } from "../platform/Note.ts"
import { isAway } from "../platform/SystemFault.ts"
import { overdue } from "../review/Limits.ts"
import { ReviewFiles } from "../review/ReviewFiles.ts"
import { Reviewers } from "../review/Reviewers.ts"
import { judge } from "../review/verdict/Judge.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import { StoreFailed } from "../run/RunStore.ts"
import type { Settings } from "../run/Settings.ts"
import { areOfReview } from "../run/Target.ts"
import { isNoUsage } from "../run/Usage.ts"
import { Deliveries, type Delivery, type DeliveryEnd, Workbench } from "./Deliveries.ts"
import { type Submission, Submissions } from "./Submission.ts"
import { type TreeFailed, WorkingTrees } from "./WorkingTrees.ts"

// Variables that no reviewer needs: the store and its server, and git's settings, which are the same on every machine.
// All git settings are removed together, because git fails if one is missing.
const ofFleet = /^(OODA_.*|PG[A-Z]+|GIT_CONFIG_(COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The passwords in the URL of a database, as written and decoded; none for any other text. */
const passwordsIn = (text: string): ReadonlyArray<string> => {
  if (!/^postgres(ql)?:/i.test(text) || !URL.canParse(text)) return []
  const { password, searchParams } = new URL(text)
  return [password, decoded(password), searchParams.get("password") ?? ""].filter((one) => one !== "")
}

/**
 * The variables of a worker that its reviewers may get: without secrets of the fleet, even if they do not look like one.
 * A password may be a usual word, so only a variable that is exactly the password is removed.
 */
export const reviewersVariables = (variables: Variables, url: Redacted.Redacted): Variables => {
  const { OODA_FETCH_TOKEN, OODA_STORE, PGPASSWORD } = variables
  const texts = [Redacted.value(url), OODA_STORE ?? "", OODA_FETCH_TOKEN ?? ""].filter((text) => text !== "")
  const passwords = new Set([PGPASSWORD ?? "", ...texts.flatMap(passwordsIn)].filter((text) => text !== ""))
  const isSecret = (value: string): boolean => passwords.has(value) || texts.some((text) => value.includes(text))
  const shown = Object.entries(variables).filter(([name, value = ""]) => !ofFleet.test(name) && !isSecret(value))
  return { ...Object.fromEntries(shown), GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
}

// Milliseconds between two looks at a reviewer, in case its end is not signalled.
const lookEvery = 2000

/**
 * How often a machine reports the progress of its reviews, and how long they may be silent, in milliseconds; and its
 * codex: an absolute path, or a name on the PATH.
 */
export interface ExecuteOptions extends Pick<Settings, "codexBin" | "idleTimeout"> {
  readonly tellEvery: number
}

/** Whether a failure comes from a database that may answer again later. */
export const isStoreAway = (error: { readonly _tag: string }): boolean =>
  error instanceof StoreFailed && error.reason._tag === "DatabaseRefused" && isAway(error.reason)

/** Retries until the database answers. A finished review is worth waiting for. */
const persistently = <A, R>(asked: Effect.Effect<A, StoreFailed, R>): Effect.Effect<A, StoreFailed, R> =>
  Effect.retry(asked, {
    while: isStoreAway,
    schedule: Schedule.min([Schedule.exponential(200), Schedule.spaced(5000)])
  })

/** The submission whose copy an attempt reviews. */
const submissionOf = Effect.fnUntraced(function*({ attempt, launch }: Delivery) {
  const pins = yield* (yield* Submissions).pins(attempt.run)
  const pinned = pins.find(({ tree }) => tree === launch.cwd)
  if (pinned === undefined) return yield* new StoreFailed({ path: launch.cwd, reason: { _tag: "NotARun" } })
  const { branch, pr: number } = pinned.submission
  if (areOfReview(launch.argv, { _tag: "PullRequest", number }, branch, attempt.level)) return pinned.submission
  // This machine's codex takes no other arguments from the store: they could lift its sandbox.
  const why = "the arguments of a review are not those of one"
  return yield* new StoreFailed({ path: "the reviews of the fleet", reason: { _tag: "RowRefused", why } })
})

/** Waits until a reviewer has ended; null if another executor has the review. */
const awaited = Effect.fnUntraced(
  function*(delivery: Delivery, attempt: AttemptRef, { idleTimeout, tellEvery }: ExecuteOptions) {
    const reviewers = yield* Reviewers
    const deliveries = yield* Deliveries
    const nextEnd = yield* reviewers.listen(attempt)
    let toldAt = yield* Clock.currentTimeMillis
    while (true) {
      const [state] = yield* reviewers.look([attempt])
      if (state === undefined || state._tag !== "Alive") return state ?? null
      if (state.answered === true) {
        yield* reviewers.stop([attempt])
        continue
      }
      const now = yield* Clock.currentTimeMillis
      if (now - toldAt >= tellEvery) {
        toldAt = now
        const limits = { idleTimeout, retries: 0 }
        // If the database is away, the review continues.
        const isOurs = yield* deliveries.seen(delivery, state, overdue(state, limits) !== null).pipe(
          Effect.catch((error) => Effect.as(recovered("its progress was not recorded")(error), true))
        )
        if (!isOurs) return null
      }
      yield* nextEnd([attempt], Math.min(lookEvery, tellEvery))
    }
  },
  Effect.scoped
)

/** Whether a tree differs from the pinned one, so that a second check is useless. */
const isChanged = ({ reason }: TreeFailed): boolean => reason._tag === "TreeChanged" || reason._tag === "TreeReplaced"

const checkAgain = { while: (error: TreeFailed) => !isChanged(error), schedule: Schedule.spaced(2000), times: 3 }

/** What is handed in about a reviewer that has ended. */
const handedIn = Effect.fnUntraced(
  function*(
    attempt: AttemptRef,
    state: Exclude<ReviewerState, { readonly _tag: "Alive" }>,
    submission: Submission,
    which: string
  ) {
    const evidence = yield* (yield* ReviewFiles).evidence(attempt)
    const { session, usage } = evidence
    const files = yield* (yield* Workbench).left(attempt)
    // Drop a review unless it is proven that it read exactly the pinned commit.
    const checked = yield* Effect.retry((yield* WorkingTrees).check(submission, which), checkAgain).pipe(
      Effect.result
    )
    if (checked._tag === "Failure" && !isChanged(checked.failure)) return yield* checked.failure
    if (checked._tag === "Failure") {
      yield* note("the copy has changed under a review", { why: checked.failure.message })
    }
    const judged = state._tag === "Exited" ? judge(evidence, state.status) : null
    const ended: DeliveryEnd = {
      state: checked._tag === "Failure" ? { _tag: "Lost" } : state,
      emptySession: session._tag === "Found" && session.output === null,
      usage: usage === undefined || isNoUsage(usage) ? null : usage,
      files: checked._tag === "Failure" ? [] : files
    }
    return { ended, rateLimited: judged?._tag === "Failed" && judged.kind === "RateLimited" }
  }
)

/**
 * Runs the review of a delivery to its end and hands it in; `begun` runs as soon as its reviewer does. Returns whether
 * it was kept, and whether the account's provider has limited it. However this ends, no process of the review is left.
 */
export const execute = Effect.fn("Executor.execute")(
  function*(delivery: Delivery, executing: ExecuteOptions, begun: Effect.Effect<void>) {
    const reviewers = yield* Reviewers
    const workbench = yield* Workbench
    const submission = yield* submissionOf(delivery)
    const trees = yield* WorkingTrees
    const tree = yield* trees.open(submission)
    const which = yield* trees.which(submission)
    const { launch } = delivery
    // Looked up from the root, never in the copy.
    const binary = yield* reviewers.locate(executing.codexBin, "/")
    const attempt = yield* workbench.open(delivery)
    const ran = Effect.gen(function*() {
      // Another worker runs a dead worker's reviews again, and the server frees its places of the account at once.
      yield* Effect.uninterruptible(reviewers.launch([attempt], { ...launch, binary, cwd: tree }, { tied: true }))
      yield* begun
      const state = yield* awaited(delivery, attempt, executing)
      if (state === null) return { isKept: false, rateLimited: false }
      const { ended, rateLimited } = yield* handedIn(attempt, state, submission, which)
      return { isKept: yield* persistently((yield* Deliveries).ended(delivery, ended)), rateLimited }
    })
    return yield* Effect.ensuring(ran, Effect.ignore(cleared(attempt)))
  }
)

/** Ends the processes that an attempt has left, and removes its directory. */
const cleared = Effect.fn("Executor.cleared")(function*(attempt: AttemptRef) {
  yield* (yield* Reviewers).stop([attempt])
  yield* (yield* Workbench).close(attempt)
})

/** Ends the processes that a killed worker has left. */
export const clearLeftovers = Effect.gen(function*() {
  const found = yield* (yield* Workbench).found
  yield* Effect.forEach(found, cleared, { discard: true })
  return found.length
}).pipe(Effect.withSpan("Executor.clearedBefore"))
