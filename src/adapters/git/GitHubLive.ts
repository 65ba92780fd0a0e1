// GitHubLive: a pull request's base branch, asked through the `gh` program.
// The branch of that name here may be old, or a fork's: HEAD must leave it where it leaves the base on GitHub.
import { Effect, Layer, Option, Result, Schema } from "effect"
import { shellWord } from "../../core/doctor/Check.ts"
import { repoIdsOf } from "../../core/fleet/Meant.ts"
import { type BranchName, parseBranch, type PrNumber } from "../../core/run/Target.ts"
import { GitHub, GitHubFailed, type GitHubReason } from "../../services/GitHub.ts"
import { exec, programFault } from "../process/Exec.ts"
import { baseOf as localBase, mergeBase, noBase } from "./Base.ts"
import { commitId } from "./Command.ts"
import { remotesOf } from "./GitLive.ts"

// Milliseconds for the one answer.
const patience = 30_000

const Answer = Schema.Struct({
  baseRefName: Schema.String,
  baseRefOid: Schema.String.check(Schema.isPattern(/^[0-9a-f]{40,64}$/)),
  url: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** Fails where HEAD leaves a branch here at another commit than on GitHub. */
const matching = Effect.fnUntraced(function*(root: string, branch: BranchName, answer: typeof Answer.Type) {
  // What else is wrong with a base is said of every target.
  const here = yield* Effect.catch(localBase(root, branch), () => Effect.succeed(noBase))
  if (here.mergeBase === null) return
  const repository = /^(https:\/\/\S+)\/pull\/\d+$/.exec(answer.url ?? "")?.[1] ?? "origin"
  const ids = repoIdsOf(repository)
  const remote = (yield* remotesOf(root)).find(({ url }) => repoIdsOf(url).some((id) => ids.includes(id)))?.name
  // GitHub tells the base as it was at the last push to the pull request: what was fetched since counts too.
  const fetched = remote === undefined ? null : yield* commitId(root, `refs/remotes/${remote}/${branch}`)
  const commits = [answer.baseRefOid, ...(fetched === null ? [] : [fetched])]
  if ((yield* mergeBase(root, ...commits)) === here.mergeBase) return
  const problem = `${branch} here is not what it is on GitHub, so another change would be reviewed`
  const fetch = `git fetch ${shellWord(remote ?? repository)} ${shellWord(`${branch}:${branch}`)}`
  return yield* Effect.fail<GitHubReason>({ _tag: "UnusableBase", problem, fetch })
})

const baseOf = Effect.fn("GitHub.baseOf")(function*(root: string, number: PrNumber) {
  const done = yield* exec("gh", ["pr", "view", String(number), "--json", "baseRefName,baseRefOid,url"], {
    cwd: root,
    timeout: patience,
    env: { GH_PROMPT_DISABLED: "1", NO_COLOR: "1" }
  })
  const failed = (reason: GitHubReason) => new GitHubFailed({ number, reason })
  if (done.code !== 0) return yield* failed(programFault("gh", done))
  const text = done.stdout.trim()
  // A program in place of gh may answer with the name alone.
  const answer = Option.getOrNull(decode(text))
  const branch = parseBranch(answer?.baseRefName ?? text)
  if (Result.isFailure(branch)) return yield* failed({ _tag: "UnusableBase", problem: branch.failure })
  if (answer !== null) yield* Effect.mapError(matching(root, branch.success, answer), failed)
  return branch.success
})

/** The live layer. Needs the `gh` program, and only for pull requests. */
export const layer = Layer.succeed(GitHub, { baseOf })
