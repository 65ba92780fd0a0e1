// Event: one arbitrary for every fact a log can hold, and lines of them.
// Levels, batches and slots are few, so that they collide.
import * as fc from "fast-check"
import type { Commit, LogEvent, LoggedEvent } from "../../log/StreamKind.ts"
import { type Digest, type Event, type EventOf, BatchCause, ResumeReason, StopCause } from "../../run/Event.ts"
import { Priority } from "../../run/Dismissal.ts"
import { FailureKind } from "../../run/FailureKind.ts"
import { VerdictSource } from "../../run/ReviewTokens.ts"
import { digest, dismissed, identity, levelOutcome, longText, usage, waivedFinding } from "./Fact.ts"
import {
  anyOf,
  branchName,
  fieldsOf,
  hex,
  hostileText,
  isoTime,
  level,
  ordinal,
  type Overrides,
  plainText,
  target
} from "./Values.ts"

const batch = { level, batch: ordinal(3) }
const attempt = { ...batch, slot: ordinal(3), attempt: ordinal(3) }

export const runId: fc.Arbitrary<string> = fc
  .tuple(isoTime, fc.nat({ max: 999_999_999 }), fc.nat({ max: 4_194_304 }))
  .map(([at, nanos, pid]) => `${at.slice(0, 19).replace(/[-:]/g, "")}Z-${String(nanos).padStart(9, "0")}-p${pid}`)

// Fields that not every log has: the copy of the session's review, the version of the rules, the tokens.
type Later = "review" | "rules" | "usage"
type Reviewed = Omit<EventOf<"ReviewFinished">, Later>

const finished = fieldsOf<Reviewed>({
  _tag: fc.constant("ReviewFinished"),
  ...attempt,
  verdict: fc.constantFrom("Clean", "HasIssues"),
  reason: plainText,
  source: fc.constantFrom(...VerdictSource.literals),
  findings: fc.nat({ max: 5 }),
  log: digest(),
  out: digest()
})

type ReviewFinished = Omit<Overrides<EventOf<"ReviewFinished">>, Later> & { readonly review?: fc.Arbitrary<Digest> }

const reviewFinished = ({ review, ...others }: ReviewFinished = {}): fc.Arbitrary<EventOf<"ReviewFinished">> => {
  const whole = fc.tuple(finished(others), review ?? digest(), usage)
    .map(([event, kept, used]) => ({ ...event, review: kept, usage: used }))
  return review === undefined ? fc.oneof(finished(others), whole) : whole
}

const failed = fieldsOf<Omit<EventOf<"ReviewFailed">, "usage">>({
  _tag: fc.constant("ReviewFailed"),
  ...attempt,
  kind: fc.constantFrom(...FailureKind.literals),
  transient: fc.boolean(),
  message: hostileText,
  exit: fc.option(fc.nat({ max: 255 }))
})

const reviewFailed = (overrides: Parameters<typeof failed>[0] = {}): fc.Arbitrary<EventOf<"ReviewFailed">> =>
  fc.oneof(failed(overrides), fc.tuple(failed(overrides), usage).map(([event, used]) => ({ ...event, usage: used })))

