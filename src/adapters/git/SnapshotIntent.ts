// SnapshotIntent: the note that an undo is under way: written before the first file is touched, removed at the end.
// It lies beside the log of the run, so that the next call on the run sees with one look whether an undo was cut off.
import { readFileSync, rmSync } from "node:fs"
import { Effect, Option, Schema } from "effect"
import type { RunRef } from "../../core/run/Refs.ts"
import { jsonText } from "../../core/text/JsonText.ts"
import { SnapshotFailed } from "../../services/Snapshots.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"
import { undoFile } from "../store/Layout.ts"
import { replaceFile } from "../store/SmallFile.ts"

/** The number of the snapshot that is gone back to, and the commit of the one that was taken before. */
const Intent = Schema.Struct({ to: Schema.Int, saved: Schema.String })
export type Intent = typeof Intent.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Intent))

const attempt = <A>(run: () => A): Effect.Effect<A, SnapshotFailed> =>
  Effect.try({ try: run, catch: (error) => new SnapshotFailed({ reason: systemFault(error) }) })

/** The note of a run, or null where no undo was cut off. The file is replaced as a whole, so it is whole. */
export const readIntent = (run: RunRef): Effect.Effect<Intent | null, SnapshotFailed> =>
  attempt(() => {
    try {
      return Option.getOrNull(decode(readFileSync(undoFile(run), "utf8")))
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null
      throw error
    }
  })

/** Writes the note. Durable when it returns. */
export const writeIntent = (run: RunRef, intent: Intent) =>
  attempt(() => replaceFile(undoFile(run), `${jsonText(intent)}\n`))

/** Removes the note. */
export const removeIntent = (run: RunRef) => attempt(() => rmSync(undoFile(run), { force: true }))
