// EvolveBatch: the current batch after one of its facts.
// Objects are written out field by field, because spreads would be most of the cost of folding a long log.
import type { Batch, Slot, SlotOf, StartedBatch } from "./Batch.ts"
import type { Event, EventOf } from "./Event.ts"

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

/** One for all that lack optional fields: an object for each field of each event would be garbage. */
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

/** The batch after a fact about it. `seq` and `at` are those of the line the event stands in. */
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
