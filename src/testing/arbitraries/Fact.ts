// Fact: the values that events carry: digests, long texts, identities, findings, slots and batches.
// Identities are drawn from so few commits and trees that equal and different ones are both common.
import * as fc from "fast-check"
import { type Finding, findingOf, type RawFinding, type RawPlace } from "../../review/findings/Finding.ts"
import type { Verdict } from "../../review/verdict/Verdict.ts"
import type { Batch, Slot, SlotOf, StartedBatch } from "../../run/Batch.ts"
import { type Lines, Priority, type WaivedFinding } from "../../run/Dismissal.ts"
import type { Digest, LevelOutcome, LongText } from "../../run/Event.ts"
import type { Identity } from "../../run/Identity.ts"
import { FailureKind } from "../../run/FailureKind.ts"
import { VerdictSource } from "../../run/ReviewTokens.ts"
import type { Usage } from "../../run/Usage.ts"
import {
  anyOf,
  branchName,
  fieldsOf,
  hex,
  hostileText,
  isoTime,
  ordinal,
  type Overridable,
  type Overrides,
  plainText
} from "./Values.ts"

export const digest = fieldsOf<Digest>({
  algorithm: fc.constantFrom("sha256", "sha256-ends"),
  hex: hex(64),
  bytes: fc.nat()
})

/** Tokens, from none at all to more than can be added up exactly. */
export const usage: fc.Arbitrary<Usage> = fieldsOf<Usage>({
  input: fc.oneof(fc.nat(), fc.maxSafeNat()),
  cached: fc.nat(),
  output: fc.oneof(fc.nat(), fc.maxSafeNat()),
  reasoning: fc.nat()
})()

/** A text from outside, whole or with the digest of the file that holds all of it. */
export const longText: fc.Arbitrary<LongText> = fc.oneof(
  fc.record({ text: fc.oneof(plainText, hostileText) }, { noNullPrototype: true }),
  fc.record({ text: hostileText, rest: digest() }, { noNullPrototype: true })
)

const object = fc.constantFrom(null, "a".repeat(40), "b".repeat(40))

type IdentityOf<Tag extends Identity["_tag"]> = Extract<Identity, { readonly _tag: Tag }>

/** What was reviewed, known, as versions recorded it that knew no index. */
export const known = fieldsOf<IdentityOf<"Known">>({
  _tag: fc.constant("Known"),
  head: object,
  tree: object,
  base: object
})

/** What was reviewed, known whole, for a target without a base branch. */
export const wholeIdentity = fieldsOf<IdentityOf<"Known">>({
  _tag: fc.constant("Known"),
  head: object,
  tree: object,
  base: fc.constant(null),
  headTree: object,
  index: fc.constantFrom("one", "two"),
  indexTree: object,
  untracked: fc.boolean(),
  nested: fc.constantFrom("", "one"),
  instructions: fc.constantFrom("", "one"),
  view: fc.constant("view")
})

/** The same for a target with a base branch. */
export const basedIdentity = (overrides: Parameters<typeof wholeIdentity>[0] = {}) =>
  wholeIdentity({ base: object, mergeBase: object, ...overrides })

/** What was reviewed is unknown. */
export const unknown = fieldsOf<IdentityOf<"Unknown">>({ _tag: fc.constant("Unknown"), why: plainText })

/** An identity; shrinks towards a known one of few fields. */
export const identity: fc.Arbitrary<Identity> = anyOf<Identity>(
  { weight: 2, arbitrary: known() },
  { weight: 1, arbitrary: wholeIdentity() },
  { weight: 1, arbitrary: basedIdentity() },
  { weight: 1, arbitrary: unknown() }
)

type LevelOutcomeOf<Tag extends LevelOutcome["_tag"]> = Extract<LevelOutcome, { readonly _tag: Tag }>

export const levelOutcomes = {
  Clean: fieldsOf<LevelOutcomeOf<"Clean">>({ _tag: fc.constant("Clean") }),
  RetrospectiveChanges: fieldsOf<LevelOutcomeOf<"RetrospectiveChanges">>({
    _tag: fc.constant("RetrospectiveChanges"),
    reason: longText
  }),
  Addressed: fieldsOf<LevelOutcomeOf<"Addressed">>({ _tag: fc.constant("Addressed"), count: fc.nat({ max: 5 }) })
}

