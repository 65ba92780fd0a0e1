// Outcome: one arbitrary for every outcome an invocation can end in.
// The one rule: prompts, keys and messages are hostile texts, so that the streams are tested at their worst.
import * as fc from "fast-check"
import { ActionKind, HumanAction, type Outcome } from "../../core/loop/Outcome.ts"
import { anyOf, fieldsOf, type Overridable } from "./Fields.ts"
import { hostileText } from "./Text.ts"

type OutcomeOf<Tag extends Outcome["_tag"]> = Extract<Outcome, { readonly _tag: Tag }>

const action = fc.constantFrom(...ActionKind.literals)

/** One arbitrary an outcome. */
export const outcomes = {
  DoneFixedPoint: fieldsOf<OutcomeOf<"DoneFixedPoint">>({ _tag: fc.constant("DoneFixedPoint") }),
  StuckRepeated: fieldsOf<OutcomeOf<"StuckRepeated">>({ _tag: fc.constant("StuckRepeated"), action, key: hostileText }),
  StuckCapReached: fieldsOf<OutcomeOf<"StuckCapReached">>({
    _tag: fc.constant("StuckCapReached"),
    action,
    key: hostileText
  }),
  HandoffHuman: fieldsOf<OutcomeOf<"HandoffHuman">>({
    _tag: fc.constant("HandoffHuman"),
    action: fc.constantFrom(...HumanAction.literals),
    prompt: hostileText
  }),
  WouldAdvance: fieldsOf<OutcomeOf<"WouldAdvance">>({ _tag: fc.constant("WouldAdvance"), action }),
  HandoffAgent: fieldsOf<OutcomeOf<"HandoffAgent">>({
    _tag: fc.constant("HandoffAgent"),
    action: fc.constantFrom("AddressBatch", "Retrospective"),
    prompt: hostileText
  }),
  BinaryError: fieldsOf<OutcomeOf<"BinaryError">>({ _tag: fc.constant("BinaryError"), message: hostileText }),
  Idle: fieldsOf<OutcomeOf<"Idle">>({ _tag: fc.constant("Idle") }),
  DoneAborted: fieldsOf<OutcomeOf<"DoneAborted">>({ _tag: fc.constant("DoneAborted") }),
  UsageError: fieldsOf<OutcomeOf<"UsageError">>({
    _tag: fc.constant("UsageError"),
    message: hostileText,
    usage: fc.constantFrom("Usage: ooda-codex-review MODE", "Usage:\n  ooda-codex-review --uncommitted\n\n")
  })
} as const satisfies { [Tag in Outcome["_tag"]]: Overridable<OutcomeOf<Tag>> }

/** Any outcome; shrinks towards DoneFixedPoint. */
export const outcome: fc.Arbitrary<Outcome> = anyOf(
  ...Object.values(outcomes).map((one): fc.Arbitrary<Outcome> => one())
)
