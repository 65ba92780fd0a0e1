// Waivers: the complete batches of a strict run that do not block, as this invocation judges them.
// Reviews are read again only if anything can be waived; a review that no longer reads as recorded blocks.
import { Effect, Equal } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { type SlotOf, slotsOf, type StartedBatch } from "../run/Batch.ts"
import { lastWithIssues, type StrictState, type IsWaived } from "../run/Cover.ts"
import type { WaivedFinding } from "../run/Dismissal.ts"
import { type EventOf, sameDigest } from "../run/Event.ts"
import { batchesOf } from "../run/ReviewRun.ts"
import { readRunLog } from "../run/RunLog.ts"
import { commit, type Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"
import { jsonText } from "../text/Json.ts"
import { batchName } from "../text/Phrases.ts"
import { ReviewFiles } from "./ReviewFiles.ts"
import { findingOf } from "./findings/Finding.ts"
import { mergeFindings } from "./findings/Merge.ts"
import { mapped, moved } from "./findings/Reviews.ts"
import type { BatchName } from "./findings/ReviewedBatch.ts"
import { type Bar, lowestBar, waivedIn, waiverText, waivesNothing } from "./findings/Waiving.ts"
import { judge } from "./verdict/Judge.ts"

/** The bar, and why the issues of each batch do not block. */
export interface Waivers {
  readonly bar: Bar
  readonly waived: IsWaived
  readonly of: (at: BatchName) => ReadonlyArray<WaivedFinding> | null
}

/** Every batch with issues blocks. */
export const noWaivers: Waivers = { bar: lowestBar, waived: () => false, of: () => null }

/** The findings of a review that was recorded with issues; null if its files no longer show them. */
const findingsOf = Effect.fnUntraced(function*(
  run: RunRef,
  at: BatchName,
  slot: SlotOf<"Finished">,
  worktree: string,
  isolated: string | undefined
) {
  const { log, out, review } = slot.files
  const { batch, level } = at
  const files = yield* ReviewFiles
  const ref = { run, level, batch, slot: slot.slot, attempt: slot.attempts }
  const stored = yield* files.stored(ref, { session: review !== null })
  const { digests } = stored.evidence
  const kept = review === null ? digests.review === null : digests.review !== null && sameDigest(review, digests.review)
  const transcript = stored.pruned === true || sameDigest(log, digests.log)
  if (stored.missing.length > 0 || !kept || !transcript || !sameDigest(out, digests.out)) return null
  const judged = judge(stored.evidence, stored.status ?? 0)
  if (judged._tag === "Failed" || judged.findings.length !== slot.findings) return null
  const inWorktree = mapped(isolated, worktree)
  return judged.findings.map((written) => findingOf(moved(written, inWorktree), slot.slot, worktree))
}, Effect.catch((error) => Effect.as(recovered("the review blocks")(error), null)))

/** The findings of a complete batch, merged; null if a review lists none, or its files no longer show them. */
export const findingsIn = Effect.fn("Waivers.findingsIn")(
  function*(run: RunRef, at: BatchName, started: StartedBatch, worktree: string) {
    const flawed = slotsOf(started, "Finished").filter(({ verdict }) => verdict === "HasIssues")
    if (flawed.some(({ findings }) => findings === 0)) return null
    const lists = yield* Effect.forEach(flawed, (slot) => findingsOf(run, at, slot, worktree, started.isolated))
    const read = lists.filter((list) => list !== null)
    return read.length < lists.length ? null : mergeFindings(...read)
  }
)

/** Judges the last batches of a strict run's levels, and `others`. */
export const waiversOf = Effect.fn("Waivers.waiversOf")(
  function*(run: Run, strict: StrictState, bar: Bar, others: ReadonlyArray<BatchName> = []) {
    if (waivesNothing(bar)) return { ...noWaivers, bar } satisfies Waivers
    const asked = new Map([...lastWithIssues(strict), ...others].map((at) => [batchName(at), at]))
    const { batch: current, batch_number, current_level } = run.manifest
    const { commits } = yield* readRunLog(run.ref)
    const started = new Map<string, StartedBatch>()
    for (const { batch, level, number } of batchesOf(commits)) started.set(batchName({ level, batch: number }), batch)
    if (current._tag === "Started") started.set(batchName({ level: current_level, batch: batch_number }), current)
    const found = new Map<string, ReadonlyArray<WaivedFinding>>()
    for (const [name, at] of asked) {
      const batch = started.get(name)
      const findings = batch === undefined ? null : yield* findingsIn(run.ref, at, batch, run.manifest.worktree)
      const waived = findings === null ? null : waivedIn(findings, bar)
      if (waived !== null) found.set(name, waived)
    }
    const of = (at: BatchName) => found.get(batchName(at)) ?? null
    return { bar, waived: (level, batch) => of({ level, batch }) !== null, of } satisfies Waivers
  }
)

// This many always fit a line of the log. A longer list goes to a file beside the log.
const perLine = 30

/** The events that record why batches do not block, except for batches whose reason the log already has. */
export const waiverEvents = Effect.fn("Waivers.waiverEvents")(
  function*(run: Run, strict: StrictState, { bar: { block }, of }: Waivers, batches: ReadonlyArray<BatchName>) {
    const { keepText } = yield* RunStore
    const events: Array<EventOf<"BatchWaived">> = []
    for (const at of batches) {
      const all = of(at) ?? []
      const findings = all.slice(0, perLine)
      const rest = all.length > perLine ? { rest: yield* keepText(run.ref, jsonText(all, 1)) } : {}
      const event: EventOf<"BatchWaived"> = { _tag: "BatchWaived", ...at, block, findings, ...rest }
      const last = strict.last[at.level]
      if (last?.batch === at.batch && Equal.equals(last.waiver, event)) continue
      // No reviewer begins after this, so no journal confirms it: this text is the second witness beside the log.
      yield* keepText(run.ref, waiverText(event))
      events.push(event)
    }
    return events
  }
)

// Recording why batches with issues count as clean, before anything that depends on it

/** The record: the batches that count as clean, and why their issues do not block. */
export interface WaiverRecord {
  readonly waivers: Waivers
  readonly takenForClean: ReadonlyArray<BatchName>
}

/** The run with that recorded. LogConflict if another process was first. */
export const recordWaivers = Effect.fn("Waivers.recordWaivers")(
  function*(run: Run, { takenForClean, waivers }: WaiverRecord) {
    const { strict } = run.manifest
    if (strict === undefined || takenForClean.length === 0) return run
    const events = yield* waiverEvents(run, strict, waivers, takenForClean)
    return yield* Effect.reduce(events, () => run, (before, event) => commit(before, [event]))
  }
)
