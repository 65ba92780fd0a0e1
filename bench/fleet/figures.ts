// figures: what a benchmark has measured, and whether it keeps its limit. One that does not makes the benchmark fail.

/** Milliseconds, or others, at a part of all from 0 to 1. */
export const quantile = (all: ReadonlyArray<number>, part: number): number => {
  const sorted = [...all].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The limit of a figure; null where it has none. */
export type Limit = { readonly least: number } | { readonly most: number } | null

/** Prints a figure beside its limit. */
export const figure = (what: string, value: number, unit: string, limit: Limit): void => {
  const measured = [`${what}: ${Number(value.toFixed(2))}`, ...(unit === "" ? [] : [unit])].join(" ")
  if (limit === null) return console.log(`      ${measured}`)
  const holds = "least" in limit ? value >= limit.least : value <= limit.most
  const wanted = "least" in limit ? `at least ${limit.least}` : `at most ${limit.most}`
  console.log(`${holds ? "ok   " : "WRONG"} ${measured} (${wanted})`)
  if (!holds) process.exitCode = 1
}
