// Paths: the names of everything a run keeps on disk, as the contract lays them out.
// The one rule: a path is composed here and nowhere else; only validated parts go in.
import type { Level } from "./Level.ts"

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

/** `<state-root>/<repo-id>/<target-key>`. */
export const targetRoot = (stateRoot: string, repoId: string, targetKey: string): string =>
  `${stateRoot}/${repoId}/${targetKey}`

/** `<target-root>/runs/<run-id>`. */
export const runDir = (root: string, id: string): string => `${root}/runs/${id}`

/** `levels/level-<L>/batch-<n>` of a run. */
export const batchDir = (run: string, level: Level, batch: number): string =>
  `${run}/levels/level-${level}/batch-${batch}`

/** The files of one attempt of a slot. The current attempt has the contract's plain names. */
export interface SlotFiles {
  readonly log: string
  readonly out: string
  readonly exit: string
  readonly run: string
  readonly lock: string
  readonly review: string
}

/** The files of a slot's current attempt: `<L>-<slot>.{log,out,exit}`, with `.run` and `.lock` per attempt. */
export const slotFiles = (dir: string, level: Level, slot: number, attempt: number): SlotFiles => {
  const stem = `${dir}/${level}-${slot}`
  return {
    log: `${stem}.log`,
    out: `${stem}.out`,
    exit: `${stem}.exit`,
    review: `${stem}.review.json`,
    run: `${stem}.${attempt}.run`,
    lock: `${stem}.${attempt}.lock`
  }
}

/** The names that an ended attempt's files are moved to before the next attempt starts. */
export const archivedFiles = (dir: string, level: Level, slot: number, attempt: number) => {
  const stem = `${dir}/${level}-${slot}.${attempt}`
  return { log: `${stem}.log`, out: `${stem}.out`, exit: `${stem}.exit`, review: `${stem}.review.json` }
}
