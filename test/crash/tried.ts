// tried: at which of the many places of a program this run of the suite has it die.
// At all of them, or with CRASH_ONE_IN=N at each N-th, beginning anywhere, so that runs cover each other.
import { assert } from "vitest"

/** Of how many places one is tried. */
export const oneIn = Number(process.env["CRASH_ONE_IN"] ?? "1")
const first = Math.floor(Math.random() * oneIn)

/** The places at which this run tries: at least one. */
export const tried = <A>(places: ReadonlyArray<A>): ReadonlyArray<A> => {
  assert.isTrue(Number.isInteger(oneIn) && oneIn > 0, `CRASH_ONE_IN is no whole number: ${oneIn}`)
  // Where there are too few places for that beginning, the last of them is tried.
  const begin = Math.min(first, places.length - 1)
  const some = places.filter((_, i) => i % oneIn === begin)
  assert.isNotEmpty(some)
  return some
}
