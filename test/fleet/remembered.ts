// remembered: what a store has acknowledged, as somebody saw it who asked again and again: all of it must stay.

/** Asks a database in its own language. */
export type Ask = <A extends object>(text: string) => Promise<ReadonlyArray<A>>

interface Line {
  readonly run: string
  readonly seq: number
  readonly hash: string
}

/** What was seen, and what of it is not there any more. */
export interface Remembered {
  readonly lines: number
  readonly reviews: number
  readonly missingLines: ReadonlyArray<string>
  readonly missingReviews: ReadonlyArray<string>
}

const named = ({ run, seq }: Line): string => `${run} ${seq}`
const exited = "select id from ooda_attempt where state = 'exited'"

/**
 * Remembers the ends of all logs and the reviews that were handed in. Whoever sees them over a connection of its own
 * sees what was committed. A line holds the hash of the one before it, so the ends represent all lines.
 */
export const remembering = (ask: Ask) => {
  const ends = new Map<string, string>()
  const reviews = new Set<string>()
  return {
    look: async (): Promise<void> => {
      for (const end of await ask<Line>("select id::text as run, seq, hash from ooda_run")) {
        ends.set(named(end), end.hash)
      }
      for (const { id } of await ask<{ id: string }>(exited)) reviews.add(id)
    },
    compared: async (): Promise<Remembered> => {
      const lines = await ask<Line>("select run::text, seq, hash from ooda_line")
      const there = new Map(lines.map((line) => [named(line), line.hash]))
      const kept = new Set((await ask<{ id: string }>(exited)).map(({ id }) => id))
      return {
        lines: ends.size,
        reviews: reviews.size,
        missingLines: [...ends].filter(([name, hash]) => there.get(name) !== hash).map(([name]) => name),
        missingReviews: [...reviews].filter((id) => !kept.has(id))
      }
    }
  }
}
