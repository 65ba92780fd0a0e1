// Proof: what a run proves at each level: its last batch with every review clean, and the tree those reviews saw.
// Only recorded lines count. A level that was passed without such a batch proves nothing.
import { slotsOf, type StartedBatch } from "../core/run/Batch.ts"
import { differs, type Identity } from "../core/run/Identity.ts"
import type { Event, EventOf } from "../core/run/Event.ts"
import { compare, type Level, levels } from "../core/run/Level.ts"
import type { RunState } from "../core/run/Manifest.ts"

/**
 * A batch whose reviews were all clean, or whose issues did not block. `retrospective` says whether a clean
 * retrospective was recorded for it.
 */
export interface CleanBatch {
  readonly level: Level
  readonly batch: number
  readonly line: number
  readonly reviewers: ReadonlyArray<{
    readonly slot: number
    readonly attempt: number
    readonly reason: string
    readonly read?: NonNullable<EventOf<"ReviewFinished">["read"]>
  }>
  readonly argv: ReadonlyArray<string>
  readonly started: Identity
  readonly completed: Identity
  readonly retrospective: boolean
  /** The findings that did not block, by the names in the log; none where every review was clean. */
  readonly waived: EventOf<"BatchWaived">["findings"]
  /** The batch as it stood when it was complete. */
  readonly reviews: StartedBatch
  /** Whether its reviewers read a private repository; null on a plain run whose reviewers did not. */
  readonly isolated: boolean | null
}

/** The last clean batch of each level so far, and of all levels; and the last of each level with issues. */
export interface Shown {
  readonly flawed: Readonly<Record<Level, CleanBatch | null>>
  readonly at: Readonly<Record<Level, CleanBatch | null>>
  readonly last: CleanBatch | null
  readonly fixedPoint: EventOf<"FixedPointReached"> | null
}

export const nothingShown: Shown = {
  flawed: { low: null, medium: null, high: null, xhigh: null },
  at: { low: null, medium: null, high: null, xhigh: null },
  last: null,
  fixedPoint: null
}

const completeBatch = (
  state: RunState,
  { batch, identity, level }: EventOf<"BatchCompleted">,
  line: number
): { readonly shown: CleanBatch; readonly clean: boolean } | null => {
  if (state.batch._tag === "NotStarted") return null
  const finished = slotsOf(state.batch, "Finished")
  if (finished.length < state.batch.size) return null
  const shown: CleanBatch = {
    level,
    batch,
    line,
    reviewers: finished.map(({ attempts, read, reason, slot }) => ({
      slot,
      attempt: attempts,
      reason,
      ...(read === undefined ? {} : { read })
    })),
    argv: state.batch.argv,
    started: state.batch.identity,
    completed: identity,
    retrospective: false,
    waived: [],
    reviews: state.batch,
    isolated: state.batch.isolated !== undefined ? true : state.strict === undefined ? null : false
  }
  return { shown, clean: finished.every(({ verdict }) => verdict === "Clean") }
}

const put = (shown: Shown, clean: CleanBatch): Shown => ({
  ...shown,
  at: { ...shown.at, [clean.level]: clean },
  last: clean.line >= (shown.last?.line ?? 0) ? clean : shown.last
})

const withFlawed = (shown: Shown, flawed: CleanBatch): Shown => ({
  ...shown,
  flawed: { ...shown.flawed, [flawed.level]: flawed }
})

/** What is shown after one event. `state` is the run's state before it, `line` the line it stands in. */
export const show = (shown: Shown, state: RunState, event: Event, line: number): Shown => {
  switch (event._tag) {
    case "BatchCompleted": {
      const complete = completeBatch(state, event, line)
      if (complete === null) return shown
      return complete.clean ? put(shown, complete.shown) : withFlawed(shown, complete.shown)
    }
    case "BatchWaived": {
      const batch = shown.flawed[event.level]
      return batch?.batch === event.batch ? put(shown, { ...batch, waived: event.findings }) : shown
    }
    case "LevelOutcomeRecorded": {
      const clean = shown.at[event.level]
      return event.outcome._tag === "Clean" && clean !== null && clean.batch === event.batch
        ? put(shown, { ...clean, retrospective: true })
        : shown
    }
    case "BatchOpened":
      return shown.fixedPoint === null ? shown : { ...shown, fixedPoint: null }
    case "FixedPointReached":
      return { ...shown, fixedPoint: event }
    default:
      return shown
  }
}

/** Whether it is known what a batch saw, from its beginning to its end. */
export const isBatchKnown = ({ completed, started }: CleanBatch): boolean =>
  started._tag === "Known" && completed._tag === "Known"

/**
 * Whether a batch saw the same as the last clean batch: all of it, or the tree alone. `changed`: the code changed while
 * the batch was reviewed.
 */
export type Sameness = "same" | "same tree" | "other" | "changed" | "unknown"

const sameness = ({ completed, started }: CleanBatch, last: Identity): Sameness => {
  if (differs(started, completed)) return "changed"
  if (started._tag === "Unknown" || completed._tag === "Unknown" || last._tag === "Unknown") return "unknown"
  if (!differs(completed, last)) return "same"
  return completed.tree !== null && completed.tree === last.tree ? "same tree" : "other"
}

/** Whether the rest of the audit bears out what the lines claim: it found nothing, found something, or did not look. */
export type Support = "borne out" | "refuted" | "unchecked"

/** One level of a proof: its last clean batch, and how what that saw compares with the last clean batch of all. */
export interface LevelProof {
  readonly level: Level
  readonly clean: CleanBatch | null
  readonly sameness: Sameness | null
}

/** What a run that reached its fixed point has proven. */
export interface Proof {
  readonly fixedPoint: EventOf<"FixedPointReached">
  /** Whether the run is strict: then it needs a clean batch of the same input at every level. */
  readonly strict: boolean
  readonly levels: ReadonlyArray<LevelProof>
  /** By its lines every level from the floor to the ceiling was reviewed clean, all of them on the same code. */
  readonly claimed: boolean
  readonly support: Support
  /** What is claimed is borne out by the transcripts and by everything else that an audit looks at. */
  readonly complete: boolean
}

/** A proof that something else speaks against. */
export const refuted = (proof: Proof): Proof => ({ ...proof, support: "refuted", complete: false })

/** The run that a proof is of. */
export interface Ladder {
  readonly floor: Level
  readonly strict: boolean
}

/** The proof of a run that has reached its fixed point, or null. */
export const proofOf = ({ at, fixedPoint, last }: Shown, { floor, strict }: Ladder, support: Support): Proof | null => {
  if (fixedPoint === null) return null
  const within = levels.filter((level) => compare(level, floor) >= 0 && compare(level, fixedPoint.ceiling) <= 0)
  const rows = within.map((level): LevelProof => {
    const clean = at[level]
    const compared = clean === null || last === null ? null : sameness(clean, last.completed)
    return { level, clean, sameness: compared }
  })
  const claimed = rows.length > 0 && rows.every((row) => row.sameness === "same")
  return { fixedPoint, strict, levels: rows, claimed, support, complete: claimed && support === "borne out" }
}
