// Space: what fills the disk of the state root, in words, and the command that frees some of it.
import { size } from "../text/Phrases.ts"
import { shellWord } from "./Check.ts"

/** What a store takes up on its disk, and the file that takes up most of it. */
export interface Filling {
  readonly root: string
  readonly bytes: number
  readonly largest: { readonly path: string; readonly bytes: number } | null
}

// A shorter transcript is never cut.
const worthCutting = 200_000

/** In words, what fills the disk. */
export const fillingText = ({ bytes, largest, root }: Filling): string =>
  `the state root ${root} holds ${size(bytes)}` +
  (largest === null ? "" : `, ${size(largest.bytes)} of it in ${largest.path}`)

/** How space is made without losing a run. */
export const howToFree = ({ largest, root }: Filling): string =>
  largest === null || largest.bytes < worthCutting
    ? `free space on the disk of ${shellWord(root)}`
    : `ooda-codex-review runs --prune --transcripts --all --state-root ${shellWord(root)}`