export const levelOutcome: fc.Arbitrary<LevelOutcome> = fc.oneof(
  levelOutcomes.Clean(),
  levelOutcomes.RetrospectiveChanges(),
  levelOutcomes.Addressed()
)

const priority = fc.option(fc.constantFrom(...Priority.literals))
const fingerprint = fc.constantFrom("0123456789abcdef", "fedcba9876543210")
const until = fc.option(fc.constantFrom("2026-01-01", "2999-12-31"))

/** What a dismissal says of its finding. */
export const dismissed = {
  fingerprint,
  priority,
  path: fc.option(fc.constantFrom("src/a.ts", "a b/ü.ts")),
  wordings: fc.array(
    fc.record({ title: hostileText, lines: fc.constantFrom(null, { start: 1, end: 3 }) }, { noNullPrototype: true }),
    { maxLength: 2 }
  ),
  until
}

/** A finding that did not block. */
export const waivedFinding: fc.Arbitrary<WaivedFinding> = fc.record({
  fingerprint,
  title: hostileText,
  priority,
  because: anyOf<WaivedFinding["because"]>(
    fc.constant({ _tag: "BelowBlock" }),
    fc.record({
      _tag: fc.constant("Dismissed"),
      scope: fc.constantFrom("run", "repo"),
      reason: hostileText,
      until
    }, { noNullPrototype: true })
  )
}, { noNullPrototype: true })

// Findings. Texts may be hostile, and a place may lie outside the repository: reviewers write what they like.

const text = fc.oneof(plainText, hostileText)

const lines: fc.Arbitrary<Lines> = fc.tuple(ordinal(30), fc.nat({ max: 3 }))
  .map(([start, more]) => ({ start, end: start + more }))

const place = fieldsOf<RawPlace>({
  path: fc.oneof(fc.constantFrom("src/a.ts", "/repo/src/b.ts", "a b/ü.ts", "../x", "/etc/passwd"), text),
  lines: fc.option(lines)
})

/** A finding of one review. */
export const written = fieldsOf<RawFinding>({
  title: text,
  body: text,
  priority: fc.option(fc.constantFrom(...Priority.literals)),
  place: fc.option(place())
})

/** What a finding is made of: `root` is the worktree that its place is seen from. */
export interface ReportParts {
  readonly written: RawFinding
  readonly slot: number
  readonly root: string
}

const reported = fieldsOf<ReportParts>({ written: written(), slot: ordinal(3), root: fc.constant("/repo") })

/** A finding of one slot; several of them become one by merging. */
export const finding = (overrides: Overrides<ReportParts> = {}): fc.Arbitrary<Finding> =>
  reported(overrides).map(({ root, slot, written }) => findingOf(written, slot, root))

type VerdictOf<Tag extends Verdict["_tag"]> = Extract<Verdict, { readonly _tag: Tag }>

const none = fc.constant([] as const)

/** One arbitrary a class of verdicts, each with reasons that really lead to it. */
export const verdicts = {
  Clean: fieldsOf<VerdictOf<"Clean">>({
    _tag: fc.constant("Clean"),
    reason: fc.constantFrom("session-correct", "json-no-findings", "no-defect-stated"),
    findings: none
  }),
  HasIssues: fieldsOf<VerdictOf<"HasIssues">>({
    _tag: fc.constant("HasIssues"),
    reason: fc.constantFrom("session-findings", "rendered-findings", "listed-findings", "in-doubt"),
    findings: fc.array(written(), { maxLength: 3 })
  }),
  NoReview: fieldsOf<VerdictOf<"NoReview">>({
    _tag: fc.constant("NoReview"),
    reason: fc.constantFrom("session-no-review", "fixed-sentence", "empty-body", "no-verdict"),
    findings: none
  })
} as const satisfies { [Tag in Verdict["_tag"]]: Overridable<VerdictOf<Tag>> }

/** Any verdict; shrinks towards a clean one. */
export const verdict: fc.Arbitrary<Verdict> = anyOf<Verdict>(
  verdicts.Clean(),
  verdicts.HasIssues(),
  verdicts.NoReview()
)

// Slots and batches in every mix, reachable or not, numbered from 1 without a gap

const counts = { slot: ordinal(), attempts: fc.nat({ max: 3 }), tries: fc.nat({ max: 3 }) }

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
