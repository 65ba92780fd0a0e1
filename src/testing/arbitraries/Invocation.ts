// Invocation: settings, actions and the invocations made of them.
// The one rule: every value here is one that a command line can say; what must be refused is made by the tests.
import * as fc from "fast-check"
import type { Head } from "../../core/log/Head.ts"
import { type Action, type Answers, type Invocation, markProblem } from "../../core/loop/Invocation.ts"
import { isRecording } from "../../core/loop/Mark.ts"
import { type Bounds, bounds, pathProblem, type Settings } from "../../core/loop/Settings.ts"
import { Priority } from "../../core/run/Dismissal.ts"
import { runId } from "./Event.ts"
import { anyOf, fieldsOf, type Overridable, type Overrides } from "./Fields.ts"
import { level, levelFrom } from "./Ladder.ts"
import { mark } from "./Mark.ts"
import { target } from "./Target.ts"
import { hex, hostileText, plainText } from "./Text.ts"

const within = ({ least, most }: Bounds) => fc.integer({ min: least, max: most })
const milliseconds = within(bounds.duration)
const reviewers = within(bounds.reviewers)
const orNull = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { nil: null })
const path = fc.oneof(plainText, hostileText).filter((text) => pathProblem(text) === null)

const pattern = fc.constantFrom("node_modules", "**/dist", "a b?/*.env")

/** A position of a log. */
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

/** One arbitrary an action. */
export const actions = {
  Loop: fieldsOf<ActionOf<"Loop">>({ _tag: fc.constant("Loop"), fresh: fc.boolean() }),
  Inspect: fieldsOf<ActionOf<"Inspect">>({ _tag: fc.constant("Inspect") }),
  SideEffect: fieldsOf<ActionOf<"SideEffect">>({ _tag: fc.constant("SideEffect"), mark })
} as const satisfies { [Tag in Action["_tag"]]: Overridable<ActionOf<Tag>> }

/** Any action; shrinks towards the loop. */
export const action: fc.Arbitrary<Action> = anyOf<Action>(actions.Loop(), actions.Inspect(), actions.SideEffect())

/** The batch that a mark answers. */
export const answers = fieldsOf<Answers>({ level, batch: fc.integer({ min: 1, max: 99 }), run: orNull(runId) })

/** An invocation. On a strict run, and only there, a mark names the batch that it answers; its text is not empty. */
export const invocation: Overridable<Invocation> = (overrides = {}) =>
  fc.tuple(fieldsOf<Invocation>({ settings: settings(), action })(overrides), answers()).map(([one, named]) => {
    if (one.action._tag !== "SideEffect") return one
    const { answers: _, ...bare } = one.action
    const needed = one.settings.strict && isRecording(bare.mark)
    return { ...one, action: needed ? { ...bare, answers: one.action.answers ?? named } : bare }
  }).filter(({ action, settings }) => markProblem(settings, action) === null)
