// roundEvent: one arbitrary for each event of a driver's rounds: who drives, the tests, the answers.
// Rounds and tests are few, so that they collide.
import * as fc from "fast-check"
import {
  AnswerWord,
  CloseCause,
  type ConvergeEventOf as EventOf,
  RoundKind,
  RoundMark,
  SkipCause
} from "../src/drive/converge/Event.ts"
import { Consent } from "../src/agent/Event.ts"
import { type Cause, type DriverEnd, Limit } from "../src/drive/End.ts"
import { Budget } from "../src/drive/State.ts"
import { levels } from "../src/run/Level.ts"
import { digest, identity, longText } from "../src/testing/arbitraries/Fact.ts"
import { fieldsOf, hex, hostileText, ordinal } from "../src/testing/arbitraries/Values.ts"

const agent = { agent: ordinal(3) }
const driver = hex(8)
const round = { round: ordinal(3) }
const head = fc.record({ seq: ordinal(9), hash: hex(64) }, { noNullPrototype: true })
const test = { test: ordinal(3) }
const exit = fc.option(fc.nat({ max: 255 }))

const cause: fc.Arbitrary<Cause> = fc.oneof(
  fc.record({ _tag: fc.constant("BaseMoved" as const), from: hostileText, to: hostileText }, { noNullPrototype: true }),
  fc.constantFrom<Cause>(
    ...Consent.literals.map((consent) => ({ _tag: "Consent", consent }) as const),
    { _tag: "TestsRed" },
    { _tag: "CommitRefused" },
    { _tag: "CommitLacks" },
    { _tag: "Rejected" },
    { _tag: "Protected" },
    { _tag: "AgentFailed" },
    { _tag: "GitChanged" },
    { _tag: "ChangedMeanwhile" },
    { _tag: "NothingDone" }
  )
)

const ends: fc.Arbitrary<DriverEnd> = fc.oneof(
  fc.constantFrom<DriverEnd>({ _tag: "FixedPoint" }, { _tag: "Accepted" }, { _tag: "Aborted" }, { _tag: "Failed" }),
  fc.constantFrom<DriverEnd>(...Limit.literals.map((limit) => ({ _tag: "GaveUp", limit }) as const)),
  fc.nat(9).map((reviews): DriverEnd => ({ _tag: "Failed", reviews })),
  cause.map((cause): DriverEnd => ({ _tag: "Asked", cause }))
)

/** One arbitrary a fact. */
export const roundEvents = {
  DriverStarted: fieldsOf<EventOf<"DriverStarted">>({
    _tag: fc.constant("DriverStarted"),
    driver,
    pid: ordinal(9999)
  }),
  DriverEnded: () =>
    fc.tuple(driver, hostileText, fc.option(ends)).map(
      ([driver, outcome, end]): EventOf<"DriverEnded"> => ({
        _tag: "DriverEnded",
        driver,
        outcome,
        ...end === null ? {} : { end }
      })
    ),
  StopAsked: fieldsOf<EventOf<"StopAsked">>({ _tag: fc.constant("StopAsked") }),
  RoundStarted: fieldsOf<EventOf<"RoundStarted">>({
    _tag: fc.constant("RoundStarted"),
    ...round,
    kind: fc.constantFrom(...RoundKind.literals),
    level: fc.constantFrom(...levels),
    batch: ordinal(3),
    findings: fc.array(hex(16), { maxLength: 3 }),
    content: identity,
    history: hex(64),
    head
  }),
  TestStarted: fieldsOf<EventOf<"TestStarted">>({
    _tag: fc.constant("TestStarted"),
    ...test,
    id: hex(8),
    round: fc.nat({ max: 3 }),
    command: hostileText
  }),
  TestFinished: fieldsOf<EventOf<"TestFinished">>({
    _tag: fc.constant("TestFinished"),
    ...test,
    exit,
    output: digest(),
    content: identity
  }),
  TestStopped: fieldsOf<EventOf<"TestStopped">>({
    _tag: fc.constant("TestStopped"),
    ...test,
    cause: fc.constantFrom("Interrupt", "Stop", "Superseded", "Lost")
  }),
  RoundAnswered: fieldsOf<EventOf<"RoundAnswered">>({
    _tag: fc.constant("RoundAnswered"),
    ...round,
    ...agent,
    answers: fc.array(
      fc.record({ fingerprint: hex(16), answer: fc.constantFrom(...AnswerWord.literals), why: hostileText }),
      { maxLength: 3 }
    ),
    protectedFiles: fc.array(hostileText, { maxLength: 2 })
  }),
  RetrospectiveSkipped: fieldsOf<EventOf<"RetrospectiveSkipped">>({
    _tag: fc.constant("RetrospectiveSkipped"),
    ...round,
    because: fc.constantFrom(...SkipCause.literals)
  }),
  WorktreeRestored: fieldsOf<EventOf<"WorktreeRestored">>({
    _tag: fc.constant("WorktreeRestored"),
    ...round,
    snapshot: ordinal(9)
  }),
  FixesCommitted: fieldsOf<EventOf<"FixesCommitted">>({
    _tag: fc.constant("FixesCommitted"),
    ...round,
    ...agent,
    commit: fc.option(hex(40)),
    output: longText
  }),
  RoundConcluded: fieldsOf<EventOf<"RoundConcluded">>({
    _tag: fc.constant("RoundConcluded"),
    ...round,
    mark: fc.constantFrom(...RoundMark.literals),
    reason: longText,
    content: identity,
    head
  }),
  RoundClosed: fieldsOf<EventOf<"RoundClosed">>({
    _tag: fc.constant("RoundClosed"),
    ...round,
    because: fc.constantFrom(...CloseCause.literals)
  }),
  BudgetWarned: fieldsOf<EventOf<"BudgetWarned">>({
    _tag: fc.constant("BudgetWarned"),
    budget: fc.constantFrom(...Budget.literals),
    used: fc.nat(),
    limit: ordinal(9999)
  })
} as const
