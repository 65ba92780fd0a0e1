// Failure: an error that a user sees. Its class has the exit code; its message says what happened and what to do.
import { Cause } from "effect"
import { brief } from "../text/Untrusted.ts"

/**
 * The exit codes of subcommands: `wrong`: something wrong was found; `couldNot`: the call could not look; `usage`: a
 * wrong command line.
 */
export const exits = { done: 0, wrong: 1, couldNot: 6, usage: 64 } as const
export type ExitCode = typeof exits[keyof typeof exits]

/** An error that may reach the command line: a step ends as `BinaryError`, a subcommand with this exit code. */
export interface Failure extends Error {
  readonly _tag: string
  readonly exitCode: ExitCode
  /** What a subcommand says in place of `message`, whose words the contract of the step keeps. */
  readonly plain?: string
}

/** What a subcommand says of a failure. */
export const plainText = ({ message, plain = message }: Pick<Failure, "message" | "plain">): string => plain

/** What a user reads of a defect, which no class of failures describes. */
export const defectText = (cause: Cause.Cause<unknown>): string => {
  const [defect] = Cause.prettyErrors(cause)
  return `internal error: ${brief(defect?.message ?? "unknown", 500)} [please report it]`
}
