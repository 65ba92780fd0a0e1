// Proof: what a run proves at each level: its last batch with every review clean, and the tree of those reviews.
// Only recorded lines count. A level without such a batch proves nothing.
import { Schema } from "effect"
import { slotsOf, type StartedBatch } from "../../run/Batch.ts"
import { WaivedFinding } from "../../run/Dismissal.ts"
import { Count } from "../../run/Document.ts"
import type { Event, EventOf } from "../../run/Event.ts"
import { differs, Identity, identityText, leftOut } from "../../run/Identity.ts"
import { compare, Level, levels } from "../../run/Level.ts"
import type { RunState } from "../../run/Manifest.ts"
import { HowRead } from "../../run/ReviewTokens.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import { waivedText } from "../replay/words.ts"
import { prunedBy, unshownBy, type Witness } from "./Evidence.ts"

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
    readonly read: HowRead | null
  }>
  readonly argv: ReadonlyArray<string>
  readonly started: Identity
  readonly completed: Identity
  readonly retrospective: boolean
  /** The findings that did not block, by their names in the log; empty if every review was clean. */
  readonly waived: EventOf<"BatchWaived">["findings"]
  /** The batch when it was complete. */
  readonly reviews: StartedBatch
  /** Whether its reviewers read a private repository; null in a plain run whose reviewers did not. */
  readonly isolated: boolean | null
}

/** The last clean batch of each level so far, and of all levels; and the last batch of each level with issues. */
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
      read: read ?? null
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

/** The proof after one event. `state` is the run's state before it, `line` the line of the event. */
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

/** Whether the input of a batch is known, from its beginning to its end. */
const isBatchKnown = ({ completed, started }: CleanBatch): boolean =>
  started._tag === "Known" && completed._tag === "Known"

/**
 * Whether a batch saw the same as the last clean batch: all of it, or only the tree. `changed`: the code changed while
 * the batch was reviewed.
 */
export const Sameness = Schema.Literals(["same", "same tree", "other", "changed", "unknown"])
export type Sameness = typeof Sameness.Type

const sameness = ({ completed, started }: CleanBatch, last: Identity): Sameness => {
  if (differs(started, completed)) return "changed"
  if (started._tag === "Unknown" || completed._tag === "Unknown" || last._tag === "Unknown") return "unknown"
  if (!differs(completed, last)) return "same"
  return completed.tree !== null && completed.tree === last.tree ? "same tree" : "other"
}

/**
 * Whether the rest of the audit confirms the claims of the lines: it found nothing, found something, or did not look.
 */
const Support = Schema.Literals(["borne out", "refuted", "unchecked"])
export type Support = typeof Support.Type

/** One level of a proof: its last clean batch, and how its input compares with the last clean batch of all. */
export interface LevelProof {
  readonly level: Level
  readonly clean: CleanBatch | null
  readonly sameness: Sameness | null
}

/** The proof of a run at its fixed point. */
export interface Proof {
  readonly fixedPoint: EventOf<"FixedPointReached">
  /** Whether the run is strict: then it needs a clean batch of the same input at every level. */
  readonly strict: boolean
  readonly levels: ReadonlyArray<LevelProof>
  /** By its lines every level from the floor to the ceiling was reviewed clean, all of them on the same code. */
  readonly claimed: boolean
  readonly support: Support
  /** The claims are confirmed by the transcripts and by every other check of the audit. */
  readonly complete: boolean
}

/** A proof that another check contradicts. */
export const refuted = (proof: Proof): Proof => ({ ...proof, support: "refuted", complete: false })

