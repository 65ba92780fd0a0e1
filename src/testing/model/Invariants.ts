// Invariants: what holds after every command, each a sentence of the contract.
// Observing decides nothing: what the log and the world say is only renamed.
import { Clock, Effect, Ref } from "effect"
import { Git } from "../../code/Git.ts"
import { EventLog } from "../../log/EventLog.ts"
import { type RunRef, sameRun } from "../../log/Refs.ts"
import { attemptText, slotText } from "../../run/Refs.ts"
import type { Commit } from "../../log/StreamKind.ts"
import type { FindingKind } from "../../read/LogReader.ts"
import { audit, type AuditReport } from "../../read/audit/Audit.ts"
import type { Slot as RealSlot } from "../../run/Batch.ts"
import type { Event, EventOf } from "../../run/Event.ts"
import type { Identity } from "../../run/Identity.ts"
import { fold, type Manifest } from "../../run/Manifest.ts"
import { reviewRun } from "../../run/ReviewRun.ts"
import { RunStore } from "../../run/RunStore.ts"
import { type Target, targetKey } from "../../run/Target.ts"
import { lives, type Reviewer, World } from "../World.ts"
import { idleTimeout, type Model, retries, type Run, rungs, type Says, type Slot } from "./Model.ts"

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

/** How a scripted reviewer ends, by the files that it leaves. */
const saysOf = ({ scripted }: Reviewer): Says => {
  if (!Number.isFinite(scripted.after)) return "silence"
  if (scripted.exit !== 0) return scripted.log.includes(" 429 ") ? "transient failure" : "failure"
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

// Which reviewers live, and which a call has ended without being asked to

/** The reviewers that live now. */
export const alive = Effect.map(observe, ({ now, reviewers }) => reviewers.filter((one) => lives(one, now)))

/** The reviewers that were ended meanwhile, but for those of runs that were replaced or were about to be. */
export const endedOf = Effect.fnUntraced(function*(
  ahead: ReadonlyArray<Reviewer>,
  left: ReadonlyArray<Reviewer>,
  replaced: RunRef | null
) {
  const on = new Set(left.map(({ attempt }) => attemptText(attempt)))
  const gone = ahead.filter(({ attempt }) => !on.has(attemptText(attempt)))
  const [first] = gone
  if (first === undefined) return []
  // Where the store takes its time, the call is interrupted between the end of the reviewers of a run that it replaces
  // and the new run, or after both.
  const [newest] = yield* (yield* RunStore).runs(first.attempt.run)
  return gone.filter(({ attempt: { run } }) => run.runId === newest?.runId && run.runId !== replaced?.runId)
})

/** An invariant that does not hold. */
export class Broken extends Error {
  override readonly name = "Broken"
}

const must = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Broken(sentence)
}

const distinct = (names: ReadonlyArray<string>): boolean => new Set(names).size === names.length

const eventsOf = <Tag extends Event["_tag"]>(
  commits: ReadonlyArray<Commit<Event>>,
  tag: Tag
): ReadonlyArray<EventOf<Tag>> =>
  commits.flatMap(({ events }) => events.filter((event): event is EventOf<Tag> => event._tag === tag))

const onlyGrows = (before: Observed, { commits, run }: Observed): void => {
  if (before.run === null || run === null || !sameRun(before.run, run)) return
  const same = before.commits.every((commit, i) => JSON.stringify(commit) === JSON.stringify(commits[i]))
  must(same, "the history of a run only grows")
}

const counted = (commits: ReadonlyArray<Commit<Event>>): void => {
  commits.forEach(({ seq }, i) => must(seq === i + 1, "lines are numbered from 1 without a gap"))
  const place = ({ batch, level }: { readonly batch: number; readonly level: string }) => `${level}/${batch}`
  must(distinct(eventsOf(commits, "BatchStarted").map(place)), "a batch is started once")
  const top = new Map(eventsOf(commits, "RunCreated").map(({ startLevel }) => [startLevel, 1]))
  for (const { batch, level } of eventsOf(commits, "BatchOpened")) {
    must(batch === (top.get(level) ?? 0) + 1, `batch ${level}/${batch} is the next unused one at its level`)
    top.set(level, batch)
  }
}

