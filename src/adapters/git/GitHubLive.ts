// GitHubLive: a pull request's base branch, asked through the `gh` program.
// It waits at most 30 seconds for one answer, which must be a valid branch name.
import { Effect, Layer, Result } from "effect"
import { parseBranch, type PrNumber } from "../../core/run/Target.ts"
import { GitHub, GitHubFailed } from "../../services/GitHub.ts"
import { exec, programFault } from "../process/Exec.ts"

const patience = 30_000

const baseOf = Effect.fn("GitHub.baseOf")(function*(root: string, number: PrNumber) {
  const done = yield* exec("gh", ["pr", "view", String(number), "--json", "baseRefName", "--jq", ".baseRefName"], {
    cwd: root,
    timeout: patience,
    env: { GH_PROMPT_DISABLED: "1", NO_COLOR: "1" }
  })
  if (done.code !== 0) return yield* new GitHubFailed({ number, reason: programFault("gh", done) })
  const branch = parseBranch(done.stdout.trim())
  return Result.isSuccess(branch)
    ? branch.success
    : yield* new GitHubFailed({ number, reason: { _tag: "UnusableBase", problem: branch.failure } })
})

/** The live layer. Needs the `gh` program, and only for pull requests. */
export const layer = Layer.succeed(GitHub, { baseOf })
