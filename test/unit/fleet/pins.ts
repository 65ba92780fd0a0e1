// pins: what is pinned of a submission, for tests that look at no repository.
import { Result } from "effect"
import { placesOf } from "../../../src/fleet/Mirror.live.ts"
import { decode, type Pin } from "../../../src/fleet/Submission.ts"

/** A pin of pull request 7 of a repository, with a head of this digit alone. */
export const pinnedOf = (digit = "a", other: object = {}): Pin => {
  const head = digit.repeat(40)
  const given = { repo: "https://github.com/a/x", pr: 7, head, base: "f".repeat(40), branch: "main", ...other }
  const submission = Result.getOrThrow(decode(given, { local: true }))
  const { tree, worktree } = placesOf(submission)
  const { base, branch } = submission
  return {
    submission,
    worktree: `/work/${worktree}`,
    tree: `/work/${tree}`,
    identity: { _tag: "Known", head, tree: head, base, branch, untracked: false, headTree: head, indexTree: head },
    problem: null,
    dismissals: "{}\n"
  }
}
