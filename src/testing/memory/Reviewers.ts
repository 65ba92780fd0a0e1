// Reviewers: reviewers in memory: scripted verdicts that are due at an instant, and the files that they leave.
// The streams are codex's own, so that the real verdict functions judge them.
import { Clock, Effect, Layer, Ref } from "effect"
import { type AttemptRef, attemptText, type ReviewRef, slotText } from "../../run/Refs.ts"
import type { SystemRefused } from "../../platform/SystemFault.ts"
import { type Evidence, type Fate, ReviewFiles, ReviewFilesFailed } from "../../review/ReviewFiles.ts"
import { type Launch, Reviewers } from "../../review/Reviewers.ts"
import { fnv1a64 } from "../../review/findings/Finding.ts"
import { type CommandCounts, transcriptReader } from "../../review/verdict/Reading.ts"
import type { Digest } from "../../run/Event.ts"
import type { ReviewerState } from "../../run/ReviewTokens.ts"
import { introduced, type Scripted } from "../Scripted.ts"
import { lives, type Reviewer, type Script, World } from "../World.ts"

/** A digest that distinguishes texts but is not secure. */
export const digestOf = (text: string): Digest => ({
  algorithm: "sha256",
  hex: fnv1a64(text).repeat(4),
  bytes: new TextEncoder().encode(text).length
})

/** Why a reviewer that was never started has no files. */
export const noSuchFile: SystemRefused = { _tag: "SystemRefused", code: "ENOENT", call: "open", said: "no such file" }

const ranIn = (log: string): CommandCounts => {
  const reader = transcriptReader()
  log.split("\n").forEach(reader.take)
  return reader.ran()
}

/** What a reviewer leaves. Its log is the whole transcript: standard error, then standard output. */
export const evidenceOf = ({ log, out, usage }: Scripted): Evidence => ({
  logHead: log,
  logTail: log,
  out,
  session: { _tag: "Absent" },
  reading: { session: null, transcript: ranIn(log) },
  digests: { log: digestOf(log + out), out: digestOf(out), review: null },
  ...(usage === undefined ? {} : { usage })
})

const exitStatus = ({ deadline, scripted, stoppedAt }: Reviewer): number =>
  deadline || stoppedAt !== null ? 143 : scripted.exit

/** The files of the reviewers that the world knows; a reviewer that was never started left none. */
export const reviewFilesLayer: Layer.Layer<ReviewFiles, never, World> = Layer.effect(
  ReviewFiles,
  Effect.map(World, ({ reviewers }) => {
    const reviewerOf = Effect.fnUntraced(function*(review: ReviewRef) {
      // A new attempt of a slot moves the files of the one before away, so the last one is meant.
      const reviewer = (yield* Ref.get(reviewers)).findLast((one) => slotText(one.attempt) === slotText(review))
      return reviewer ?? (yield* new ReviewFilesFailed({ path: attemptText(review), reason: noSuchFile }))
    })
    const evidence = (review: ReviewRef) => Effect.map(reviewerOf(review), ({ scripted }) => evidenceOf(scripted))
    return ReviewFiles.of({
      evidence,
      stored: Effect.fnUntraced(function*(review) {
        const reviewer = yield* reviewerOf(review)
        const over = !lives(reviewer, yield* Clock.currentTimeMillis)
        const { attempt: { id }, line, scripted } = reviewer
        return {
          missing: [],
          status: over ? exitStatus(reviewer) : null,
          journal: { id, line, end: null },
          joined: true,
          evidence: evidenceOf(scripted)
        }
      }),
      said: evidence,
      fate: Effect.fnUntraced(function*(review) {
        const all = yield* Ref.get(reviewers)
        const reviewer = all.find((one) => attemptText(one.attempt) === attemptText(review))
        const now = yield* Clock.currentTimeMillis
        const fate: Fate = reviewer === undefined ? "Gone" : lives(reviewer, now) ? "Alive" : "Exited"
        return fate
      })
    })
  })
)

// No fiber and no process: whether a reviewer runs is read off the clock, so virtual time moves it.

// As long as a step that has committed an attempt may still be about to start it.
const fenceAfter = 3000
// In place of that time: it can never start any more.
const fenced = Number.POSITIVE_INFINITY
const terminated = 143

