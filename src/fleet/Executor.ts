// Executor: runs one review that a fleet delivered, on this machine, as a step runs its own.
// It hands in a review only if it was read in the pinned copy, and only while the delivery is still its own.
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
import { isNoUsage } from "../run/Usage.ts"
import { Deliveries, type Delivery, type DeliveryEnd, Workbench } from "./Deliveries.ts"
import { type Submission, Submissions } from "./Submission.ts"
import { type TreeFailed, WorkingTrees } from "./WorkingTrees.ts"

// What a reviewer has no use for: the store and its server, and git's settings, which are the same on every machine.
// They go as a whole, because git works no more where one of them is missing.
const ofFleet = /^(OODA_.*|PG[A-Z]+|GIT_CONFIG_(COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The passwords in the URL of a database, as it is written there and as it is meant; none for any other text. */
const passwordsIn = (text: string): ReadonlyArray<string> => {
  if (!/^postgres(ql)?:/i.test(text) || !URL.canParse(text)) return []
  const { password, searchParams } = new URL(text)
  return [password, decoded(password), searchParams.get("password") ?? ""].filter((one) => one !== "")
}

/**
 * The variables of a worker that its reviewers get, without what holds a secret of its fleet, whatever it is called. A
 * password may be a usual word: only a variable that is no more than that, or a URL with it, holds the password.
 */
export const reviewersVariables = (variables: Variables, url: Redacted.Redacted): Variables => {
  const { OODA_FETCH_TOKEN, OODA_STORE, PGPASSWORD } = variables
  const texts = [Redacted.value(url), OODA_STORE ?? "", OODA_FETCH_TOKEN ?? ""].filter((text) => text !== "")
  const passwords = new Set([PGPASSWORD ?? "", ...texts.flatMap(passwordsIn)].filter((text) => text !== ""))
  const isSecret = (value: string): boolean =>
    passwords.has(value) || passwordsIn(value).some((one) => passwords.has(one)) ||
    texts.some((text) => value.includes(text))
  const shown = Object.entries(variables).filter(([name, value = ""]) => !ofFleet.test(name) && !isSecret(value))
  return { ...Object.fromEntries(shown), GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
}

// Milliseconds between two looks at a reviewer whose end is heard of anyway.
const lookEvery = 2000

/**
 * How often a machine tells how far its reviews are, in milliseconds, how long they may be silent, and its codex: a
 * path from the root, or a name on the PATH.
 */
export interface ExecuteOptions extends Pick<Settings, "codexBin" | "idleTimeout"> {
  readonly tellEvery: number
}

/** Whether a failure is that of a database which may answer when it is asked again. */
export const isStoreAway = (error: { readonly _tag: string }): boolean =>
  error instanceof StoreFailed && error.reason._tag === "DatabaseRefused" && isAway(error.reason)

/** Asks until the database answers. What has been reviewed is worth waiting for. */
const persistently = <A, R>(asked: Effect.Effect<A, StoreFailed, R>): Effect.Effect<A, StoreFailed, R> =>
  Effect.retry(asked, {
    while: isStoreAway,
    schedule: Schedule.min([Schedule.exponential(200), Schedule.spaced(5000)])
  })

/** The submission whose copy an attempt reviews. */
const submissionOf = Effect.fnUntraced(function*({ attempt, launch }: Delivery) {
  const pins = yield* (yield* Submissions).pins(attempt.run)
  const pinned = pins.find(({ tree }) => tree === launch.cwd)
  if (pinned !== undefined) return pinned.submission
  return yield* new StoreFailed({ path: launch.cwd, reason: { _tag: "NotARun" } })
})

/** Waits until a reviewer has ended; null where the review is not this executor's any more. */
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
        // A database that is away takes nothing from anybody: the review goes on.
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

/** Whether a tree is another one than was pinned, which no second look changes. */
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
 * Runs the review of a delivery to its end and hands it in; `begun` as soon as its reviewer runs. Says whether it was
 * kept, and whether the provider of the account asked for less. Where this ends before, whatever ends it, nothing of
 * the review goes on running.
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
    // Never below the copy, whatever lies there.
    const binary = yield* reviewers.locate(executing.codexBin, "/")
    const attempt = yield* workbench.open(delivery)
    const ran = Effect.gen(function*() {
      // A dead worker's reviews are run anew by another one, and the server frees its places of the account at once.
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

/** Ends what an attempt has left running, and removes its place. */
const cleared = Effect.fn("Executor.cleared")(function*(attempt: AttemptRef) {
  yield* (yield* Reviewers).stop([attempt])
  yield* (yield* Workbench).close(attempt)
})

/** Ends what a worker that was killed has left running. */
export const clearLeftovers = Effect.gen(function*() {
  const found = yield* (yield* Workbench).found
  yield* Effect.forEach(found, cleared, { discard: true })
  return found.length
}).pipe(Effect.withSpan("Executor.clearedBefore"))
