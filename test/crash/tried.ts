// tried: at which of the many places of a program this run of the suite has it die.
// The one rule: at all of them, or with CRASH_ONE_IN=N at each N-th, beginning anywhere, so that runs cover each other.

const oneIn = Number(process.env["CRASH_ONE_IN"] ?? "1")
const first = Math.floor(Math.random() * oneIn)

/** The places at which this run tries. */
export const tried = <A>(places: ReadonlyArray<A>): ReadonlyArray<A> => places.filter((_, i) => i % oneIn === first)
