// Fact: the values that events carry: digests, long texts, identities of what was reviewed, outcomes of a level.
// The one rule: identities are drawn from so few commits and trees that equal and different ones are both common.
import * as fc from "fast-check"
import { Priority, type WaivedFinding } from "../../core/run/Dismissal.ts"
import type { Digest, LevelOutcome, LongText } from "../../core/run/Event.ts"
import type { Identity } from "../../core/run/Identity.ts"
import type { Usage } from "../../core/run/Usage.ts"
import { anyOf, fieldsOf } from "./Fields.ts"
import { hex, hostileText, plainText } from "./Text.ts"

/** The digest of a stored file. */
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
  view: fc.constant("view")
})

/** The same for a target with a base branch. */
export const basedIdentity = (overrides: Parameters<typeof wholeIdentity>[0] = {}) =>
  wholeIdentity({ base: object, mergeBase: object, ...overrides })

/** What was reviewed could not be told. */
export const unknown = fieldsOf<IdentityOf<"Unknown">>({ _tag: fc.constant("Unknown"), why: plainText })

/** An identity; shrinks towards a known one of few fields. */
export const identity: fc.Arbitrary<Identity> = anyOf<Identity>(
  { weight: 2, arbitrary: known() },
  { weight: 1, arbitrary: wholeIdentity() },
  { weight: 1, arbitrary: basedIdentity() },
  { weight: 1, arbitrary: unknown() }
)

type LevelOutcomeOf<Tag extends LevelOutcome["_tag"]> = Extract<LevelOutcome, { readonly _tag: Tag }>

/** One arbitrary a recorded outcome of a level. */
export const levelOutcomes = {
  Clean: fieldsOf<LevelOutcomeOf<"Clean">>({ _tag: fc.constant("Clean") }),
  RetrospectiveChanges: fieldsOf<LevelOutcomeOf<"RetrospectiveChanges">>({
    _tag: fc.constant("RetrospectiveChanges"),
    reason: longText
  }),
  Addressed: fieldsOf<LevelOutcomeOf<"Addressed">>({ _tag: fc.constant("Addressed"), count: fc.nat({ max: 5 }) })
}

/** Any recorded outcome of a level. */
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
