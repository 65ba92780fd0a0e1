// Naming: how a caller named a run and a state root, for the commands that are printed to that caller.
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

/** How the caller named the run and the state root; null for neither. `store`: the store that a flag named instead. */
export interface Naming {
  readonly run: string | null
  readonly stateRoot: string | null
  readonly store?: string | null
}

/** A caller who named neither. */
export const unnamed: Naming = { run: null, stateRoot: null }

const program = "ooda-codex-review"

const flag = (name: string, value: string | null): string =>
  value === null ? "" : ` ${name} ${shellWord(oneLine(value))}`

/** The flag that names the state root or the store, where the caller named one. A store's URL there has no password. */
export const rootFlag = ({ stateRoot, store = null }: Omit<Naming, "run">): string =>
  flag("--state-root", stateRoot) + flag("--store", store)

/** A command that reads the run that the caller named, in the state root that the caller named. */
export const readerCall = (words: string, { run, ...place }: Naming): string =>
  `${program} ${words}${run === null ? "" : ` --run ${run}`}${rootFlag(place)}`
