// Naming: how a caller named a run and a state root, for the commands that are printed to that caller.
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

/** How the caller named the run and the state root; null for neither. */
export interface Naming {
  readonly run: string | null
  readonly stateRoot: string | null
}

/** A caller who named neither. */
export const unnamed: Naming = { run: null, stateRoot: null }

const program = "ooda-codex-review"

/** The flag that names the state root, where the caller named one. */
export const rootFlag = ({ stateRoot }: Pick<Naming, "stateRoot">): string =>
  stateRoot === null ? "" : ` --state-root ${shellWord(oneLine(stateRoot))}`

/** A command that reads the run that the caller named, in the state root that the caller named. */
export const readerCall = (words: string, { run, stateRoot }: Naming): string =>
  `${program} ${words}${run === null ? "" : ` --run ${run}`}${rootFlag({ stateRoot })}`