/** The subject of a proof. */
interface Ladder {
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

// What is missing in the proof of a claimed fixed point.
// A missing part of a proof is a finding: leaving out evidence does not make a run sound.

const unproven = {
  "same tree": "it saw another HEAD or base than the last clean batch",
  "other": "it saw other code than the last clean batch",
  "changed": "it saw more than one state of the code",
  "unknown": "it is not known what it saw"
} as const

/** What is missing at the ceiling, where every fixed point needs a clean batch of known code. */
const atCeiling = ({ fixedPoint, levels }: Proof): string | null => {
  const last = levels.at(-1)
  if (last === undefined) return `the ceiling ${fixedPoint.ceiling} lies below the floor`
  const where = batchName(fixedPoint)
  const { clean, sameness } = last
  if (clean === null || clean.batch !== fixedPoint.batch || clean.level !== fixedPoint.level) {
    return fixedPoint.by === "Mark"
      ? `${where}: a mark declared the fixed point, and not every review of that batch was clean`
      : `${where}: not every review of that batch was clean`
  }
  if (!isBatchKnown(clean)) return `${where}: what it reviewed is not known`
  return sameness === "changed" ? `${where}: ${unproven.changed}` : null
}

/** What is missing at a level of a strict run, which needs a clean batch of one input at each level. */
const atLevel = ({ clean, level, sameness }: LevelProof): string | null =>
  clean === null || sameness === null
    ? `${level}: no batch with every review clean`
    : sameness === "same"
    ? null
    : `${batchName(clean)}: ${unproven[sameness]}`

/**
 * What no file shows about the batches that prove a fixed point, one sentence each. A strict run then has no proof. In
 * any other run the proof then depends on the log alone.
 */
export const unshownIn = ({ levels }: Proof, witness: Witness): ReadonlyArray<string> =>
  levels.flatMap(({ clean }) => clean === null ? [] : unshownBy(witness, batchName(clean)))

/** Which transcripts of the batches that prove a fixed point were pruned: without them no run proves anything. */
export const prunedIn = ({ levels }: Proof, witness: Witness): ReadonlyArray<string> =>
  levels.flatMap(({ clean }) => clean === null ? [] : prunedBy(witness, batchName(clean)))

/** What the lines of a run do not show of the fixed point that they claim, one sentence each. */
export const gapsOf = (proof: Proof): ReadonlyArray<string> => {
  const ceiling = atCeiling(proof)
  const below = proof.strict ? proof.levels.map(atLevel) : []
  const all = [ceiling, ...(ceiling === null ? below : below.slice(0, -1))]
  return all.filter((gap) => gap !== null)
}

// What a fixed point has proven, level by level, in words.
// It says what was reviewed and when, and concludes nothing that the lines do not say.

const samenessText = {
  "same": "same code as the last clean batch",
  "same tree": "same files as the last clean batch, on another HEAD or base",
  "other": "NOT the same files as the last clean batch",
  "changed": "NOT one code: it changed under review",
  "unknown": "unknown whether it is the same code as the last clean batch"
} as const satisfies Record<Sameness, string>

/** How far the statement can be trusted. Nothing is called proven unless the rest of the audit confirms it. */
const supportText = {
  "borne out": "proven",
  "refuted": "NOT proven, see the findings; what the log claims",
  "unchecked": "not proven, the transcripts were left alone; what the log claims"
} as const satisfies Record<Support, string>

const seen = ({ completed, started }: CleanBatch): string =>
  differs(started, completed)
    ? `${identityText(started)}, changed under review to ${identityText(completed)}`
    : identityText(completed)

const reviewers = ({ reviewers, waived }: CleanBatch): string => {
  const again = reviewers.filter(({ attempt }) => attempt > 1).length
  return counted(reviewers.length, waived.length === 0 ? "clean review" : "review") +
    (again === 0 ? "" : ` (${again} after failed attempts)`)
}

/** How many reviews have a transcript in which nothing shows that the change was read. */
const unread = ({ reviewers }: CleanBatch): ReadonlyArray<string> => {
  const dark = reviewers.filter(({ read }) => read === "not-shown").length
  if (dark === 0) return []
  const all = reviewers.length
  const which = dark < all ? `${dark} of the ${all} reviewers` : all === 1 ? "the reviewer" : "the reviewers"
  return [`the ${all === 1 ? "transcript does" : "transcripts do"} not show that ${which} read the change`]
}

/** Whether reviewers read a private copy: stated for every isolated batch, and for all batches of a strict run. */
const isolation = ({ isolated }: CleanBatch): string =>
  isolated === null ? "" : isolated ? "; isolated" : "; not isolated"

/** The proof of a level: its batch, its input, and its findings that did not block; a line each. */
export const levelLines = ({ clean, sameness: how }: LevelProof): ReadonlyArray<string> => {
  if (clean === null || how === null) return ["no batch with every review clean"]
  const retrospective = clean.retrospective ? "; retrospective clean" : ""
  return [
    `batch ${clean.batch}, line ${clean.line}: ${reviewers(clean)} of ${seen(clean)}${retrospective}`,
    `${samenessText[how]}${isolation(clean)}`,
    ...leftOut(clean.completed),
    ...unread(clean),
    ...clean.waived.map((one) => `waived: ${waivedText(one)}`)
  ]
}

/** How far it is proven, where the fixed point is, and how it was declared. */
export const statementText = ({ claimed, fixedPoint, support }: Proof): string => {
  const { batch, by, ceiling, level } = fixedPoint
  const how = by === "Mark" ? "declared by --mark-retro-clean" : "reached by reviews"
  // In a run that is not strict the code may change from level to level, so only the last batch proves something.
  const alone = support === "borne out" && !claimed ? ` at ${level} alone` : ""
  return `${supportText[support]}${alone}: fixed point at ${level} batch ${batch}, ceiling ${ceiling}, ${how}`
}

/** Whether all levels are about one code. */
export const conclusionText = ({ claimed, levels, support }: Proof): string => {
  const but = levels.some(({ clean }) => clean !== null && clean.waived.length > 0) ? " but for what was waived" : ""
  return claimed
    ? `${support === "borne out" ? "" : "as claimed, "}every level was reviewed clean${but}, on the same code`
    : "NOT every level was reviewed clean on the same code"
}

const row = (proven: LevelProof): string =>
  `    ${proven.level.padEnd(8)}${levelLines(proven).join(`\n${" ".repeat(12)}`)}\n`

/** The statement of a fixed point, each level, and whether all of them are about one code. */
export const proofText = (proof: Proof): string =>
  `  ${statementText(proof)}\n${proof.levels.map(row).join("")}    ${conclusionText(proof)}\n`

const ProvenLevel = Schema.Struct({
  level: Level,
  sameAsLastCleanBatch: Schema.NullOr(
    Schema.Literals(["Same", "SameTree", "Other", "Changed", "Unknown"]).transform(Sameness.literals)
  ),
  batch: Schema.NullOr(Count),
  line: Schema.NullOr(Count),
  reviewers: Schema.Array(
    Schema.Struct({ slot: Count, attempt: Count, reason: Schema.String, read: Schema.NullOr(HowRead) })
  ),
  argv: Schema.Array(Schema.String),
  started: Schema.NullOr(Identity),
  completed: Schema.NullOr(Identity),
  retrospective: Schema.Boolean,
  waived: Schema.Array(WaivedFinding),
  isolated: Schema.NullOr(Schema.Boolean)
})

/** A proof in the document of `audit --json`. */
export const ProofFields = Schema.Struct({
  level: Level,
  batch: Count,
  ceiling: Level,
  by: Schema.Literals(["Reviews", "Mark"]),
  complete: Schema.Boolean,
  worth: Schema.Literals(["BorneOut", "Refuted", "Unchecked"]).transform(Support.literals),
  levels: Schema.Array(ProvenLevel)
})

/** A proof as these fields. */
export const proofFields = ({ complete, fixedPoint, levels, support }: Proof): typeof ProofFields.Type => ({
  level: fixedPoint.level,
  batch: fixedPoint.batch,
  ceiling: fixedPoint.ceiling,
  by: fixedPoint.by,
  complete,
  worth: support,
  levels: levels.map(({ clean, level, sameness }) => ({
    level,
    sameAsLastCleanBatch: sameness,
    batch: clean?.batch ?? null,
    line: clean?.line ?? null,
    reviewers: clean?.reviewers ?? [],
    argv: clean?.argv ?? [],
    started: clean?.started ?? null,
    completed: clean?.completed ?? null,
    retrospective: clean?.retrospective ?? false,
    waived: clean?.waived ?? [],
    isolated: clean?.isolated ?? null
  }))
})
