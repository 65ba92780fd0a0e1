// Batch: the current batch, slot by slot, folded from the log alone.
// A slot counts as reviewed only when its verdict is recorded. Nothing unknown is ever clean.
import type { Digest, Event, EventOf } from "./Event.ts"
import type { Identity } from "./Identity.ts"
import type { BranchName } from "./Target.ts"

/** One reviewer's place in a batch. `tries` counts attempts since the batch was last run by an invocation. */
export type Slot =
  | { readonly _tag: "Queued"; readonly slot: number; readonly attempts: number; readonly tries: number }
  | {
    readonly _tag: "Running"
    readonly slot: number
    readonly attempts: number
    readonly tries: number
    readonly id: string
    readonly since: string
  }
  | {
    readonly _tag: "Finished"
    readonly slot: number
    readonly attempts: number
    readonly tries: number
    readonly verdict: "Clean" | "HasIssues"
    readonly reason: string
    readonly source: EventOf<"ReviewFinished">["source"]
    readonly findings: number
    readonly files: { readonly log: Digest; readonly out: Digest; readonly review: Digest | null }
    /** How it is known that the reviewer read the change; absent in runs of programs that did not record it. */
    readonly read?: NonNullable<EventOf<"ReviewFinished">["read"]>
  }
  | {
    readonly _tag: "Failed"
    readonly slot: number
    readonly attempts: number
    readonly tries: number
    readonly kind: EventOf<"ReviewFailed">["kind"]
    readonly transient: boolean
    readonly message: string
    /** The reviewer's exit status; null without one. */
    readonly exit: number | null
    readonly since: string
  }
export type SlotOf<Tag extends Slot["_tag"]> = Extract<Slot, { readonly _tag: Tag }>

/** The current batch: opened by a transition, or started with its size, target arguments and identity. */
export type Batch =
  | { readonly _tag: "NotStarted" }
  | {
    readonly _tag: "Started"
    readonly size: number
    readonly base: BranchName | null
    readonly argv: ReadonlyArray<string>
    readonly identity: Identity
    /** The place of the private repository that its reviewers read; absent if they read the worktree. */
    readonly isolated?: string
    /** The identity of the private repository when it was made. */
    readonly copy?: Identity
    /** Whether the reasons why it does not block are also stored beside the log. */
    readonly waiversKept?: boolean
    readonly slots: ReadonlyArray<Slot>
    readonly completed: Identity | null
    /** The line that recorded the batch as failed, 0 if none did. */
    readonly failedAt: number
    /** Whether reviewers were stopped and none has been started since. */
    readonly stopped: boolean
  }
export type StartedBatch = Extract<Batch, { readonly _tag: "Started" }>

/**
 * The state of all slots together. `Interrupted`: reviewers were stopped, so their slots must be run again. `Running`:
 * reviewers run, wait for their turn under the limit, or wait for the next attempt after a transient failure.
 */
export type BatchStatus =
  | { readonly _tag: "NotStarted" }
  | { readonly _tag: "Interrupted"; readonly queued: ReadonlyArray<SlotOf<"Queued">> }
  | { readonly _tag: "Running"; readonly running: ReadonlyArray<SlotOf<"Running">> }
  | { readonly _tag: "Complete"; readonly withIssues: number }
  | { readonly _tag: "Failed"; readonly failed: ReadonlyArray<SlotOf<"Failed">>; readonly kept: number }

/** The slots of one kind. */
export const slotsOf = <Tag extends Slot["_tag"]>(batch: StartedBatch, tag: Tag): ReadonlyArray<SlotOf<Tag>> =>
  batch.slots.filter((slot): slot is SlotOf<Tag> => slot._tag === tag)

/** Whether a failed slot is run again inside the invocation: transient, with retries left. */
export const mayRetry = (slot: SlotOf<"Failed">, retries: number): boolean => slot.transient && slot.tries <= retries

/** `<COUNT>`: the number of reviews of the batch recorded with issues; 0 when no batch is present. */
export const reviewsWithIssues = (batch: Batch): number =>
  batch._tag === "NotStarted"
    ? 0
    : slotsOf(batch, "Finished").filter((slot) => slot.verdict === "HasIssues").length

/** The failed slots that wait for another attempt within the present run of the batch. */
export const awaitingRetry = (batch: StartedBatch, retries: number): ReadonlyArray<SlotOf<"Failed">> =>
  batch.failedAt > 0 ? [] : slotsOf(batch, "Failed").filter((slot) => mayRetry(slot, retries))

/**
 * The slots under way: their reviewers run, or they wait for another attempt. If a limit holds all slots back, the next
 * slot counts as under way, so that a stop of the batch can be recorded on it.
 */
export const underWay = (batch: Batch): ReadonlyArray<Slot> => {
  if (batch._tag === "NotStarted") return []
  const open = [...slotsOf(batch, "Running"), ...awaitingRetry(batch, Number.POSITIVE_INFINITY)]
  return open.length > 0 || batch.stopped ? open : slotsOf(batch, "Queued").slice(0, 1)
}

/** The state of a batch, given how often a transient failure is retried. It is defined for every mix of slots. */
export const assess = (batch: Batch, retries: number): BatchStatus => {
  if (batch._tag === "NotStarted") return { _tag: "NotStarted" }
  const running = slotsOf(batch, "Running")
  const queued = slotsOf(batch, "Queued")
  const held = queued.length > 0 && !batch.stopped
  if (running.length > 0 || held || awaitingRetry(batch, retries).length > 0) return { _tag: "Running", running }
  if (queued.length > 0) return { _tag: "Interrupted", queued }
  const failed = slotsOf(batch, "Failed")
  if (failed.length > 0) return { _tag: "Failed", failed, kept: batch.slots.length - failed.length }
  return { _tag: "Complete", withIssues: reviewsWithIssues(batch) }
}

