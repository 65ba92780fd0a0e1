// PrunedText: what pruning tells: the runs it removed and the old ones it kept.
// One line a run. Nothing is removed without a line about it.
import { jsonText } from "../core/text/JsonText.ts"
import { oneLine } from "../core/text/Text.ts"
import { counted, size, span } from "../core/text/Phrases.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Judged, Kept } from "./Prune.ts"

const keptText = (kept: Kept): string => {
  switch (kept._tag) {
    case "ReviewersRun":
      return "reviewers, agents or tests of it run"
    case "OfAnotherRun":
      return "its log is about another run"
    case "Unfinished":
      return "unfinished: the next call goes on with it"
    case "UndoUnfinished":
      return "an undo of it was cut off: the next call or undo of the run finishes it"
    case "Unreadable":
      return `cannot be read: ${kept.error.message}`
    case "NotRemoved":
      return `cannot be removed: ${kept.error.message}`
  }
}

const line = ({ age, freed, gone, kept, run }: Judged, dryRun: boolean): string => {
  if (gone === true) {
    const done = dryRun ? "would remove" : "removed"
    return `${oneLine(`${done} the snapshots of ${run.runId} (${run.repoId}/${run.targetKey}), a run that is gone`)}\n`
  }
  if (freed !== undefined) {
    const done = dryRun ? "would free" : "freed"
    return `${oneLine(`${done} ${size(freed)} of transcripts of ${run.runId} (${run.repoId}/${run.targetKey})`)}\n`
  }
  const what = kept === null ? dryRun ? "would remove" : "removed" : "kept"
  const why = kept === null ? "" : `: ${keptText(kept)}`
  return `${oneLine(`${what} ${run.runId} (${run.repoId}/${run.targetKey}, ${span(age)} old)${why}`)}\n`
}

/** The least age of the runs in milliseconds, whether it was a dry run, and where a run lies. */
interface Asked {
  readonly age: number
  readonly dryRun: boolean
  readonly transcripts?: boolean
  readonly directoryOf: (run: RunRef) => string
}

/** The lines for people. */
export const pruned = (judged: ReadonlyArray<Judged>, { age, dryRun, transcripts }: Asked): string => {
  if (judged.length === 0) return `no run is older than ${span(age)}\n`
  const freed = judged.reduce((sum, one) => sum + (one.freed ?? 0), 0)
  if (transcripts === true) {
    const told = judged.filter((one) => one.freed !== 0).map((one) => line(one, dryRun)).join("")
    return `${told}${dryRun ? "would free" : "freed"} ${size(freed)} of transcripts\n`
  }
  const runs = judged.filter(({ gone }) => gone !== true)
  const removed = runs.filter(({ kept }) => kept === null).length
  const total = `${dryRun ? "would remove" : "removed"} ${counted(removed, "run")}, kept ${runs.length - removed}\n`
  return judged.map((one) => line(one, dryRun)).join("") + total
}

/** The document of `--json`: one line. Ages in milliseconds. */
export const prunedJson = (judged: ReadonlyArray<Judged>, { directoryOf, dryRun }: Asked): string =>
  `${
    jsonText({
      schema: 1,
      dryRun,
      runs: judged.map(({ age, freed, gone, kept, run }) => ({
        run: run.runId,
        repo: run.repoId,
        target: run.targetKey,
        directory: directoryOf(run),
        age: Math.round(age),
        removed: kept === null && !dryRun && freed === undefined,
        ...(freed === undefined ? {} : { freed }),
        ...(gone === true ? { gone } : {}),
        kept: kept === null ? null : keptText(kept)
      }))
    })
  }\n`
