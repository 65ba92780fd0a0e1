// Drive: a plan run while a process drives it: its file and its log.
import { Effect, Ref } from "effect"
import type { Driver } from "../../agent/TaskLog.ts"
import { sameDigest } from "../../run/Event.ts"
import { RunStore } from "../../run/RunStore.ts"
import type { Drive } from "../Drive.ts"
import type { PlanEvent } from "./Event.ts"
import type { PlanPlace } from "./OpenPlan.ts"
import { PlanFileFailed, PlanFiles } from "./PlanFiles.ts"
import type { ImplementSettings } from "./Settings.ts"
import type { PlanState, RoundState } from "./State.ts"
import { wantedError } from "./TaskChoice.ts"
import { type PlanDocument, readPlan } from "./file/Document.ts"

/** The log of a plan run as a value. */
export type PlanDriver = Driver<PlanState, PlanEvent>

export interface Read {
  readonly bytes: Uint8Array
  readonly document: PlanDocument
}

/** What a call has read last. Every turn reads the plan, and ten thousand tasks take a second or two to parse. */
type LastRead = Ref.Ref<Read | null>

/** A call that has read nothing yet. */
export const unread: Effect.Effect<LastRead> = Ref.make<Read | null>(null)

/** A plan run that has a driver. `settings` is the part of what is asked for that every driven run has. */
export interface PlanDrive extends Drive<PlanState, PlanEvent> {
  /** All that is asked for. */
  readonly asked: ImplementSettings
  readonly cwd: string
  /** The absolute path of the plan's file. */
  readonly file: string
  /** The last read of the file. */
  readonly lastRead?: LastRead
}

// It says how the repository is reviewed, so the analysis of a review reads it.
const obeyed = "/REVIEW.md"

/** The drive of a plan run by a driver, or by an inspection. No agent may change what the analysis of a review obeys. */
export const planDrive = (
  driver: PlanDriver,
  { file, worktree }: PlanPlace,
  asked: ImplementSettings,
  cwd: string,
  by: Pick<PlanDrive, "id" | "lastRead" | "options" | "pid">
): PlanDrive => ({
  ...by,
  call: "implement",
  asked,
  settings: { ...asked.driven, protect: [...asked.driven.protect, obeyed] },
  cwd,
  file,
  run: { ref: driver.ref, manifest: { target: asked.driven.step.target, worktree } },
  driver
})

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** The plan as its file has it now, and the bytes that it was read from. */
export const planNow = Effect.fn("Drive.planNow")(function*({ file, lastRead }: Pick<PlanDrive, "file" | "lastRead">) {
  const bytes = yield* (yield* PlanFiles).read(file)
  const last = lastRead === undefined ? null : yield* Ref.get(lastRead)
  if (last !== null && isSame(bytes, last.bytes)) return { bytes, document: last.document, plan: last.document.plan }
  const document: PlanDocument = yield* Effect.mapError(
    Effect.fromResult(readPlan(bytes)),
    ({ message }) => new PlanFileFailed({ path: file, reason: { _tag: "NoPlan", problem: message } })
  )
  if (lastRead !== undefined) yield* Ref.set(lastRead, { bytes, document })
  return { bytes, document, plan: document.plan }
})

/** The plan as its file has it now. Fails if the wanted tasks cannot be worked on. */
export const wantedPlan = Effect.fn("Drive.wantedPlan")(
  function*(drive: Pick<PlanDrive, "asked" | "file" | "lastRead">) {
    const { asked: { wanted } } = drive
    const { document } = yield* planNow(drive)
    const error = wantedError(document.plan, wanted)
    return error === null ? document : yield* error
  }
)

// What a round writes into the plan's file is kept with the run before, so that a later call knows it again.
const written = (round: number, { text }: PlanDocument): string => `written by cycle ${round}\n${text}`

/** Writes a plan's file in a round, unless it is no longer `before`, and keeps the new text with the run. */
export const writePlan = Effect.fn("Drive.writePlan")(
  function*({ file, run }: PlanDrive, round: number, before: Uint8Array, document: PlanDocument) {
    const { keepText } = yield* RunStore
    yield* keepText(run.ref, written(round, document))
    yield* (yield* PlanFiles).replace(file, before, new TextEncoder().encode(document.text))
    return yield* keepText(run.ref, document.text)
  }
)

/** Whether the plan's file holds what a round has written. Writes nothing. */
export const isWritten = Effect.fn("Drive.isWritten")(
  function*({ run: { ref } }: PlanDrive, { round }: RoundState, document: PlanDocument) {
    return yield* (yield* RunStore).keeps(ref, written(round, document))
  }
)

/** Whether the plan's file holds what a round began with or has written, wherever it lies and whatever git knows of it. */
export const isOwn = Effect.fn("Drive.isOwn")(
  function*(drive: PlanDrive, round: RoundState, document: PlanDocument) {
    if (yield* isWritten(drive, round, document)) return true
    return sameDigest(round.started.plan, yield* (yield* RunStore).keepText(drive.run.ref, document.text))
  }
)

/** How many tasks this call has marked as done. */
export const markedBy = ({ driver: { state }, id }: PlanDrive): number =>
  state.rounds.flatMap(({ closed, closedBy, marked }) =>
    closed?.because === "Marked" && closedBy === id ? marked?.tasks ?? [] : []
  ).length
