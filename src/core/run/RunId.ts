// RunId: how runs are named, so that their names sort as they were created.

/** `<run-id>` = `<utc-second>-<nanos>-p<pid>`. */
export const runIdPattern = /^\d{8}T\d{6}Z-\d{9}-p\d+$/

/** A run id for an instant (milliseconds and nanoseconds within its second) and a process. */
export const runId = (isoSecond: string, nanos: number, pid: number): string =>
  `${isoSecond.replace(/\.\d+Z?$/, "Z").replace(/[-:]/g, "")}-${String(nanos).padStart(9, "0")}-p${pid}`

/**
 * The id for a new run beside `newest`, the last in the order of names: `id` itself or, where the clock has gone back
 * and it would come before that one, an id of the nanosecond after it. So the newest run is always the last created.
 */
export const runIdAfter = (id: string, newest: string | null): string => {
  if (newest === null || id > newest) return id
  const [, year, month, day, hour, minute, second, nanos] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{9})/.exec(newest) ?? []
  const next = (Number(nanos) + 1) % 1_000_000_000
  const begins = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + (next === 0 ? 1000 : 0)
  if (Number.isNaN(begins)) return id
  return runId(new Date(begins).toISOString(), next, Number(id.slice(id.lastIndexOf("p") + 1)))
}
