// Move: one thing that can happen to a run, as the program would record it.
// A move that the program could not make in the run's state gives no event.
import * as fc from "fast-check"
import { assess, awaitingRetry, type Slot, slotsOf } from "../../core/run/Batch.ts"
import type { Logged } from "../../core/log/LogEvent.ts"
import type { Event, StopCause } from "../../core/run/Event.ts"
import type { Identity } from "../../core/run/Identity.ts"
import { FailureKind, isTransient } from "../../core/run/FailureKind.ts"
import type { Level } from "../../core/run/Level.ts"
import { type Manifest, nextBatch, replay } from "../../core/run/Manifest.ts"
import { decideMark, type Mark } from "../../core/loop/Mark.ts"
import { BranchName, reviewArguments, type Target } from "../../core/run/Target.ts"
import { events, logEvents } from "./Event.ts"
import { identity } from "./Fact.ts"
import { anyOf } from "./Fields.ts"
import { level } from "./Ladder.ts"
import { mark } from "./Mark.ts"
import { ordinal } from "./Text.ts"

/** A move. `pick` chooses among the running slots, `jobs` bounds how many reviewers are started at once. */
export type Move =
  | { readonly _tag: "StartBatch"; readonly size: number; readonly jobs: number; readonly identity: Identity }
  | { readonly _tag: "ChangeTarget"; readonly size: number; readonly jobs: number; readonly identity: Identity }
  | { readonly _tag: "StartDue"; readonly jobs: number }
  | { readonly _tag: "Finish"; readonly pick: number; readonly clean: boolean; readonly identity: Identity }
  | { readonly _tag: "Fail"; readonly pick: number; readonly kind: FailureKind; readonly identity: Identity }
  | { readonly _tag: "Stop"; readonly cause: "Stop" | "Interrupt" | "Fresh" }
  | { readonly _tag: "MarkRun"; readonly mark: Mark; readonly ceiling: Level }
  | { readonly _tag: "Aside"; readonly event: Logged<Event> }

/** How often the moves retry a transient failure. */
const retries = 1

const size = ordinal(3)
const jobs = ordinal(3)
const pick = fc.nat({ max: 2 })
const plain = { noNullPrototype: true }

/** Any move; shrinks towards the start of a batch. */
export const move: fc.Arbitrary<Move> = anyOf<Move>(
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("StartBatch"), size, jobs, identity }, plain) },
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("Finish"), pick, clean: fc.boolean(), identity }, plain) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("StartDue"), jobs }, plain) },
  {
    weight: 2,
    arbitrary: fc.record(
      { _tag: fc.constant("Fail"), pick, kind: fc.constantFrom(...FailureKind.literals), identity },
      plain
    )
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("MarkRun"), mark, ceiling: level }, plain) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant("Stop"), cause: fc.constantFrom("Stop", "Interrupt", "Fresh") }, plain)
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("ChangeTarget"), size, jobs, identity }, plain) },
  {
    weight: 1,
    arbitrary: fc.record(
      { _tag: fc.constant("Aside"), event: fc.oneof(events.StepAborted(), logEvents.TailRepaired()) },
      plain
    )
  }
)

const preview = (manifest: Manifest, line: ReadonlyArray<Event>): Manifest =>
  replay(manifest, [{ seq: 0, at: "", events: line }])

const place = (manifest: Manifest) => ({ level: manifest.current_level, batch: manifest.batch_number })

const due = ({ batch }: Manifest): ReadonlyArray<Slot> => {
  if (batch._tag === "NotStarted") return []
  const again = batch.failedAt > 0 ? slotsOf(batch, "Failed") : awaitingRetry(batch, retries)
  return [...slotsOf(batch, "Queued"), ...again]
}

const started = (manifest: Manifest, most: number): ReadonlyArray<Event> =>
  due(manifest).slice(0, most).map(({ attempts, slot }): Event => ({
    _tag: "ReviewStarted",
    ...place(manifest),
    slot,
    attempt: attempts + 1,
    id: `${manifest.current_level}-${manifest.batch_number}-${slot}-${attempts + 1}`
  }))

/** What a batch is reviewed against; a pull request's base has been asked for. */
const baseOf = (target: Target): BranchName | null =>
  target._tag === "Base" ? target.branch : target._tag === "PullRequest" ? BranchName.make("main") : null

