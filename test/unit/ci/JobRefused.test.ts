// JobRefused: a step of a workflow says what it lacks.
import { assert, it } from "vitest"
import { type JobReason, JobRefused } from "../../../src/ci/PullRequest.ts"

const cases: ReadonlyArray<readonly [JobReason, string]> = [
  [{ _tag: "NoPullRequest" }, "the event is about no pull request [name what to compare with: --base BRANCH]"],
  [{ _tag: "Misnamed", said: "--base x y: expected a branch" }, "--base x y: expected a branch"],
  [
    { _tag: "NoTests", seen: [{ file: "Makefile", test: "make test" }] },
    "a converging run needs the project's tests; seen: make test (Makefile) [--test 'make test' or --no-test]"
  ]
]

it.each(cases)("says what it lacks: %o", (reason, text) => assert.strictEqual(new JobRefused({ reason }).message, text))
