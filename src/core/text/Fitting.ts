// Fitting: as many values as an event of a log has room for.

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length + 1

/** The first values whose JSON takes at most so many bytes together. A line of a log holds 64 KiB. */
export const fitting = <A>(values: ReadonlyArray<A>, most: number): ReadonlyArray<A> => {
  let left = most
  const end = values.findIndex((value) => (left -= bytesOf(value)) < 0)
  return end < 0 ? values : values.slice(0, end)
}
