// Fault: what is wrong at one place of a plan file, and what to do about it.
import { brief } from "../text/Untrusted.ts"

export interface Fault {
  /** Where it is, in code units from the start of the text. */
  readonly at: number
  readonly says: string
}

/** The fault that comes first in the file; of those at one place the one that was found first. */
export const firstOf = (faults: ReadonlyArray<Fault>): Fault | undefined =>
  faults.reduce<Fault | undefined>(
    (first, fault) => first === undefined || fault.at < first.at ? fault : first,
    undefined
  )

const longest = 400

/** The fault on one line, with its place in the text. */
export const problemOf = (text: string, { at, says }: Fault): string => {
  const lines = text.slice(0, at).split("\n")
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${brief(says, longest)}`
}
