// Invocation: marks, settings, actions, the invocations made of them, outcomes, and the context of a decision.
// Texts that an outer agent may pass on are hostile here. What must be refused is made by the tests.
import * as fc from "fast-check"
import type { Head } from "../../log/StreamKind.ts"
import type { DecideContext } from "../../run/Decide.ts"
import { Priority } from "../../run/Dismissal.ts"
import { type Action, type Answers, type Invocation, markProblem } from "../../run/Invocation.ts"
import { isRecording, type Mark } from "../../run/Mark.ts"
import { ActionKind, HumanAction, type Outcome } from "../../run/Outcome.ts"
import { type Bounds, bounds, pathProblem, type Settings } from "../../run/Settings.ts"
import { runId } from "./Event.ts"
import { identity, longText } from "./Fact.ts"
import {
  anyOf,
  fieldsOf,
  hex,
  hostileText,
  level,
  levelFrom,
  type Overridable,
  type Overrides,
  plainText,
  target
} from "./Values.ts"

type MarkOf<Tag extends Mark["_tag"]> = Extract<Mark, { readonly _tag: Tag }>

export const marks = {
  RetroClean: fieldsOf<MarkOf<"RetroClean">>({ _tag: fc.constant("RetroClean") }),
  RetroChanges: fieldsOf<MarkOf<"RetroChanges">>({ _tag: fc.constant("RetroChanges"), reason: longText }),
  AddressPassed: fieldsOf<MarkOf<"AddressPassed">>({ _tag: fc.constant("AddressPassed") }),
  AddressFailed: fieldsOf<MarkOf<"AddressFailed">>({ _tag: fc.constant("AddressFailed"), details: longText }),
  AdvanceLevel: fieldsOf<MarkOf<"AdvanceLevel">>({ _tag: fc.constant("AdvanceLevel") }),
  DropLevel: fieldsOf<MarkOf<"DropLevel">>({ _tag: fc.constant("DropLevel") }),
  RestartFromFloor: fieldsOf<MarkOf<"RestartFromFloor">>({ _tag: fc.constant("RestartFromFloor") })
} as const satisfies { [Tag in Mark["_tag"]]: Overridable<MarkOf<Tag>> }

/** Any side-effect flag; shrinks towards a clean retrospective. */
export const mark: fc.Arbitrary<Mark> = anyOf(...Object.values(marks).map((one): fc.Arbitrary<Mark> => one()))

const within = ({ least, most }: Bounds) => fc.integer({ min: least, max: most })
const milliseconds = within(bounds.duration)
const reviewers = within(bounds.reviewers)
const orNull = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { nil: null })
const path = fc.oneof(plainText, hostileText).filter((text) => pathProblem(text) === null)

const pattern = fc.constantFrom("node_modules", "**/dist", "a b?/*.env")

export const head = fieldsOf<Head>({ seq: fc.nat(), hash: hex(64) })

/** The settings of an invocation; the ceiling is never below the floor. */
export const settings: Overridable<Settings> = (overrides = {}) =>
  fc.record({
    floor: overrides.floor ?? level,
    isStrict: overrides.strict ?? fc.boolean(),
    isolate: overrides.isolate ?? fc.boolean()
  }).chain(({ floor, isStrict, isolate }) => {
    const strict = fc.constant(isStrict)
    const others: Overrides<Settings> = {
      ...overrides,
      floor: fc.constant(floor),
      isolate: fc.constant(isolate),
      strict
    }
    const strictly = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> =>
      isStrict ? orNull(arbitrary) : fc.constant(null)
    return fieldsOf<Settings>({
      target,
      floor: level,
      ceiling: levelFrom(floor),
      batchSize: reviewers,
      maxIter: orNull(within(bounds.iterations)),
      stateRoot: orNull(path),
      trustStateRoot: fc.boolean(),
      codexBin: path,
      strictTarget: fc.boolean(),
      isolate: fc.boolean(),
      link: isolate ? fc.array(pattern, { maxLength: 2 }) : fc.constant([]),
      strict,
      block: strictly(fc.constantFrom(...Priority.literals)),
      trustFrom: strictly(fc.constantFrom("main", "v1.0", "HEAD~1", "0123abc")),
      retries: within(bounds.retries),
      reviewTimeout: milliseconds,
      idleTimeout: milliseconds,
      identityTimeout: milliseconds,
      stepTimeout: orNull(milliseconds),
      maxBatches: orNull(within(bounds.batches)),
      jobs: orNull(reviewers),
      expectHead: orNull(head())
    })(others)
  })

