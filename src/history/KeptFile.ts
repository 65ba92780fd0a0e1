// KeptFile: compares a file that a run keeps beside its log with what a line of the log says of it.
// A forged log may name any path. Only names are opened that the program itself would have given.
import { Effect } from "effect"
import { isKeptName, type Kept } from "../core/run/KeptName.ts"
import { oneLine } from "../core/text/Text.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { RunStore } from "../services/RunStore.ts"

/** What a line says of it: its name, the sha256 of it or the beginning of that, and its size. */
export interface KeptFile {
  readonly kept: Kept
  readonly file: string
  readonly hex: string
  readonly bytes: number
}

/** What is wrong with a kept file, or null. */
export const keptFinding = Effect.fn("KeptFile.keptFinding")(function*(
  run: RunRef,
  { bytes, file, hex, kept }: KeptFile
) {
  const wrong = (what: string): string => `${oneLine(file)}, which this line names, is ${what}`
  if (!isKeptName(kept, file)) return wrong("no name of a kept file")
  const now = yield* (yield* RunStore).digest(run, file)
  if (now === null) return wrong("missing")
  return now.hex.startsWith(hex) && now.bytes === bytes ? null : wrong("not the recorded one")
})
