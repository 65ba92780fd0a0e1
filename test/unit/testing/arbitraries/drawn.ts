// drawn: what an arbitrary draws, the same values in each run, and what it shrinks to.
import * as fc from "fast-check"
import { assert } from "vitest"

/** Some hundred values of an arbitrary. */
export const drawn = <A>(arbitrary: fc.Arbitrary<A>, numRuns = 300): ReadonlyArray<A> =>
  fc.sample(arbitrary, { numRuns, seed: 7 })

/** The value that every counterexample shrinks to, when all values are one. */
export const least = <A>(arbitrary: fc.Arbitrary<A>): A => {
  const { counterexample } = fc.check(fc.property<[A]>(arbitrary, () => false), { seed: 7 })
  return counterexample === null ? assert.fail("no counterexample") : counterexample[0]
}

/** The distinct tags among values. */
export const tagsOf = (
  values: ReadonlyArray<{ readonly _tag: string }>
): Array<string> => [...new Set(values.map(({ _tag }) => _tag))]
