// Invocation: settings, actions and the invocations made of them.
// The one rule: every value here is one that a command line can say; what must be refused is made by the tests.
import * as fc from "fast-check"
import type { Head } from "../../core/run/Event.ts"
import { type Action, defaults, type Invocation, type Settings } from "../../core/loop/Invocation.ts"
import { fieldsOf, type Overridable, type Overrides } from "./Fields.ts"
import { level, levelFrom } from "./Ladder.ts"
import { mark } from "./Mark.ts"
import { target } from "./Target.ts"
import { hex, hostileText, plainText } from "./Text.ts"

const milliseconds = fc.integer({ min: 1, max: 7 * 24 * 3_600_000 })
const count = fc.integer({ min: 1, max: 1_000_000 })
const reviewers = fc.integer({ min: 1, max: 256 })
const orNull = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { nil: null })
const path = fc.oneof(plainText, hostileText).filter((text) => text !== "" && !text.includes("\0"))

/** A position of a log. */
export const head = fieldsOf<Head>({ seq: fc.nat(), hash: hex(64) })

/** The settings of an invocation; the ceiling is never below the floor. */
export const settings: Overridable<Settings> = (overrides = {}) =>
  (overrides.floor ?? level).chain((floor) => {
    const others: Overrides<Settings> = { ...overrides, floor: fc.constant(floor) }
    return fieldsOf<Settings>({
      target,
      floor: level,
      ceiling: levelFrom(floor),
      batchSize: reviewers,
      maxIter: fc.oneof(
        fc.constant({ value: defaults.maxIter, explicit: false }),
        count.map((value) => ({ value, explicit: true }))
      ),
      stateRoot: orNull(path),
      codexBin: path,
      strictTarget: fc.boolean(),
      json: fc.boolean(),
      retries: fc.nat(100),
      reviewTimeout: milliseconds,
      idleTimeout: milliseconds,
      stepTimeout: orNull(milliseconds),
      maxBatches: orNull(count),
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
export const action: fc.Arbitrary<Action> = fc.oneof(actions.Loop(), actions.Inspect(), actions.SideEffect())

/** An invocation. */
export const invocation = fieldsOf<Invocation>({ settings: settings(), action })
