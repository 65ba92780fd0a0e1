// Paths: the names of everything a run keeps on disk, as the contract lays them out.
// The one rule: a path is composed here and nowhere else; only validated parts go in.
import type { Level } from "./Level.ts"
import type { RunRef, TargetRef } from "./Refs.ts"

/** `<state-root>/<repo-id>/<target-key>`. */
export const targetRoot = ({ repoId, root, targetKey }: TargetRef): string => `${root}/${repoId}/${targetKey}`

/** `<target-root>/runs/<run-id>`. */
export const runDir = (run: RunRef): string => `${targetRoot(run)}/runs/${run.runId}`

/** `levels/level-<L>/batch-<n>` of a run. */
export const batchDir = (run: RunRef, level: Level, batch: number): string =>
  `${runDir(run)}/levels/level-${level}/batch-${batch}`

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