const started = (attempt: AttemptRef, launch: Launch, script: Script, now: number): Reviewer => {
  const scripted = introduced(script(attempt, launch), attempt, launch)
  const deadline = scripted.after > launch.reviewTimeout
  return {
    attempt,
    scripted,
    line: launch.line,
    startedAt: now,
    endsAt: now + Math.min(scripted.after, launch.reviewTimeout),
    deadline,
    stoppedAt: null
  }
}

const seen = (reviewer: Reviewer, now: number): ReviewerState => {
  if (lives(reviewer, now)) {
    const silentFor = Number.isFinite(reviewer.scripted.after) ? 0 : now - reviewer.startedAt
    return { _tag: "Alive", silentFor, waitingForNetwork: 0, bytes: 0 }
  }
  if (reviewer.stoppedAt !== null) return { _tag: "Exited", status: terminated, deadline: false }
  const { deadline, scripted } = reviewer
  return { _tag: "Exited", status: deadline ? terminated : scripted.exit, deadline }
}

const make = Effect.gen(function*() {
  const { reviewers, script, witnessed } = yield* World
  // When an attempt without a reviewer was first looked at.
  const absent = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
  const unstarted = Effect.fnUntraced(function*(attempt: AttemptRef, now: number, acting: boolean) {
    const since = (yield* Ref.get(absent)).get(attemptText(attempt)) ?? now
    const over = since === fenced || (acting && now - since >= fenceAfter)
    yield* Ref.update(absent, (all) => new Map(all).set(attemptText(attempt), over ? fenced : since))
    const starting: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }
    return over ? { _tag: "Unstarted" } satisfies ReviewerState : starting
  })
  const end = (meant: (attempt: AttemptRef) => boolean, now: number) =>
    Ref.update(
      reviewers,
      (all) => all.map((one) => meant(one.attempt) && lives(one, now) ? { ...one, stoppedAt: now } : one)
    )
  return Reviewers.of({
    locate: (binary) => Effect.succeed(binary),
    digest: () => Effect.succeed(null),
    launch: (attempts, launch) =>
      witnessed(
        "Reviewers.launch",
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const say = yield* Ref.get(script)
          const since = yield* Ref.get(absent)
          const able = attempts.filter((attempt) => since.get(attemptText(attempt)) !== fenced)
          const slots = new Set(attempts.map(slotText))
          yield* end((attempt) => slots.has(slotText(attempt)), now)
          yield* Ref.update(reviewers, (all) => [...all, ...able.map((one) => started(one, launch, say, now))])
        })
      ),
    look: Effect.fnUntraced(function*(attempts, options) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* Ref.get(reviewers)
      return yield* Effect.forEach(attempts, (attempt) => {
        const reviewer = all.find((one) => attemptText(one.attempt) === attemptText(attempt))
        return reviewer === undefined
          ? unstarted(attempt, now, options?.acting ?? true)
          : Effect.succeed(seen(reviewer, now))
      })
    }),
    listen: () =>
      Effect.succeed(Effect.fnUntraced(function*(attempts, limit) {
        const now = yield* Clock.currentTimeMillis
        const all = yield* Ref.get(reviewers)
        const awaited = all.filter((one) => lives(one, now) && attempts.some(({ id }) => id === one.attempt.id))
        yield* Effect.sleep(Math.min(limit, ...awaited.map(({ endsAt }) => endsAt - now)))
      })),
    stop: (attempts) =>
      witnessed(
        "Reviewers.stop",
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const meant = new Set(attempts.map(attemptText))
          // A reviewer that has not begun is fenced: it can never start any more.
          const begun = new Set((yield* Ref.get(reviewers)).map((one) => attemptText(one.attempt)))
          const never = [...meant].filter((attempt) => !begun.has(attempt))
          yield* Ref.update(absent, (all) => new Map([...all, ...never.map((attempt) => [attempt, fenced] as const)]))
          const all = yield* Ref.get(reviewers)
          yield* end((attempt) => meant.has(attemptText(attempt)), now)
          return all.filter((one) => meant.has(attemptText(one.attempt)) && lives(one, now)).length
        })
      )
  })
})

/** Reviewers that follow the world's script. */
export const reviewersLayer: Layer.Layer<Reviewers, never, World> = Layer.effect(Reviewers, make)
