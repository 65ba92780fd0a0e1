// Target: branch names, commit ids, pull request numbers and the targets made of them.
// The one rule: every value here has passed the product's own validation; what must be refused is made by the tests.
import * as fc from "fast-check"
import { BranchName, branchProblem, CommitSha, PrNumber, type Target } from "../../core/run/Target.ts"
import { anyOf, fieldsOf, type Overrides } from "./Fields.ts"
import { hex } from "./Text.ts"

const part = fc.oneof(
  fc.constantFrom("main", "feature", "x", "v1.2", "@", "a-b", "été", "日本", "HEAD", "runs", "latest", "lock"),
  fc.string({ unit: fc.constantFrom(..."abZ09-_.@#+%!$&'(),;<=>|\""), minLength: 1, maxLength: 6 })
)

/** A branch name that git accepts, also with slashes, dots and characters that shells dislike. */
export const branchName: fc.Arbitrary<BranchName> = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"))
  .filter((name) => branchProblem(name) === null)
  .map((name) => BranchName.make(name))

/** A full commit id. */
export const commitSha: fc.Arbitrary<CommitSha> = hex(40).map((sha) => CommitSha.make(sha))

/** A pull request number. */
export const prNumber: fc.Arbitrary<PrNumber> = fc
  .oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9_999_999_999 }))
  .map((number) => PrNumber.make(number))

type TargetOf<Tag extends Target["_tag"]> = Extract<Target, { readonly _tag: Tag }>

/** One arbitrary a case of the target. */
export const targets = {
  Uncommitted: fieldsOf<TargetOf<"Uncommitted">>({ _tag: fc.constant("Uncommitted") }),
  Base: fieldsOf<TargetOf<"Base">>({ _tag: fc.constant("Base"), branch: branchName }),
  Commit: fieldsOf<TargetOf<"Commit">>({ _tag: fc.constant("Commit"), sha: commitSha }),
  PullRequest: fieldsOf<TargetOf<"PullRequest">>({ _tag: fc.constant("PullRequest"), number: prNumber })
} as const satisfies { [Tag in Target["_tag"]]: (overrides?: Overrides<TargetOf<Tag>>) => fc.Arbitrary<Target> }

/** Any target; shrinks towards the working copy. */
export const target: fc.Arbitrary<Target> = anyOf<Target>(
  targets.Uncommitted(),
  targets.Base(),
  targets.Commit(),
  targets.PullRequest()
)