/** What is seen of a target: a commit says all by itself, and everything else has files. */
const asSeen = ({ target }: Manifest, identity: Identity): Identity => {
  if (identity._tag === "Unknown") return identity
  return target._tag === "Commit"
    ? { ...identity, head: target.sha }
    : { ...identity, tree: identity.tree ?? "c".repeat(40) }
}

const batchStarted = (
  manifest: Manifest,
  { identity, jobs, size }: { readonly size: number; readonly jobs: number; readonly identity: Identity }
): ReadonlyArray<Event> => {
  const base = baseOf(manifest.target)
  const argv = reviewArguments(manifest.target, base, manifest.current_level)
  const seen = asSeen(manifest, identity)
  const lead: Event = { _tag: "BatchStarted", ...place(manifest), size, base, argv, identity: seen }
  return [lead, ...started(preview(manifest, [lead]), jobs)]
}

/** What a stop ends: running reviewers, failures that wait for a retry, else the slot whose turn is next. */
const underWay = ({ batch }: Manifest): ReadonlyArray<Slot> => {
  if (batch._tag === "NotStarted") return []
  const open = [...slotsOf(batch, "Running"), ...awaitingRetry(batch, retries)]
  return open.length > 0 || batch.stopped ? open : slotsOf(batch, "Queued").slice(0, 1)
}

/** The event, and what settles the batch once it is in. */
const settled = (manifest: Manifest, event: Event, now: Identity): ReadonlyArray<Event> => {
  const next = preview(manifest, [event])
  const status = assess(next.batch, retries)
  const seen = asSeen(manifest, now)
  if (status._tag === "Complete") return [event, { _tag: "BatchCompleted", ...place(next), identity: seen }]
  if (status._tag !== "Failed") return [event]
  return [event, { _tag: "BatchFailed", ...place(next), slots: status.failed.map(({ slot }) => slot) }]
}

const file = { algorithm: "sha256", hex: "", bytes: 0 } as const

/** The events of the one line that a move commits; none when it cannot happen now. */
export const eventsOf = (manifest: Manifest, move: Move): ReadonlyArray<Logged<Event>> => {
  const { batch } = manifest
  const running = batch._tag === "NotStarted" ? [] : slotsOf(batch, "Running")
  const stops = (cause: StopCause): ReadonlyArray<Event> =>
    underWay(manifest).map(({ attempts, slot }) => ({
      _tag: "ReviewStopped",
      ...place(manifest),
      slot,
      attempt: Math.max(1, attempts),
      cause
    }))
  switch (move._tag) {
    case "StartBatch":
      return batch._tag === "NotStarted" ? batchStarted(manifest, move) : []
    case "ChangeTarget": {
      if (batch._tag === "NotStarted" || underWay(manifest).length > 0) return []
      const { current_level } = manifest
      const opened: Event = {
        _tag: "BatchOpened",
        level: current_level,
        batch: nextBatch(manifest, current_level),
        from: current_level,
        cause: "TargetChanged"
      }
      return [opened, ...batchStarted(preview(manifest, [opened]), move)]
    }
    case "StartDue":
      return started(manifest, move.jobs)
    case "Finish":
    case "Fail": {
      const slot = running[move.pick % Math.max(1, running.length)]
      if (slot === undefined) return []
      const attempt = { ...place(manifest), slot: slot.slot, attempt: slot.attempts }
      if (move._tag === "Fail") {
        const { kind } = move
        const why = { kind, transient: isTransient(kind), message: kind, exit: 1 }
        return settled(manifest, { _tag: "ReviewFailed", ...attempt, ...why }, move.identity)
      }
      const review: Event = {
        _tag: "ReviewFinished",
        ...attempt,
        verdict: move.clean ? "Clean" : "HasIssues",
        reason: move.clean ? "no finding" : "a finding",
        source: "stdout",
        findings: move.clean ? 0 : 1,
        log: file,
        out: file
      }
      return settled(manifest, review, move.identity)
    }
    case "Stop":
      return stops(move.cause)
    case "MarkRun": {
      const line = decideMark(manifest, move.mark, move.ceiling).events
      return line.some((event) => event._tag === "BatchOpened") ? [...stops("Mark"), ...line] : line
    }
    case "Aside":
      return [move.event]
  }
}
