// Fault: what is wrong at one place of a plan file, and what to do about it.
import { brief } from "../text/Untrusted.ts"

export interface Fault {
  /** Where it is, in code units from the start of the text. */
  readonly at: number
  readonly says: string
  /** What to do about it. */
  readonly remedy: string
}

/** A place in a text, as people count: both numbers from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The fault that comes first in the file; of those at one place the one that was found first. */
export const firstOf = (faults: ReadonlyArray<Fault>): Fault | undefined =>
  faults.reduce<Fault | undefined>(
    (first, fault) => first === undefined || fault.at < first.at ? fault : first,
    undefined
  )

/** The place of an offset in a text with `\n` at the ends of its lines. */
export const placeIn = (text: string, at: number): Place => {
  const lines = text.slice(0, at).split("\n")
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

const longest = 300

/** What is wrong at a place, on one line. Whatever it quotes, the remedy stays. */
export const problemAt = ({ column, line }: Place, says: string, remedy: string): string =>
  `line ${line}, column ${column}: ${brief(says, longest)} [${brief(remedy, longest)}]`

/** The fault on one line, with its place in the text. */
export const problemOf = (text: string, { at, remedy, says }: Fault): string =>
  problemAt(placeIn(text, at), says, remedy)
