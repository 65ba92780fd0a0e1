// Finding: what reviewers report, as it is written, as a finding of a slot, and as the verdict of a review.
// The one rule: texts may be hostile, and a place may lie outside the repository: reviewers write what they like.
import * as fc from "fast-check"
import { type Finding, findingOf, Priority, type Written } from "../../core/findings/Finding.ts"
import type { Lines } from "../../core/run/Dismissal.ts"
import type { WrittenPlace } from "../../core/findings/Place.ts"
import type { Verdict } from "../../core/verdict/Verdict.ts"
import { anyOf, fieldsOf, type Overridable, type Overrides } from "./Fields.ts"
import { hostileText, ordinal, plainText } from "./Text.ts"

const text = fc.oneof(plainText, hostileText)

const lines: fc.Arbitrary<Lines> = fc.tuple(ordinal(30), fc.nat({ max: 3 }))
  .map(([start, more]) => ({ start, end: start + more }))

const place = fieldsOf<WrittenPlace>({
  path: fc.oneof(fc.constantFrom("src/a.ts", "/repo/src/b.ts", "a b/ü.ts", "../x", "/etc/passwd"), text),
  lines: fc.option(lines)
})

/** A finding as it stands in one review. */
export const written = fieldsOf<Written>({
  title: text,
  body: text,
  priority: fc.option(fc.constantFrom(...Priority.literals)),
  place: fc.option(place())
})

/** What a finding is made of: `root` is the worktree that its place is seen from. */
export interface Reported {
  readonly written: Written
  readonly slot: number
  readonly root: string
}

const reported = fieldsOf<Reported>({ written: written(), slot: ordinal(3), root: fc.constant("/repo") })

/** A finding of one slot; several of them become one by merging. */
export const finding = (overrides: Overrides<Reported> = {}): fc.Arbitrary<Finding> =>
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
