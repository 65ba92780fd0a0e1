// GitHub: the GitHub of tests: pull requests with the bases they are given.
// The one rule: a pull request that was not given a base has none, as with the real one.
import { Effect, Layer } from "effect"
import type { BranchName } from "../../core/run/Target.ts"
import { GitHub, GitHubFailed, type GitHubReason } from "../../services/GitHub.ts"

const noSuchRequest: GitHubReason = { _tag: "ProgramFailed", program: "gh", status: 1, said: "no such pull request" }

/** A GitHub with the base branches of some pull requests, by number. */
export const layer = (bases: Readonly<Record<number, BranchName>> = {}): Layer.Layer<GitHub> =>
  Layer.succeed(
    GitHub,
    GitHub.of({
      baseOf: (_, number) => {
        const base = bases[number]
        return base === undefined
          ? Effect.fail(new GitHubFailed({ number, reason: noSuchRequest }))
          : Effect.succeed(base)
      }
    })
  )
