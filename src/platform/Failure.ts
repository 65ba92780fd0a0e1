// Failure: an error that a user sees. Its class says with which exit code, its message what happened and what to do.

/**
 * The exit codes of subcommands: `wrong` for something wrong that was found, `couldNot` for a call that could not look,
 * `usage` for a wrong command line.
 */
export const exits = { done: 0, wrong: 1, couldNot: 6, usage: 64 } as const
export type ExitCode = typeof exits[keyof typeof exits]

/**
 * An error that may reach the command line. A step ends in the outcome `BinaryError` after any of them; every other
 * subcommand ends with the exit code of the error's class.
 */
export interface Failure extends Error {
  readonly _tag: string
  readonly exitCode: ExitCode
}