// The batch after one of its facts. Spreads would be most of the cost of folding a long log.

/** The facts about reviewers and the batch they are in, after its start. */
export type BatchFact = EventOf<
  "ReviewStarted" | "ReviewFinished" | "ReviewFailed" | "ReviewStopped" | "BatchCompleted" | "BatchFailed"
>

/** Whether an event is a fact of a batch that has been started. */
export const isBatchFact = (event: Event): event is BatchFact =>
  event._tag === "ReviewStarted" || event._tag === "ReviewFinished" || event._tag === "ReviewFailed" ||
  event._tag === "ReviewStopped" || event._tag === "BatchCompleted" || event._tag === "BatchFailed"

const queued = ({ attempts, slot }: Slot, tries: number): Slot => ({ _tag: "Queued", slot, attempts, tries })

const allQueued = (size: number): ReadonlyArray<Slot> => {
  const slots: Array<Slot> = []
  for (let slot = 1; slot <= size; slot++) slots.push({ _tag: "Queued", slot, attempts: 0, tries: 0 })
  return slots
}

/** A batch that has just been started: every slot waits for its reviewer. */
export const startedBatch = (
  { argv, base, copy, identity, isolated, size, waiversKept }: EventOf<"BatchStarted">
): Batch => ({
  _tag: "Started",
  size,
  base,
  argv,
  identity,
  slots: allQueued(size),
  completed: null,
  failedAt: 0,
  stopped: false,
  ...(isolated === undefined ? {} : { isolated }),
  ...(copy === undefined ? {} : { copy }),
  ...(waiversKept === undefined ? {} : { waiversKept })
})

/** One object for all that lack optional fields: one for each field of each event would be garbage. */
export const noFields = {}

const withSlots = (
  batch: StartedBatch,
  slots: ReadonlyArray<Slot>,
  failedAt: number,
  stopped: boolean
): StartedBatch => ({
  _tag: "Started",
  size: batch.size,
  base: batch.base,
  argv: batch.argv,
  identity: batch.identity,
  slots,
  completed: batch.completed,
  failedAt,
  stopped,
  ...(batch.isolated === undefined ? noFields : { isolated: batch.isolated }),
  ...(batch.copy === undefined ? noFields : { copy: batch.copy }),
  ...(batch.waiversKept === undefined ? noFields : { waiversKept: batch.waiversKept })
})

const inSlot = (batch: StartedBatch, at: number, change: (slot: Slot) => Slot): ReadonlyArray<Slot> =>
  batch.slots.map((slot) => slot.slot === at ? change(slot) : slot)

/** Applies the end of an attempt to its slot. The end of an attempt that is no longer open changes nothing. */
const ended = (
  batch: StartedBatch,
  at: { readonly slot: number; readonly attempt: number },
  next: (slot: SlotOf<"Running">) => Slot
): ReadonlyArray<Slot> =>
  inSlot(batch, at.slot, (slot) => slot._tag === "Running" && slot.attempts === at.attempt ? next(slot) : slot)

/** Running a failed batch again puts every failed slot back in the queue; finished reviews stay. */
const requeued = (slot: Slot): Slot => slot._tag === "Failed" ? queued(slot, 0) : slot

/** A finished review is final: no later attempt of its slot can take its verdict away. */
const running = ({ attempt, id }: EventOf<"ReviewStarted">, at: string) => (slot: Slot): Slot =>
  slot._tag === "Finished"
    ? slot
    : { _tag: "Running", slot: slot.slot, attempts: attempt, tries: slot.tries + 1, id, since: at }

const finished = (e: EventOf<"ReviewFinished">) => ({ attempts, slot, tries }: Slot): Slot => ({
  _tag: "Finished",
  slot,
  attempts,
  tries,
  verdict: e.verdict,
  reason: e.reason,
  source: e.source,
  findings: e.findings,
  files: { log: e.log, out: e.out, review: e.review ?? null },
  ...(e.read === undefined ? {} : { read: e.read })
})

const failed =
  ({ exit, kind, message, transient }: EventOf<"ReviewFailed">, at: string) =>
  ({ attempts, slot, tries }: Slot): Slot => ({
    _tag: "Failed",
    slot,
    attempts,
    tries,
    kind,
    transient,
    message,
    exit,
    since: at
  })

/** A stop ends the reviewer of a running slot, and cancels the next attempt of a failed one. */
const stopped = ({ attempt }: EventOf<"ReviewStopped">) => (slot: Slot): Slot =>
  (slot._tag === "Running" || slot._tag === "Failed") && slot.attempts === attempt ? queued(slot, 0) : slot

/** The batch after a fact about it. `seq` and `at` belong to the event's line. */
export const evolveBatch = (batch: StartedBatch, event: BatchFact, seq: number, at: string): StartedBatch => {
  switch (event._tag) {
    case "ReviewStarted": {
      const open = batch.failedAt > 0 ? withSlots(batch, batch.slots.map(requeued), 0, false) : batch
      return withSlots(open, inSlot(open, event.slot, running(event, at)), 0, false)
    }
    case "ReviewFinished":
      return withSlots(batch, ended(batch, event, finished(event)), batch.failedAt, batch.stopped)
    case "ReviewFailed":
      return withSlots(batch, ended(batch, event, failed(event, at)), batch.failedAt, batch.stopped)
    case "ReviewStopped":
      return withSlots(batch, inSlot(batch, event.slot, stopped(event)), batch.failedAt, true)
    case "BatchCompleted":
      return { ...batch, completed: event.identity }
    case "BatchFailed":
      return withSlots(batch, batch.slots, seq, batch.stopped)
  }
}
