// KeptFile: a file that a run keeps beside its log, against what a line says of it.
// The one rule: a log that was forged may name any path; only what the program itself would have called so is opened.
import { Effect } from "effect"
import { isKeptName } from "../core/run/KeptName.ts"
import { oneLine } from "../core/text/Text.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { RunStore } from "../services/RunStore.ts"
import type { KeptFile } from "./Examine.ts"
import type { Finding } from "./AuditFinding.ts"

/** What is wrong with a kept file, or null. */
export const keptFinding = Effect.fn("KeptFile.keptFinding")(function*(
  run: RunRef,
  { bytes, file, hex, kind, line }: KeptFile
) {
  const found = (what: string): Finding => ({ kind, line, text: `${oneLine(file)}, which this line names, is ${what}` })
  if (!isKeptName(kind === "torn" ? kind : "text", file)) return found("no name of a kept file")
  const now = yield* (yield* RunStore).digest(run, file)
  if (now === null) return found("missing")
  return now.hex.startsWith(hex) && now.bytes === bytes ? null : found("not the recorded one")
})
