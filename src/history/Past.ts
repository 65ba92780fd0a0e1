// Past: the past of a run for programs: its log as a stream of events, and its audit as a value.
// The one rule: the same walk and the same audit as the subcommands', without their printing.
import { Effect, Schedule, Stream } from "effect"
import type { Head } from "../core/run/Event.ts"
import { beginning } from "../core/log/Line.ts"
import { version } from "../core/Version.ts"
import { EventLog } from "../services/EventLog.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type Audited, type AuditOptions, auditRun, type Word } from "./Audit.ts"
import { type Happening, unwalked, walkLine } from "./Walk.ts"

/** How often a followed log is looked at. */
const lookEvery = "200 millis"

/**
 * The events of a run's log in order, each once, with the state of the run before and after it. With
 * `follow` the stream goes on with what is committed later, and never ends by itself.
 */
export const replay = (run: RunRef, { follow = false }: { readonly follow?: boolean } = {}) =>
  Stream.unwrap(Effect.map(EventLog, (log) => {
    let walked = unwalked
    let head: Head = beginning
    const pass = Stream.suspend(() => log.stream(run, head)).pipe(
      Stream.map((part) => {
        const happenings: Array<Happening> = []
        for (const line of part.lines) walked = walkLine(walked, line, (happening) => happenings.push(happening))
        head = part.head
        return happenings
      }),
      Stream.flattenIterable
    )
    return follow ? Stream.repeat(pass, Schedule.spaced(lookEvery)) : pass
  }))

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