export const events = {
  RunCreated: fieldsOf<EventOf<"RunCreated">>({
    _tag: fc.constant("RunCreated"),
    runId,
    repoId: fc.constantFrom("repo-noremote", "repo-0123456789ab"),
    worktree: fc.constantFrom("/repo", "/other"),
    target,
    startLevel: level,
    batchSize: ordinal(),
    createdAt: isoTime,
    because: fc.constantFrom(...ResumeReason.literals),
    nonce: hex(32),
    trustCommit: hex(40)
  }),
  BatchStarted: fieldsOf<EventOf<"BatchStarted">>({
    _tag: fc.constant("BatchStarted"),
    ...batch,
    size: ordinal(3),
    base: fc.option(branchName),
    argv: fc.array(plainText, { maxLength: 3 }),
    identity,
    copy: identity,
    waiversKept: fc.boolean(),
    variables: fc.constant("core")
  }),
  ReviewStarted: fieldsOf<EventOf<"ReviewStarted">>({ _tag: fc.constant("ReviewStarted"), ...attempt, id: hex(8) }),
  ReviewFinished: reviewFinished,
  ReviewFailed: reviewFailed,
  ReviewStopped: fieldsOf<EventOf<"ReviewStopped">>({
    _tag: fc.constant("ReviewStopped"),
    ...attempt,
    cause: fc.constantFrom(...StopCause.literals)
  }),
  BatchCompleted: fieldsOf<EventOf<"BatchCompleted">>({ _tag: fc.constant("BatchCompleted"), ...batch, identity }),
  BatchFailed: fieldsOf<EventOf<"BatchFailed">>({
    _tag: fc.constant("BatchFailed"),
    ...batch,
    slots: fc.uniqueArray(ordinal(3), { maxLength: 3 })
  }),
  LevelOutcomeRecorded: fieldsOf<Omit<EventOf<"LevelOutcomeRecorded">, "driver">>({
    _tag: fc.constant("LevelOutcomeRecorded"),
    ...batch,
    outcome: levelOutcome,
    ceiling: level
  }),
  BatchOpened: fieldsOf<EventOf<"BatchOpened">>({
    _tag: fc.constant("BatchOpened"),
    ...batch,
    from: level,
    cause: fc.constantFrom(...BatchCause.literals)
  }),
  FixedPointReached: fieldsOf<EventOf<"FixedPointReached">>({
    _tag: fc.constant("FixedPointReached"),
    ...batch,
    ceiling: level,
    by: fc.constantFrom("Reviews", "Mark")
  }),
  AddressFailed: fieldsOf<Omit<EventOf<"AddressFailed">, "driver">>({
    _tag: fc.constant("AddressFailed"),
    ...batch,
    details: longText
  }),
  FindingDismissed: fieldsOf<EventOf<"FindingDismissed">>({
    _tag: fc.constant("FindingDismissed"),
    ...dismissed,
    reason: longText
  }),
  DismissalWithdrawn: fieldsOf<EventOf<"DismissalWithdrawn">>({
    _tag: fc.constant("DismissalWithdrawn"),
    fingerprint: dismissed.fingerprint
  }),
  BatchWaived: fieldsOf<Omit<EventOf<"BatchWaived">, "rest">>({
    _tag: fc.constant("BatchWaived"),
    ...batch,
    block: fc.constantFrom(...Priority.literals),
    findings: fc.array(waivedFinding, { maxLength: 3 })
  }),
  StepAborted: fieldsOf<EventOf<"StepAborted">>({
    _tag: fc.constant("StepAborted"),
    signal: fc.constantFrom("SIGINT", "SIGTERM", "SIGHUP")
  })
} as const satisfies { [Tag in Event["_tag"]]: () => fc.Arbitrary<EventOf<Tag>> }

/** The facts that the log itself adds to any line. */
export const logEvents = {
  TailRepaired: fieldsOf<LogEvent>({
    _tag: fc.constant("TailRepaired"),
    offset: fc.nat(),
    bytes: ordinal(70_000),
    kept: fc.constantFrom("torn/0-01234567", "torn/812-89abcdef")
  })
} as const satisfies { [Tag in LogEvent["_tag"]]: () => fc.Arbitrary<Extract<LogEvent, { readonly _tag: Tag }>> }

/** Any fact of a run; shrinks towards its creation. */
export const event: fc.Arbitrary<Event> = anyOf(...Object.values(events).map((one): fc.Arbitrary<Event> => one()))

export const lineOfEvents: fc.Arbitrary<ReadonlyArray<LoggedEvent<Event>>> = fc.array(
  fc.oneof({ weight: 15, arbitrary: event }, { weight: 1, arbitrary: logEvents.TailRepaired() }),
  { minLength: 1, maxLength: 4 }
)

/** Lines of a log, numbered without a gap, whose facts need not make sense together. */
export const anyCommits: fc.Arbitrary<ReadonlyArray<Commit<Event>>> = fc
  .array(fc.record({ at: isoTime, events: lineOfEvents }, { noNullPrototype: true }), { maxLength: 12 })
  .map((lines) => lines.map((line, i) => ({ seq: i + 1, ...line })))
