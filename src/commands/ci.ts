// ci: the subcommand `ci`: what the GitHub Action of this repository calls.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { pullRequestOf } from "../core/ci/PullRequest.ts"
import { harmless } from "../core/ci/RunnerLines.ts"
import { marker } from "../core/ci/Told.ts"
import { Comments } from "../services/Comments.ts"
import { variable } from "../services/Environment.ts"
import { Output } from "../services/Output.ts"
import { Runner, RunnerFailed } from "../services/Runner.ts"
import { type Asked, flags, read } from "./ciFlags.ts"
import { ciRun, files } from "./ciRun.ts"
import { type Called, perform, subcommand } from "./Command.ts"
import { exited, exits } from "./Exits.ts"

export { read } from "./ciFlags.ts"

const pullRequest = Effect.gen(function*() {
  return yield* Result.match(pullRequestOf(yield* (yield* Runner).event), {
    onSuccess: Effect.succeed,
    onFailure: (problem) =>
      Effect.fail(new RunnerFailed({ variable: "GITHUB_EVENT_PATH", reason: { _tag: "NoEvent", problem } }))
  })
})

const called = Effect.fnUntraced(function*(asked: Asked, { cwd, version }: Called) {
  const where = yield* cwd
  const pull = yield* pullRequest
  if (asked.action === "run") return yield* ciRun(asked, pull, where, version)
  const { write } = yield* Output
  if (pull === null) {
    yield* write("no pull request to comment on\n")
    return exited(exits.done)
  }
  const { number, repository } = pull
  const out = asked.out ?? (yield* variable("RUNNER_TEMP")) ?? where
  const comment = { repository, number, author: asked.author, marker, file: `${out}/${files.comment}` }
  yield* write(`comment ${yield* (yield* Comments).put(comment, where)}\n`)
  return exited(exits.done)
})

/** Reviews and tells, or posts the comment. What it says of a failure may quote a stranger. */
export const run = Effect.fn("ci.run")((asked: Asked, where: Called) =>
  Effect.map(perform(called(asked, where)), (ending) => ({ ...ending, stderr: harmless(ending.stderr) }))
)

/** The subcommand. */
export const command = Command.make("ci", flags).pipe(subcommand({
  read,
  run,
  about: [
    "reviews or converges in a job of GitHub Actions, and tells what came of it.",
    "",
    "run writes SARIF, a page for each run, the text of a comment, the job's summary, outputs and annotations. post",
    "writes the comment on the pull request, or replaces the one that is there. The event says what is reviewed;",
    "--base names it where there is no pull request. For a pull request, configuration, dismissals and AGENTS.md come",
    "from its base. run exits 0, 1 when what was found fails the job, 6 when it could not review or tell; post exits",
    "0 or 6; 64 on misuse. docs/ci.md shows a workflow."
  ],
  examples: [
    { command: "ooda-codex-review ci run --levels low..high --fail-on P1", description: "Review a pull request." },
    { command: "ooda-codex-review ci post", description: "Say on the pull request what was found." }
  ]
}))
