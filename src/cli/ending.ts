// ending: what an invocation prints and exits with.
import { exitCode, type Outcome, stderrText } from "../run/Outcome.ts"

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
export const printed = (text: string): Ending => ({ stdout: `${text}\n`, stderr: "", code: 0 })

/** The ending of a command line that is wrong. */
export const misused = (message: string, usage: string): Ending => ending("", { _tag: "UsageError", message, usage })
