// Sound: the histories that a sequence of commands has written, audited from their first line to their last.
// The one rule: the audit is the product's own, and it must not find anything in what the program itself has written.
import { Effect } from "effect"
import type { FindingKind } from "../../history/AuditFinding.ts"
import { audit, type AuditReport } from "../../history/Audit.ts"
import { RunStore } from "../../services/RunStore.ts"
import { Broken } from "./Invariants.ts"
import { directory } from "./Observe.ts"

// What the world does may be found: code that was edited under review, a reviewer whose step was killed before it.
const ofTheWorld: ReadonlyArray<FindingKind> = ["tree-changed", "unended"]

/** Whether a caller declared the fixed point of a run that is not strict: it may do so whatever was reviewed. */
const isCallersWord = (report: AuditReport | null): boolean =>
  report?.proof?.strict === false && report.proof.fixedPoint.by === "Mark"

/** Audits every run of the machine. Dies with Broken when something is found. */
export const sound = Effect.gen(function*() {
  const store = yield* RunStore
  for (const run of yield* store.list(yield* store.open(null, directory), null)) {
    // A run whose creator was killed before its first line is no run yet.
    const report = yield* audit(run).pipe(Effect.catchTag("LogMissing", () => Effect.succeed(null)))
    for (const word of report?.words ?? []) {
      if (word._tag !== "Found" || ofTheWorld.includes(word.finding.kind)) continue
      if (word.finding.kind === "proof" && isCallersWord(report)) continue
      return yield* Effect.die(new Broken(`audit of ${run.runId}, line ${word.finding.line}: ${word.finding.text}`))
    }
  }
})
