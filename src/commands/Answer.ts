// Answer: what a history command ends in: its exit code, and one line on standard error when it could not.
// The one rule: 0 done, 1 something wrong was found, 6 it could not; every failure has its place in the table.
import { Effect } from "effect"
import type { FindingsVerdict } from "../core/findings/FindingsReport.ts"
import type { HistoryCommand, RunsCommand } from "./Subcommand.ts"
import { oneLine } from "../core/text/Text.ts"
import { Output } from "../services/Output.ts"
import { type AuditVerdict, audits } from "../history/Audits.ts"
import { findings } from "./FindingsCommand.ts"
import { replayRun } from "../history/Replay.ts"
import { runsJson, runsTable } from "../history/RunsTable.ts"
import { selectAll } from "../runs/SelectRun.ts"
import { summarise } from "../history/Summary.ts"

/** How a command ended. `stderr` ends in a newline or is empty. */
export interface Answer {
  readonly stderr: string
  readonly code: number
}

/** Where and as which version the program runs. */
export interface Asked {
  readonly cwd: string
  readonly version: string
}

const verdicts = { Sound: 0, Findings: 1, Unreadable: 6 } as const satisfies Record<AuditVerdict, number>

/** What `findings` exits with, by what a batch's reviews say together. */
export const findingsExits = { None: 0, Findings: 1, Unknown: 6 } as const satisfies Record<FindingsVerdict, number>

/** Writes the list of the runs of the repository around `cwd`, or of every repository. */
const runs = Effect.fnUntraced(function*({ all, json, stateRoot }: RunsCommand, cwd: string) {
  const output = yield* Output
  const stored = yield* selectAll({ stateRoot, cwd }, all)
  const summaries = yield* Effect.forEach(stored, summarise)
  yield* output.write(json ? runsJson(summaries) : runsTable(summaries, { repository: all }))
})

const run = Effect.fnUntraced(function*(command: HistoryCommand, { cwd, version }: Asked) {
  switch (command._tag) {
    case "Runs":
      yield* runs(command, cwd)
      return 0
    case "Replay":
      yield* replayRun(command, cwd)
      return 0
    case "Audit":
      return verdicts[yield* audits(command, cwd, version)]
    case "Findings":
      return findingsExits[yield* findings(command, cwd, version)]
  }
})

const failures = {
  // The reader has gone away: there is nobody to be told.
  OutputClosed: 0,
  OutputFailed: 6,
  LogMissing: 6,
  LogDamaged: 1,
  LogRewound: 1,
  LogTooNew: 6,
  LogUnavailable: 6,
  NoSuchRun: 6,
  NoSuchLine: 6,
  NoFindings: 6,
  GitFailed: 6,
  StoreFailed: 6
} as const satisfies Record<Effect.Error<ReturnType<typeof run>>["_tag"], number>

/** Carries a history command out. */
export const answer = Effect.fn("Answer.answer")(
  (command: HistoryCommand, asked: Asked) =>
    Effect.match(run(command, asked), {
      onSuccess: (code): Answer => ({ stderr: "", code }),
      onFailure: (error): Answer => ({
        stderr: error._tag === "OutputClosed" ? "" : `ooda-codex-review: ${oneLine(error.message)}\n`,
        code: failures[error._tag]
      })
    })
)
