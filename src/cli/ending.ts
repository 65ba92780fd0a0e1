// ending: the output and the exit code of an invocation.
import { type ExitCode, exits, type Failure, plainText } from "../platform/Failure.ts"
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

/** The ending of a call for a text, such as its help. */
export const printEnding = (text: string): Ending => ({ stdout: `${text}\n`, stderr: "", code: 0 })

/** The ending of a wrong command line. */
export const usageEnding = (message: string, usage: string): Ending =>
  ending("", { _tag: "UsageError", message, usage })

/** The ending of a subcommand that wrote its output as it went. */
export const exited = (code: ExitCode): Ending => ({ stdout: "", stderr: "", code })

/** The ending of a subcommand that failed: one line on standard error says why, unless its reader has gone away. */
export const failed = (failure: Failure): Ending => ({
  stdout: "",
  stderr: failure.exitCode === exits.done ? "" : `error: ${oneLine(plainText(failure))}\n`,
  code: failure.exitCode
})

/** The mistake in the command line of a subcommand, the probable intention, and the call whose help says more. */
export interface Misuse {
  readonly message: string
  readonly meant: string | null
  readonly call: string
}

/** The commands that end in a header of the contract. */
const withHeader: ReadonlySet<string> = new Set(["ooda-codex-review converge", "ooda-codex-review implement"])

/** The ending of a subcommand with a wrong command line: at most three lines. */
export const misused = ({ call, meant, message }: Misuse): Ending => ({
  stdout: "",
  stderr: [
    `${withHeader.has(call) ? "UsageError" : "error"}: ${oneLine(message)}`,
    ...(meant === null ? [] : [`did you mean ${oneLine(meant)}?`]),
    `see '${call} --help'`
  ].map((line) => `${line}\n`).join(""),
  code: exits.usage
})
