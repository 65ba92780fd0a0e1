// Past: the past of a run for programs: its log as a stream of events, and its audit as a value.
// The one rule: the same walk and the same audit as the subcommands', without their printing.
import { Effect } from "effect"
import { version } from "../core/Version.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type Audited, type AuditOptions, auditRun, type Word } from "./Audit.ts"

/** What an audit found, in order, and what it amounts to. */
export interface AuditReport extends Audited {
  readonly words: ReadonlyArray<Word>
}

/** Audits a stored run: its log, transitions, verdicts and files; only reads. Nothing found is a sound run. */
export const audit = Effect.fn("Past.audit")(function*(run: RunRef, options: Partial<AuditOptions> = {}) {
  const words: Array<Word> = []
  const audited = yield* auditRun(
    run,
    { expectHead: null, logOnly: false, reclassify: false, version, ...options },
    (more) => Effect.sync(() => {
      words.push(...more)
    })
  ).pipe(
    // Nothing is printed here, so no output can fail; the type need not say otherwise.
    Effect.catchTag(["OutputClosed", "OutputFailed"], Effect.die)
  )
  return { ...audited, words } satisfies AuditReport
})
