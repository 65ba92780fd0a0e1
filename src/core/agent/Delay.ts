// Delay: a span of time in a service's own words, such as `1m 20s` or `3 days 4 hours`.

const unit = String
  .raw`milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|months?|m|hours?|hrs?|h|days?|d|weeks?|w`
const part = new RegExp(String.raw`(?:,|\s|\band\b){0,8}(\d{1,15}(?:\.\d{1,9})?)\s{0,4}(?:(${unit})(?![a-z]))?`, "iy")
const day = 86_400_000

const millisOf = (name: string): number => {
  if (/^(?:ms|milli)/.test(name)) return 1
  if (name.startsWith("mo")) return 30 * day
  return { s: 1_000, m: 60_000, h: 3_600_000, d: day, w: 7 * day }[name[0] ?? ""] ?? 1_000
}

/** The span that a text begins with, in its words and in milliseconds; null where it begins with none. */
export const delayAt = (text: string): { readonly words: string; readonly millis: number } | null => {
  let millis = 0
  let end = 0
  for (;;) {
    part.lastIndex = end
    const found = part.exec(text)
    // A number without a unit counts seconds, and stands alone.
    if (found === null || (end > 0 && found[2] === undefined)) break
    millis += Number(found[1]) * millisOf((found[2] ?? "s").toLowerCase())
    end = part.lastIndex
    if (found[2] === undefined) break
  }
  return end === 0 ? null : { words: text.slice(0, end).trim(), millis: Math.ceil(millis) }
}

/** The delay that a service names: `try again in 1.5s`, `retry after 30`. */
export const namedDelay = (said: string): ReturnType<typeof delayAt> => {
  const found = /\b(?:try again (?:in|after)|retry (?:in|after))\s{1,4}/i.exec(said)
  return found === null ? null : delayAt(said.slice(found.index + found[0].length))
}
