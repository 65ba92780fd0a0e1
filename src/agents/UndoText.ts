// UndoText: what an undo tells, and the list of snapshots, for people and for programs.
import { causeText, shownName, type Snapshot } from "../core/agent/Snapshot.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { counted } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import type { Restored } from "../services/Snapshots.ts"

const partText = ({ leftOut }: Snapshot): string =>
  leftOut.length === 0 ? "" : `, without ${leftOut.map(shownName).join(", ")}`

/** One line a snapshot. */
export const snapshotsText = (run: RunRef, snapshots: ReadonlyArray<Snapshot>): string =>
  snapshots.length === 0
    ? `run ${run.runId} has no snapshots\n`
    : snapshots.map((one) => `${oneLine(`${one.number}  ${one.at}  ${causeText(one.cause)}${partText(one)}`)}\n`).join(
      ""
    )

const documentOf = ({ at, cause, commit, leftOut, number }: Snapshot) => ({
  number,
  at,
  cause: cause._tag,
  ...("agent" in cause ? { agent: cause.agent } : { to: cause.to }),
  commit,
  leftOut: leftOut.map(shownName)
})

/** The same as one document. */
export const snapshotsJson = (run: RunRef, snapshots: ReadonlyArray<Snapshot>): string =>
  `${jsonText({ schema: 1, run: run.runId, snapshots: snapshots.map(documentOf) })}\n`

const leftText = (left: ReadonlyArray<string>): string =>
  left.length === 0 ? "" : `left as they are, because no snapshot holds them: ${left.map(shownName).join(", ")}\n`

/** What an undo did. */
export const undoneText = ({ left, removed, saved, to, written }: Restored): string => {
  const where = `snapshot ${to.number} (${to.at}, ${causeText(to.cause)})`
  if (saved === null) return `nothing to undo: the files are those of ${where}\n${leftText(left)}`
  const done = `${counted(written, "file")} written, ${removed} removed`
  return `back at ${where}: ${done} [undo --to ${saved.number} brings back what was there]\n${leftText(left)}`
}

/** The same as one document. */
export const undoneJson = ({ left, removed, saved, to, written }: Restored): string =>
  `${
    jsonText({
      schema: 1,
      run: to.run.runId,
      to: documentOf(to),
      saved: saved === null ? null : documentOf(saved),
      written,
      removed,
      left: left.map(shownName)
    })
  }\n`
