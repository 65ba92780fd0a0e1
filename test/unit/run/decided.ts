// decided: what loop mode decides for a run with these lines, for the tests of `decide`.
// The one rule: the context is one in which nothing is special; a test names what is.
import { decide, type DecideContext, type Decision } from "../../../src/run/Decide.ts"
import type { Event } from "../../../src/run/Event.ts"
import { created, given, tree } from "./events.ts"

/** An invocation that began long after every line, of code that is as the reviews saw it. */
export const context: DecideContext = {
  ceiling: "xhigh",
  retries: 2,
  openedAt: 100,
  identity: tree("t1"),
  maxBatches: null,
  paths: { findings: "/f.md", transcripts: "/t", logs: ["/t/low-1.log"], history: "/h.md" }
}

/** The decision for a run whose creation is followed by these lines. */
export const decided = (
  lines: ReadonlyArray<ReadonlyArray<Event>>,
  other: Partial<DecideContext> = {}
): Decision => decide(given([created()], ...lines), { ...context, ...other })

/** The halt of a run that may not do more. */
export const capped = (key: string): Decision => ({
  _tag: "Halt",
  outcome: { _tag: "StuckCapReached", action: "RunReviews", key }
})
