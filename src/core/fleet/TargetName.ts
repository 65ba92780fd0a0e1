// TargetName: how a person names a submitted pull request: the URL of its repository and its number.
import { Result } from "effect"
import { PrNumber, targetKey } from "../run/Target.ts"
import type { TargetRef } from "../run/Refs.ts"
import { canonicalUrl, repoIdOf, urlProblem } from "./Submission.ts"

/** A pull request by its name, as `https://github.com/owner/name#12`. */
export interface TargetName {
  readonly repo: string
  readonly pr: number
}

/** The pull request that a text names, or what is wrong with it. No answer repeats a part of the text. */
export const targetNamed = (text: string): Result.Result<TargetName, string> => {
  const [, url = "", pr = ""] = /^(.*)#([1-9][0-9]{0,9})$/.exec(text) ?? []
  if (url === "") return Result.fail("expected a pull request, such as https://github.com/owner/name#12")
  const repo = canonicalUrl(url)
  const problem = urlProblem(repo)
  return problem === null ? Result.succeed({ repo, pr: Number(pr) }) : Result.fail(problem)
}

/** The target of that name in the store with this name. */
export const namedTarget = (root: string, { pr, repo }: TargetName): TargetRef => ({
  root,
  repoId: repoIdOf(repo),
  targetKey: targetKey({ _tag: "PullRequest", number: PrNumber.make(pr) })
})