const leftRecorded = (commits: ReadonlyArray<Commit<Event>>): void => {
  const open = new Set<string>()
  for (const event of commits.flatMap(({ events }) => events)) {
    const name = "attempt" in event ? `${event.level}/${event.batch}/${event.slot}` : ""
    if (event._tag === "ReviewStarted") open.add(name)
    if (event._tag === "ReviewFinished" || event._tag === "ReviewFailed" || event._tag === "ReviewStopped") {
      open.delete(name)
    }
    if (event._tag === "BatchOpened") must(open.size === 0, `the end of ${[...open].join(", ")} is recorded`)
  }
}

const withinLadder = ({ commits, manifest }: Observed): void => {
  if (manifest === null) return
  const floor = rungs.indexOf(manifest.start_level)
  const levels = [manifest.current_level, ...eventsOf(commits, "BatchOpened").map(({ level }) => level)]
  must(levels.every((level) => rungs.indexOf(level) >= floor), "no batch lies below the floor")
}

const finishedOnce = ({ commits, reviewers, run }: Observed): void => {
  if (run === null) return
  const slot = (event: EventOf<"ReviewStarted" | "ReviewFinished">) => `${event.level}/${event.batch}/${event.slot}`
  const finished = eventsOf(commits, "ReviewFinished")
  must(distinct(finished.map(slot)), "a slot has one verdict")
  for (const event of finished) {
    const { attempt, batch, level, verdict } = event
    const name = attemptText({ run, level, batch, slot: event.slot, attempt })
    const reviewer = reviewers.find((one) => attemptText(one.attempt) === name)
    const said = reviewer === undefined ? "nothing" : saysOf(reviewer)
    must(said === (verdict === "Clean" ? "clean" : "issues"), `${slot(event)} is recorded as what its reviewer said`)
    const tries = eventsOf(commits, "ReviewStarted").filter((one) => slot(one) === slot(event))
    must(tries.every((one) => one.attempt <= attempt), "a finished review is not run again")
  }
}

const startedOnce = ({ now, reviewers }: Observed): void => {
  must(distinct(reviewers.map(({ attempt }) => attemptText(attempt))), "an attempt is started once")
  const alive = reviewers.filter((one) => lives(one, now))
  must(distinct(alive.map(({ attempt }) => slotText(attempt))), "a slot has one reviewer at a time")
}

/** The living reviewers that no step will ever look at again. */
export const orphans = ({ manifest, now, reviewers, run }: Observed): ReadonlyArray<Reviewer> => {
  const batch = manifest?.batch
  const open = manifest === null || run === null || batch?._tag !== "Started" ? [] : batch.slots.flatMap((slot) => {
    const { batch_number: number, current_level: level } = manifest
    const attempt = { run, level, batch: number, slot: slot.slot, attempt: slot.attempts }
    return slot._tag === "Running" ? [attemptText(attempt)] : []
  })
  return reviewers.filter((one) => lives(one, now) && !open.includes(attemptText(one.attempt)))
}

/** Checks all of them. `known`: reviewers that a killed command has left behind. Throws Broken. */
export const check = (before: Observed, after: Observed, known: ReadonlySet<string>): void => {
  onlyGrows(before, after)
  counted(after.commits)
  leftRecorded(after.commits)
  withinLadder(after)
  startedOnce(after)
  finishedOnce(after)
  const left = orphans(after).filter(({ attempt }) => !known.has(attemptText(attempt)))
  must(
    left.length === 0,
    `no orphaned reviewer lives on: ${left.map(({ attempt }) => attemptText(attempt)).join(", ")}`
  )
}

// The histories that a sequence of commands has written, audited by the product from first line to last

// What the world does may be found: code that was edited under review, a reviewer whose step was killed before it.
const ofTheWorld: ReadonlyArray<FindingKind> = ["tree-changed", "unended"]

/** Whether a caller declared the fixed point of a run that is not strict: it may do so whatever was reviewed. */
const isCallersWord = (report: AuditReport | null): boolean =>
  report?.proof?.strict === false && report.proof.fixedPoint.by === "Mark"

/** Audits every run of the machine. Dies with Broken when something is found. */
export const sound = Effect.gen(function*() {
  const store = yield* RunStore
  for (const run of yield* store.list(yield* store.open(null, directory), null)) {
    // A run whose creator was killed before its first line is no run yet.
    const report = yield* audit(run).pipe(Effect.catchTag("LogMissing", () => Effect.succeed(null)))
    for (const word of report?.words ?? []) {
      if (word._tag !== "Found" || ofTheWorld.includes(word.finding.kind)) continue
      if (word.finding.kind === "proof" && isCallersWord(report)) continue
      return yield* Effect.die(new Broken(`audit of ${run.runId}, line ${word.finding.line}: ${word.finding.text}`))
    }
  }
})
