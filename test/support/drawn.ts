// drawn: what an arbitrary draws, the same values in each run.
import * as fc from "fast-check"

/** Some hundred values of an arbitrary. */
export const drawn = <A>(arbitrary: fc.Arbitrary<A>, numRuns = 300): ReadonlyArray<A> =>
  fc.sample(arbitrary, { numRuns, seed: 7 })

/** The distinct tags among values. */
export const tagsOf = (
  values: ReadonlyArray<{ readonly _tag: string }>
): Array<string> => [...new Set(values.map(({ _tag }) => _tag))]
