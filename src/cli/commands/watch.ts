// watch: the subcommand `watch`: the former name of `status --follow`.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { subcommand } from "../command.ts"
import { jsonLines, storeFlags } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"
import { type Request, run } from "./status.ts"

export { run } from "./status.ts"

const flags = {
  ...runFlags,
  ...storeFlags,
  json: jsonLines
}

/** The request, or what is wrong with the arguments together. */
export const read = (given: Command.Command.Config.Infer<typeof flags>): Result.Result<Request, string> =>
  Result.map(selectorOf(given), (selector) => ({
    stateRoot: given.stateRoot,
    selector,
    follow: true,
    json: given.json
  }))

export const command = Command.make("watch", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "is `status --follow`: shows a run while it goes on.",
    "",
    "On a terminal what happened scrolls and what goes on is redrawn below it; else each line is printed as it happens,",
    "and one a minute for each reviewer, agent and test that is at work. Ends when no process works on the run, or on",
    "SIGINT. RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. Looks only;",
    "exits 0, 1 when the log is damaged, 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review watch --base main", description: "Watch what reviews the branch." }
  ]
}))