type ActionOf<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

export const actions = {
  Loop: fieldsOf<ActionOf<"Loop">>({ _tag: fc.constant("Loop"), fresh: fc.boolean() }),
  Inspect: fieldsOf<ActionOf<"Inspect">>({ _tag: fc.constant("Inspect") }),
  SideEffect: fieldsOf<ActionOf<"SideEffect">>({ _tag: fc.constant("SideEffect"), mark })
} as const satisfies { [Tag in Action["_tag"]]: Overridable<ActionOf<Tag>> }

/** Any action; shrinks towards the loop. */
export const action: fc.Arbitrary<Action> = anyOf<Action>(actions.Loop(), actions.Inspect(), actions.SideEffect())

const answers = fieldsOf<Answers>({ level, batch: fc.integer({ min: 1, max: 99 }), run: orNull(runId) })

/** An invocation. On a strict run, and only there, a mark names the batch that it answers; its text is not empty. */
export const invocation: Overridable<Invocation> = (overrides = {}) =>
  fc.tuple(fieldsOf<Invocation>({ settings: settings(), action })(overrides), answers()).map(([one, named]) => {
    if (one.action._tag !== "SideEffect") return one
    const { answers: _, ...bare } = one.action
    const needed = one.settings.strict && isRecording(bare.mark)
    return { ...one, action: needed ? { ...bare, answers: one.action.answers ?? named } : bare }
  }).filter(({ action, settings }) => markProblem(settings, action) === null)

type OutcomeOf<Tag extends Outcome["_tag"]> = Extract<Outcome, { readonly _tag: Tag }>

const actionKind = fc.constantFrom(...ActionKind.literals)

export const outcomes = {
  DoneFixedPoint: fieldsOf<OutcomeOf<"DoneFixedPoint">>({ _tag: fc.constant("DoneFixedPoint") }),
  StuckRepeated: fieldsOf<OutcomeOf<"StuckRepeated">>({
    _tag: fc.constant("StuckRepeated"),
    action: actionKind,
    key: hostileText
  }),
  StuckCapReached: fieldsOf<OutcomeOf<"StuckCapReached">>({
    _tag: fc.constant("StuckCapReached"),
    action: actionKind,
    key: hostileText
  }),
  HandoffHuman: fieldsOf<OutcomeOf<"HandoffHuman">>({
    _tag: fc.constant("HandoffHuman"),
    action: fc.constantFrom(...HumanAction.literals),
    prompt: hostileText
  }),
  WouldAdvance: fieldsOf<OutcomeOf<"WouldAdvance">>({ _tag: fc.constant("WouldAdvance"), action: actionKind }),
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

/** A context; `identity` is null if it was not computed. */
export const decideContext = fieldsOf<DecideContext>({
  ceiling: level,
  retries: fc.nat({ max: 3 }),
  openedAt: fc.nat({ max: 20 }),
  identity: fc.option(identity),
  maxBatches: fc.option(fc.integer({ min: 1, max: 4 })),
  paths: fc.constant({
    findings: "/run/levels/level-low/batch-1/findings.md",
    transcripts: "/run/levels/level-low/batch-1",
    logs: ["/run/levels/level-low/batch-1/low-1.log"],
    history: "/run/history.md"
  })
})
