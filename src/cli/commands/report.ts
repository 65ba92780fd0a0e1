// report: the subcommand `report`: writes everything about one run as one HTML page.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { page } from "../../read/report/page/Page.ts"
import { report } from "../../read/report/Report.ts"
import { type CallContext, misusedCall, subcommand } from "../command.ts"
import { flags, read, type Request, writeDocument } from "../outFile.ts"

export { type Request, read } from "../outFile.ts"

const written = writeDocument("report", (run) => Effect.map(report(run), page))

const misuse = {
  message: "the page is HTML, which a terminal does not show",
  meant: "--out ../report.html",
  call: "ooda-codex-review report"
}

/** Writes the page, but not on a terminal. */
export const run = (asked: Request, context: CallContext) =>
  asked.out === null && (context.columns ?? null) !== null
    ? Effect.succeed(misusedCall(misuse, false))
    : written(asked, context)

export const command = Command.make("report", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "writes one HTML page about a run: its outcome and proof, its way, its findings, its rounds.",
    "",
    "The page needs nothing but itself: it loads nothing, has a dark and a print form, and its one script filters the",
    "findings. What reviewers and agents wrote is text in it and nothing else; secrets of known forms are taken out.",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. The page goes to",
    "standard output, if that is no terminal, or with --out to a file. Reads only; exits 0, 1 when a log is damaged, 6 when it could not,",
    "64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review report --out ../report.html", description: "Write the page of the newest run here." },
    { command: "ooda-codex-review report --base main > ../report.html", description: "The run against a branch." }
  ]
}))
