// Ladder: levels, and the triples of floor, ceiling and current level that a run can stand at.
// The one rule: the ceiling is never below the floor and the current level never below it; above the ceiling is legal.
import * as fc from "fast-check"
import type { Ladder } from "../../core/run/Ladder.ts"
import { compare, type Level, levels } from "../../core/run/Level.ts"

/** A level; shrinks towards low. */
export const level: fc.Arbitrary<Level> = fc.constantFrom(...levels)

/** A level that is not below `floor`; shrinks towards it. */
export const levelFrom = (floor: Level): fc.Arbitrary<Level> =>
  fc.constantFrom(...levels.filter((one) => compare(one, floor) >= 0))

/**
 * A ladder as the command line admits it, with a current level anywhere from the floor to the ladder edge: on the
 * way up, at the ceiling, or above it, where only `--advance-level` leads.
 */
export const ladder = (overrides: { readonly floor?: fc.Arbitrary<Level> } = {}): fc.Arbitrary<Ladder> =>
  (overrides.floor ?? level).chain((floor) =>
    fc.record({ floor: fc.constant(floor), ceiling: levelFrom(floor), current: levelFrom(floor) }, {
      noNullPrototype: true
    })
  )
