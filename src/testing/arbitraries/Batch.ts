// Batch: slots and batches in every mix, reachable or not.
// The one rule: slots of a batch are numbered from 1 without a gap, as every reader of a batch relies on.
import * as fc from "fast-check"
import type { Batch, Slot, SlotOf, StartedBatch } from "../../core/run/Batch.ts"
import { FailureKind } from "../../core/run/FailureKind.ts"
import { VerdictSource } from "../../core/run/VerdictSource.ts"
import { digest, identity } from "./Fact.ts"
import { anyOf, fieldsOf, type Overridable } from "./Fields.ts"
import { branchName } from "./Target.ts"
import { hex, isoTime, ordinal, plainText } from "./Text.ts"

const counts = { slot: ordinal(), attempts: fc.nat({ max: 3 }), tries: fc.nat({ max: 3 }) }

/** One arbitrary a state of a slot. */
export const slots = {
  Queued: fieldsOf<SlotOf<"Queued">>({ _tag: fc.constant("Queued"), ...counts }),
  Running: fieldsOf<SlotOf<"Running">>({ _tag: fc.constant("Running"), ...counts, id: hex(8), since: isoTime }),
  Finished: fieldsOf<SlotOf<"Finished">>({
    _tag: fc.constant("Finished"),
    ...counts,
    verdict: fc.constantFrom("Clean", "HasIssues"),
    reason: plainText,
    source: fc.constantFrom(...VerdictSource.literals),
    findings: fc.nat({ max: 5 }),
    files: fc.record({ log: digest(), out: digest(), review: fc.option(digest()) }, { noNullPrototype: true })
  }),
  Failed: fieldsOf<SlotOf<"Failed">>({
    _tag: fc.constant("Failed"),
    ...counts,
    kind: fc.constantFrom(...FailureKind.literals),
    transient: fc.boolean(),
    message: plainText,
    exit: fc.option(fc.nat({ max: 255 }), { nil: null }),
    since: isoTime
  })
} as const satisfies { [Tag in Slot["_tag"]]: Overridable<SlotOf<Tag>> }

/** Any slot; shrinks towards a queued one. */
export const slot: fc.Arbitrary<Slot> = anyOf(...Object.values(slots).map((one): fc.Arbitrary<Slot> => one()))

const numbered = (some: ReadonlyArray<Slot>): ReadonlyArray<Slot> => some.map((one, i) => ({ ...one, slot: i + 1 }))

/** A started batch. Slots given as an override are numbered anew. */
export const startedBatch = (
  overrides: {
    readonly slots?: fc.Arbitrary<ReadonlyArray<Slot>>
    readonly failedAt?: fc.Arbitrary<number>
    readonly stopped?: fc.Arbitrary<boolean>
  } = {}
): fc.Arbitrary<StartedBatch> =>
  fc.record({
    slots: (overrides.slots ?? fc.array(slot, { minLength: 1, maxLength: 5 })).map(numbered),
    base: fc.option(branchName),
    argv: fc.array(plainText, { maxLength: 3 }),
    identity,
    completed: fc.option(identity),
    failedAt: overrides.failedAt ?? fc.nat({ max: 5 }),
    stopped: overrides.stopped ?? fc.boolean()
  }, { noNullPrototype: true }).map((one) => ({ _tag: "Started", size: one.slots.length, ...one }))

/** Any batch; shrinks towards one that has not been started. */
export const batch: fc.Arbitrary<Batch> = anyOf<Batch>(
  { weight: 1, arbitrary: fc.constant<Batch>({ _tag: "NotStarted" }) },
  { weight: 5, arbitrary: startedBatch() }
)
