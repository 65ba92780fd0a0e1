// ending: what an invocation prints and exits with.
import { type ExitCode, exits, type Failure } from "../platform/Failure.ts"
import { exitCode, type Outcome, stderrText } from "../run/Outcome.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The whole texts of both streams and the exit code. */
export interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** The ending of an outcome, with what goes to standard output before it. */
export const ending = (stdout: string, outcome: Outcome): Ending => ({
  stdout,
  stderr: stderrText(outcome),
  code: exitCode(outcome)
})

/** The ending of a call that asked for a text, such as its help. */
export const printEnding = (text: string): Ending => ({ stdout: `${text}\n`, stderr: "", code: 0 })

/** The ending of a command line that is wrong. */
export const usageEnding = (message: string, usage: string): Ending =>
  ending("", { _tag: "UsageError", message, usage })

/** The ending of a subcommand that wrote its output as it went. */
export const exited = (code: ExitCode): Ending => ({ stdout: "", stderr: "", code })

/** The ending of a subcommand that failed: one line on standard error says why, unless its reader has gone away. */
export const failed = ({ exitCode, message }: Failure): Ending => ({
  stdout: "",
  stderr: exitCode === exits.done ? "" : `ooda-codex-review: ${oneLine(message)}\n`,
  code: exitCode
})
