// Observe: the machine as it stands, read through the ports, and the same told in the model's words.
// The one rule: nothing is decided here; what the log and the world say is only renamed.
import { Clock, Effect, Ref } from "effect"
import type { Slot as RealSlot } from "../../core/run/Batch.ts"
import type { Commit } from "../../core/log/StreamKind.ts"
import type { Event } from "../../core/run/Event.ts"
import type { Identity } from "../../core/run/Identity.ts"
import { fold, type Manifest } from "../../core/run/Manifest.ts"
import { attemptText, type RunRef } from "../../core/run/Refs.ts"
import { type Target, targetKey } from "../../core/run/Target.ts"
import { reviewRun } from "../../core/run/ReviewRun.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Git } from "../../services/Git.ts"
import { RunStore } from "../../services/RunStore.ts"
import { type Reviewer, World } from "../World.ts"
import { idleTimeout, type Model, retries, type Run, type Says, type Slot } from "./Model.ts"

export const target: Target = { _tag: "Uncommitted" }
export const directory = "/repo"

/** The machine at one moment, with the run that is current, if any. */
export interface Observed {
  readonly run: RunRef | null
  readonly commits: ReadonlyArray<Commit<Event>>
  readonly manifest: Manifest | null
  readonly reviewers: ReadonlyArray<Reviewer>
  readonly code: string
  readonly now: number
}

/** Looks at the machine between two commands. */
export const observe = Effect.gen(function*() {
  const world = yield* World
  const store = yield* RunStore
  const { id } = yield* (yield* Git).repository(directory)
  const root = yield* store.open(null, directory)
  const latest = yield* store.latest({ root, repoId: id, targetKey: targetKey(target) })
  const run = latest._tag === "Run" ? latest.run : null
  const commits = run === null ? [] : (yield* (yield* EventLog).read(reviewRun, run)).commits
  return {
    run,
    commits,
    manifest: fold(commits),
    reviewers: yield* Ref.get(world.reviewers),
    code: yield* Ref.get(world.code),
    now: yield* Clock.currentTimeMillis
  } satisfies Observed
})

/** How a scripted reviewer ends, told from the files that it leaves. */
export const saysOf = ({ scripted }: Reviewer): Says => {
  if (!Number.isFinite(scripted.after)) return "silence"
  if (scripted.exit !== 0) return scripted.log.includes("429") ? "transient failure" : "failure"
  return scripted.out === "" ? "no review" : scripted.out.includes("[P1]") ? "issues" : "clean"
}

const slotOf = (
  slot: RealSlot,
  batch: { readonly failedAt: number },
  reviewer: Reviewer | undefined,
  now: number
): Slot => {
  const { attempts, tries } = slot
  switch (slot._tag) {
    case "Queued":
      return { is: "queued", attempts }
    case "Running": {
      if (reviewer === undefined) {
        return { is: "running", attempts, tries, says: "nothing, for it was never started", endsAt: now }
      }
      const says = saysOf(reviewer)
      const endsAt = says === "silence" ? reviewer.startedAt + idleTimeout : reviewer.endsAt
      return { is: "running", attempts, tries, says, endsAt }
    }
    case "Finished":
      return { is: slot.verdict === "Clean" ? "clean" : "issues", attempts }
    case "Failed":
      return slot.transient && slot.tries <= retries && batch.failedAt === 0
        ? { is: "retrying", attempts, tries }
        : { is: "failed", attempts }
  }
}

const codeOf = (identity: Identity | null): string | null => identity?._tag === "Known" ? identity.tree : null

const runOf = ({ manifest, now, reviewers, run }: Observed): Run | null => {
  if (manifest === null || run === null) return null
  const { batch, batch_number, current_level } = manifest
  const reviewerOf = (slot: RealSlot) => {
    const attempt = { run, level: current_level, batch: batch_number, slot: slot.slot, attempt: slot.attempts }
    return reviewers.find((one) => attemptText(one.attempt) === attemptText(attempt))
  }
  const started = batch._tag === "Started" ? batch : null
  return {
    floor: manifest.start_level,
    level: current_level,
    batch: batch_number,
    top: manifest.opened,
    history: manifest.level_history.map(({ batch_number: number, level, outcome }) =>
      `${level}/${number} ${outcome._tag}${outcome._tag === "Addressed" ? ` ${outcome.count}` : ""}`
    ),
    slots: started === null ? null : started.slots.map((slot) => slotOf(slot, started, reviewerOf(slot), now)),
    began: codeOf(started?.identity ?? null),
    ended: codeOf(started?.completed ?? null),
    reported: (started?.failedAt ?? 0) > 0,
    fixed: manifest.fixed_point !== null
  }
}

/** The machine in the model's words. */
export const modelOf = (observed: Observed): Model => ({
  run: runOf(observed),
  code: observed.code,
  now: observed.now
})
