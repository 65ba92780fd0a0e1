// QuotaReset: when a quota is full again, from the time on a clock or the span of time that codex names.
import { delayAt } from "./Delay.ts"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const day = 86_400_000
const dated = String.raw`(?<month>[a-z]{3})[a-z]* (?<date>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4}),? `
const timed = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2}) ?(?<half>[ap]m)?`
const clock = new RegExp(`^(?:${dated})?${timed}$`, "i")

const dayOf = ({ date, month, year }: Readonly<Record<string, string | undefined>>): number | null => {
  if (month === undefined) return null
  const index = months.indexOf(month.toLowerCase())
  return index < 0 ? Number.NaN : Date.UTC(Number(year), index, Number(date))
}

/**
 * The instant of `9:36 AM`, `Jan 5th, 2030 9:36 AM` or `3 days 4 hours` from now on, in epoch milliseconds; null for
 * anything else. `zone` is how far the clock of this place is ahead of UTC, in milliseconds. A time without a day is
 * the next one.
 */
export const quotaReset = (until: string, now: number, zone: number): number | null => {
  const said = until.trim().replace(/\s+/g, " ")
  const delay = delayAt(said)
  if (delay !== null && delay.words === said) return now + delay.millis
  const found = clock.exec(said)?.groups
  if (found === undefined) return null
  const half = found["half"]?.toLowerCase()
  const hour = Number(found["hour"])
  const minute = Number(found["minute"])
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return null
  const hours = half === undefined ? hour : hour % 12 + (half === "pm" ? 12 : 0)
  const today = Math.floor((now + zone) / day) * day
  const named = dayOf(found)
  const at = (named ?? today) + hours * 3_600_000 + minute * 60_000 - zone
  if (!Number.isFinite(at)) return null
  // A minute that is still running counts as now: the service names no seconds.
  return named === null && at + 60_000 <= now ? at + day : at
}
