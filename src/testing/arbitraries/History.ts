// History: the log of a run as the program could have written it, with the manifest it folds to.
// Every state here is reachable: a move that the program could not make in the run's state gives no event.
import * as fc from "fast-check"
import type { Commit, LoggedEvent } from "../../log/StreamKind.ts"
import { assess, awaitingRetry, type Slot, slotsOf } from "../../run/Batch.ts"
import type { Event, EventOf, StopCause } from "../../run/Event.ts"
import type { Identity } from "../../run/Identity.ts"
import type { Level } from "../../run/Level.ts"
import { initial, type Manifest, nextBatch, replay } from "../../run/Manifest.ts"
import { decideMark, type Mark } from "../../run/Mark.ts"
import { FailureKind, isTransient } from "../../run/FailureKind.ts"
import { BranchName, reviewArguments, type Target } from "../../run/Target.ts"
import { events, logEvents } from "./Event.ts"
import { identity } from "./Fact.ts"
import { mark } from "./Invocation.ts"
import { anyOf, level, ordinal, type Overrides } from "./Values.ts"

/** A move. `pick` chooses among the running slots, `jobs` bounds how many reviewers are started at once. */
export type Move =
  | { readonly _tag: "StartBatch"; readonly size: number; readonly jobs: number; readonly identity: Identity }
  | { readonly _tag: "ChangeTarget"; readonly size: number; readonly jobs: number; readonly identity: Identity }
  | { readonly _tag: "StartDue"; readonly jobs: number }
  | { readonly _tag: "Finish"; readonly pick: number; readonly clean: boolean; readonly identity: Identity }
  | { readonly _tag: "Fail"; readonly pick: number; readonly kind: FailureKind; readonly identity: Identity }
  | { readonly _tag: "Stop"; readonly cause: "Stop" | "Interrupt" | "Fresh" }
  | { readonly _tag: "MarkRun"; readonly mark: Mark; readonly ceiling: Level }
  | { readonly _tag: "Aside"; readonly event: LoggedEvent<Event> }

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
export const eventsOf = (manifest: Manifest, move: Move): ReadonlyArray<LoggedEvent<Event>> => {
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

/** The lines of a run and the manifest they fold to. */
export interface History {
  readonly commits: ReadonlyArray<Commit<Event>>
  readonly manifest: Manifest
}

/** The time of a line: one second after the line before it. */
const at = (seq: number): string => new Date(Date.UTC(2030, 0, 1) + seq * 1000).toISOString()

/** Plays moves from the creation of a run on; moves that cannot happen leave no line. */
export const play = (created: EventOf<"RunCreated">, moves: ReadonlyArray<Move>): History => {
  const commits: Array<Commit<Event>> = [{ seq: 1, at: at(1), events: [created] }]
  let manifest = initial(created)
  for (const one of moves) {
    const line = eventsOf(manifest, one)
    if (line.length === 0) continue
    const seq = commits.length + 1
    const next: Commit<Event> = { seq, at: at(seq), events: line }
    commits.push(next)
    manifest = replay(manifest, [next])
  }
  return { commits, manifest }
}

// Most runs of a few moves stay near the floor; a climb to begin with takes them to every level.
const climb: fc.Arbitrary<ReadonlyArray<Move>> = fc.array(
  fc.constant<Move>({ _tag: "MarkRun", mark: { _tag: "AdvanceLevel" }, ceiling: "xhigh" }),
  { maxLength: 3 }
)

const anyMoves = fc.tuple(climb, fc.array(move, { maxLength: 30, size: "max" }))
  .map(([first, rest]) => [...first, ...rest])

/** A run's history; shrinks towards a run that has just been created. */
export const history = (
  overrides: {
    readonly created?: Overrides<EventOf<"RunCreated">>
    readonly moves?: fc.Arbitrary<ReadonlyArray<Move>>
  } = {}
): fc.Arbitrary<History> =>
  fc.tuple(events.RunCreated(overrides.created), overrides.moves ?? anyMoves)
    .map(([created, moves]) => play(created, moves))

/** A reachable manifest. */
export const manifest: fc.Arbitrary<Manifest> = history().map((one) => one.manifest)
