// Arbitraries: the fast-check arbitraries of the test kit, by the names of the domain.
// The one rule: every value and event of the core can be generated and shrinks; what has fields takes overrides.
import { batch, slot, slots, startedBatch } from "./arbitraries/Batch.ts"
import { decideContext } from "./arbitraries/DecideContext.ts"
import { anyCommits, event, events, lineOfEvents, logEvents, runId } from "./arbitraries/Event.ts"
import {
  basedIdentity,
  digest,
  identity,
  known,
  levelOutcome,
  levelOutcomes,
  longText,
  unknown,
  wholeIdentity
} from "./arbitraries/Fact.ts"
import { finding, verdict, verdicts, written } from "./arbitraries/Finding.ts"
import { history, manifest, play } from "./arbitraries/History.ts"
import { action, actions, head, invocation, settings } from "./arbitraries/Invocation.ts"
import { ladder, level, levelFrom } from "./arbitraries/Ladder.ts"
import { mark, marks } from "./arbitraries/Mark.ts"
import { eventsOf, move } from "./arbitraries/Move.ts"
import { outcome, outcomes } from "./arbitraries/Outcome.ts"
import { branchName, commitSha, prNumber, target, targets } from "./arbitraries/Target.ts"
import { hostileText, isoTime, plainText } from "./arbitraries/Text.ts"

export type { Fields, Overridable, Overrides } from "./arbitraries/Fields.ts"
export type { Reported } from "./arbitraries/Finding.ts"
export type { History } from "./arbitraries/History.ts"
export type { Move } from "./arbitraries/Move.ts"

/**
 * Arbitraries of every domain value. A plural (`actions`, `events`, `marks`, `outcomes`, `slots`, `targets`,
 * `verdicts`) is a record with one function a case, which takes overrides field by field; the singular is any of them.
 */
export const arbitraries = {
  level,
  levelFrom,
  ladder,
  branchName,
  commitSha,
  prNumber,
  target,
  targets,
  hostileText,
  plainText,
  isoTime,
  digest,
  longText,
  identity,
  known,
  wholeIdentity,
  basedIdentity,
  unknown,
  levelOutcome,
  levelOutcomes,
  runId,
  event,
  events,
  logEvents,
  lineOfEvents,
  anyCommits,
  slot,
  slots,
  batch,
  startedBatch,
  mark,
  marks,
  outcome,
  outcomes,
  decideContext,
  written,
  finding,
  verdict,
  verdicts,
  head,
  settings,
  action,
  actions,
  invocation,
  move,
  history,
  manifest
} as const

/** From moves to lines: `eventsOf` is one move's line, `play` a whole history. */
export const moves = { eventsOf, play } as const
