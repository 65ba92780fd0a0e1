// Sequences: random commands, weighted so that a sequence gets somewhere.
// The one rule: values are few, so that commands meet the same level, the same code and the same run.
import * as fc from "fast-check"
import * as commands from "./Commands.ts"
import type { Flag } from "./Marked.ts"
import { type Call, type Part, type Rung, rungs, type Says } from "./Model.ts"

const part: fc.Arbitrary<Part> = fc.record({
  says: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Says>("clean") },
    { weight: 2, arbitrary: fc.constant<Says>("issues") },
    { weight: 2, arbitrary: fc.constantFrom<Says>("transient failure", "no review", "failure", "silence") }
  ),
  slow: fc.boolean()
}, { noNullPrototype: true })

// Most invocations share a floor, for another floor is another run.
const ladder = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ floor: fc.constant<Rung>("low"), ceiling: fc.constantFrom(...rungs) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ floor: fc.constant<Rung>("medium"), ceiling: fc.constantFrom<Rung>("medium", "xhigh") })
  }
)

const call: fc.Arbitrary<Call> = fc.record({
  ladder,
  size: fc.integer({ min: 1, max: 3 }),
  fresh: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  bounded: fc.boolean(),
  parts: fc.array(part, { minLength: 1, maxLength: 3 })
}).map(({ ladder, ...rest }) => ({ ...ladder, ...rest }))

const flag = fc.constantFrom<Flag>(
  "mark-retro-clean",
  "mark-address-passed",
  "mark-retro-changes",
  "mark-address-failed",
  "advance-level",
  "drop-level",
  "restart-from-floor"
)
const marking = fc.tuple(flag, ladder)
const moment = fc.constantFrom(0, 150, 2_500, 7_000)

const kills = fc.oneof(
  fc.tuple(call, fc.nat({ max: 14 })).map(([one, at]) => commands.killedCalls(one, at)),
  fc.tuple(marking, fc.nat({ max: 6 })).map(([[one, { ceiling, floor }], at]) =>
    commands.killedMarks(one, floor, ceiling, at)
  )
)

/** Every command there is. */
const command: fc.Arbitrary<commands.ProgramCommand> = fc.oneof(
  { weight: 4, arbitrary: call.map(commands.calls) },
  { weight: 3, arbitrary: marking.map(([one, { ceiling, floor }]) => commands.marks(one, floor, ceiling)) },
  { weight: 1, arbitrary: fc.constantFrom("code-1", "code-2").map(commands.edits) },
  { weight: 1, arbitrary: fc.constantFrom(5_000, 20_000).map(commands.waits) },
  { weight: 1, arbitrary: call.map(commands.inspects) },
  { weight: 1, arbitrary: fc.constant(commands.stops) },
  { weight: 2, arbitrary: call.map(commands.twoCalls) },
  { weight: 2, arbitrary: fc.tuple(call, fc.oneof(call, flag), moment).map(([a, b, at]) => commands.races(a, b, at)) },
  {
    weight: 2,
    arbitrary: fc.tuple(call, fc.constantFrom("SIGINT", "SIGTERM", "interruption"), moment)
      .map(([one, how, at]) => commands.ended(one, how, at))
  },
  { weight: 1, arbitrary: fc.tuple(call, fc.nat({ max: 14 })).map(([one, at]) => commands.cut(one, at)) },
  { weight: 2, arbitrary: kills }
)

/** Sequences of commands; they shrink to the shortest one that fails. */
export const sequences = (maxCommands: number): fc.Arbitrary<Iterable<commands.ProgramCommand>> =>
  fc.commands([command], { maxCommands })
