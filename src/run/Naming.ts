// Naming: how a caller named a run and the place of runs, for the commands that are printed to that caller.
import { Context } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The state root that the caller named, or the store in a database; null for neither. */
export interface Place {
  readonly stateRoot: string | null
  readonly store: string | null
}

/** How the caller named the run, null if not, and where runs are. */
export interface Naming extends Place {
  readonly run: string | null
}

/** A caller who named neither. */
export const unnamed: Naming = { run: null, stateRoot: null, store: null }

/** The place that the flags of the present call name. Whatever prints a command reads it, so that none forgets it. */
export const CallPlace = Context.Reference<Place>("ooda-codex-review/run/CallPlace", { defaultValue: () => unnamed })

const program = "ooda-codex-review"

const flag = (name: string, value: string | null): string =>
  value === null ? "" : ` ${name} ${shellWord(oneLine(value))}`

/** The flag that names the state root or the store, where the caller named one. A store's URL there has no password. */
export const rootFlag = ({ stateRoot, store }: Place): string =>
  flag("--state-root", stateRoot) + flag("--store", store)

/** A command that reads the run that the caller named, at the place that the caller named. */
export const readerCall = (words: string, { run, ...place }: Naming): string =>
  `${program} ${words}${run === null ? "" : ` --run ${run}`}${rootFlag(place)}`
