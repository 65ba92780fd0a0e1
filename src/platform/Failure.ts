// Failure: an error that a user sees. Its class says with which exit code, its message what happened and what to do.

/**
 * The exit codes of subcommands: `wrong` for something wrong that was found, `couldNot` for a call that could not look,
 * `usage` for a wrong command line.
 */
export const exits = { done: 0, wrong: 1, couldNot: 6, usage: 64 } as const
export type ExitCode = typeof exits[keyof typeof exits]

/** An error that may reach the command line: a step ends as `BinaryError`, a subcommand with this exit code. */
export interface Failure extends Error {
  readonly _tag: string
  readonly exitCode: ExitCode
}
