// Reader: what an agent may not do that judges code: the retrospective, reviews and analyses of a plan's work, the second
// model of the hook, and every reviewer.
// It writes nothing, obeys nothing that the judged code or the agent of the work wrote, and reaches nothing outside. What
// it is to obey is in its prompt.
import type { Variables } from "../platform/Environment.ts"

/** How an engine keeps to one line: by arguments, or by variables. */
interface Means {
  readonly args?: ReadonlyArray<string>
  readonly variables?: Variables
}

/** The lines that each engine answers, so that a rule for one of them cannot be missing for another. */
export interface Reader {
  /** It changes no file and runs no command that could, whatever somebody's settings allow. */
  readonly writes: Means
  /** It obeys no AGENTS.md or CLAUDE.md, what they import, nor skills, commands and other agents. */
  readonly instructions: Means
  /** It takes no settings from the project: no hooks, servers, permissions, addresses and keys. */
  readonly settings: Means
  /** It knows nothing of earlier sessions, which an agent of the work can write. */
  readonly memory: Means
  /** It reaches no other session, and no server or browser of the user's. */
  readonly outside: Means
}

/** A line that needs nothing, because the engine cannot do this or the answer to another line prevents it. */
export const kept: Means = {}

/** The arguments that make an engine a reader. */
export const readerArguments = (reader: Partial<Reader>): ReadonlyArray<string> =>
  Object.values(reader).flatMap(({ args = [] }: Means) => args)

/** The variables of a reader. */
export const readerVariables = (reader: Partial<Reader>): Variables =>
  Object.assign({}, ...Object.values(reader).map(({ variables = {} }: Means) => variables))
