// observed: machines as they are seen between two commands, made of lines and reviewers that a test names.
import { fold } from "../../../../src/run/Manifest.ts"
import type { Event } from "../../../../src/run/Event.ts"
import type { Observed } from "../../../../src/testing/model/Invariants.ts"
import { clean, type Scripted } from "../../../../src/testing/Scripted.ts"
import type { Reviewer } from "../../../../src/testing/World.ts"
import { created, log } from "../../run/events.ts"
import { attempt, launch, run } from "../attempts.ts"

/** A machine whose current run has these lines behind its creation. */
export const observed = (lines: ReadonlyArray<ReadonlyArray<Event>>, others: Partial<Observed> = {}): Observed => {
  const commits = log([created()], ...lines)
  return { run, commits, manifest: fold(commits), reviewers: [], code: "code-1", now: 0, ...others }
}

/** A machine on which nothing was ever run. */
export const untouched: Observed = { run: null, commits: [], manifest: null, reviewers: [], code: "code-1", now: 0 }

/** A reviewer of a slot, which lives until `endsAt`. */
export const reviewer = (slot = 1, scripted: Scripted = clean(), endsAt = 0, number = 1): Reviewer => ({
  attempt: attempt(slot, number),
  scripted,
  line: launch.line,
  startedAt: 0,
  endsAt,
  deadline: false,
  stoppedAt: null
})
