// driverEvent: one arbitrary for each event of a driver's stream.
// A fact without an arbitrary does not compile. Agents and attempts are few, so that they collide.
import * as fc from "fast-check"
import { roles, statuses } from "../src/agent/Result.ts"
import { Sandbox } from "../src/agent/Task.ts"
import { AgentKind } from "../src/log/Refs.ts"
import { AttemptCause, AttemptFailure, Consent, FailureTag, grammars, judgedActions } from "../src/agent/Event.ts"
import type { ConvergeEvent } from "../src/drive/converge/Event.ts"
import { runId } from "../src/testing/arbitraries/Event.ts"
import { digest, identity, longText, usage } from "../src/testing/arbitraries/Fact.ts"
import { anyOf, fieldsOf, hex, hostileText, ordinal, plainText } from "../src/testing/arbitraries/Values.ts"
import { roundEvents } from "./roundEvent.ts"

type EventOf<Tag extends ConvergeEvent["_tag"]> = Extract<ConvergeEvent, { readonly _tag: Tag }>

const agent = { agent: ordinal(3) }
const attempt = { ...agent, attempt: ordinal(3) }
const thread = fc.option(fc.constantFrom("thread-1", "thread-2"))
const fields = { message: longText, threadId: thread, usage: fc.option(usage), transcript: digest() }
const exit = fc.option(fc.nat({ max: 255 }))
const cause = fc.constantFrom(...AttemptCause.literals)
const role = fc.constantFrom(...roles)

/** One arbitrary a fact. */
export const driverEvents = {
  ConvergeStarted: fieldsOf<EventOf<"ConvergeStarted">>({
    _tag: fc.constant("ConvergeStarted"),
    runId,
    nonce: hex(32)
  }),
  AgentStarted: fieldsOf<Omit<EventOf<"AgentStarted">, "before">>({
    _tag: fc.constant("AgentStarted"),
    ...attempt,
    id: hex(8),
    cause,
    kind: fc.constantFrom(...AgentKind.literals),
    role,
    taskId: hostileText,
    sandbox: fc.constantFrom(...Sandbox.literals),
    effort: fc.option(plainText),
    model: fc.option(hostileText),
    thread,
    prompt: digest()
  }),
  AgentAttemptFailed: fieldsOf<Omit<EventOf<"AgentAttemptFailed">, "contextWindow">>({
    _tag: fc.constant("AgentAttemptFailed"),
    ...attempt,
    failure: fc.constantFrom(...AttemptFailure.literals),
    exit,
    ...fields,
    next: cause,
    wait: fc.nat(),
    because: hostileText
  }),
  EndMissed: fieldsOf<EventOf<"EndMissed">>({
    _tag: fc.constant("EndMissed"),
    worker: fc.constantFrom("Agent", "Test"),
    number: ordinal(3),
    files: fc.array(hostileText, { maxLength: 3 }),
    count: fc.nat()
  }),
  AgentFinished: fieldsOf<EventOf<"AgentFinished">>({
    _tag: fc.constant("AgentFinished"),
    ...attempt,
    ending: fc.constantFrom("Done", "Reported"),
    ...fields
  }),
  AgentFailed: fieldsOf<EventOf<"AgentFailed">>({
    _tag: fc.constant("AgentFailed"),
    ...attempt,
    failure: fc.constantFrom(...FailureTag.literals),
    exit,
    ...fields,
    remedy: hostileText
  }),
  AgentStopped: fieldsOf<EventOf<"AgentStopped">>({
    _tag: fc.constant("AgentStopped"),
    ...attempt,
    cause: fc.constantFrom("Interrupt", "Stop", "Superseded")
  }),
  ResultJudged: fieldsOf<EventOf<"ResultJudged">>({
    _tag: fc.constant("ResultJudged"),
    ...agent,
    taskId: hostileText,
    role,
    grammar: fc.constantFrom(...grammars),
    valid: fc.boolean(),
    status: fc.option(fc.constantFrom(...statuses)),
    action: fc.constantFrom(...judgedActions),
    problems: fc.array(hostileText, { maxLength: 2 })
  }),
  ConsentGiven: () =>
    fc.tuple(fc.constantFrom(...Consent.literals), fc.option(hostileText)).map(
      ([consent, content]): EventOf<"ConsentGiven"> => ({
        _tag: "ConsentGiven",
        consent,
        ...content === null ? {} : { content }
      })
    ),
  SnapshotTaken: () =>
    fc.tuple(
      fieldsOf<Omit<EventOf<"SnapshotTaken">, "meanwhile">>({
        _tag: fc.constant("SnapshotTaken"),
        ...agent,
        snapshot: ordinal(9),
        commit: hex(40),
        leftOut: fc.nat({ max: 5 })
      })(),
      fc.option(fc.array(hostileText, { maxLength: 3 }))
    ).map(
      ([event, meanwhile]): EventOf<"SnapshotTaken"> => meanwhile === null ? event : { ...event, meanwhile }
    ),
  GitStateChanged: fieldsOf<EventOf<"GitStateChanged">>({
    _tag: fc.constant("GitStateChanged"),
    ...agent,
    what: fc.array(hostileText, { maxLength: 3 })
  }),
  PersonAnswered: fieldsOf<EventOf<"PersonAnswered">>({
    _tag: fc.constant("PersonAnswered"),
    answer: fc.constantFrom("Fixed", "Undone", "Again", "Unchanged"),
    content: identity
  }),
  ...roundEvents
} as const satisfies { [Tag in ConvergeEvent["_tag"]]: () => fc.Arbitrary<EventOf<Tag>> }

/** Any fact of a driver's stream; shrinks towards its beginning. */
export const driverEvent: fc.Arbitrary<ConvergeEvent> = anyOf(
  ...Object.values(driverEvents).map((one): fc.Arbitrary<ConvergeEvent> => one())
)
