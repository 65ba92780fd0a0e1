// Arbitraries: the fast-check arbitraries of the test kit, by the names of the domain.
// Every value and event can be generated and shrinks; what has fields takes overrides.
import {
  basedIdentity,
  batch,
  digest,
  finding,
  identity,
  known,
  levelOutcome,
  levelOutcomes,
  longText,
  slot,
  slots,
  startedBatch,
  unknown,
  verdict,
  verdicts,
  wholeIdentity,
  written
} from "./arbitraries/Fact.ts"
import {
  action,
  actions,
  decideContext,
  head,
  invocation,
  mark,
  marks,
  outcome,
  outcomes,
  settings
} from "./arbitraries/Invocation.ts"
import { anyCommits, event, events, lineOfEvents, logEvents, runId } from "./arbitraries/Event.ts"
import { eventsOf, history, manifest, move, play } from "./arbitraries/History.ts"
import {
  branchName,
  commitSha,
  hostileText,
  isoTime,
  ladder,
  level,
  levelFrom,
  plainText,
  prNumber,
  target,
  targets
} from "./arbitraries/Values.ts"

export type { Fields, Overridable, Overrides } from "./arbitraries/Values.ts"
export type { ReportParts } from "./arbitraries/Fact.ts"
export type { History, Move } from "./arbitraries/History.ts"

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
