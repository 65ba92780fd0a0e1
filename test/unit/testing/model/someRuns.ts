// someRuns: runs of the model that stand somewhere, and calls of it.
import {
  type Call,
  type Model,
  opened,
  type Part,
  type Run,
  type Says,
  type Slot
} from "../../../../src/testing/model/Model.ts"

/** A run from low whose batch was started on `code-1`, with these slots. */
export const run = (slots: ReadonlyArray<Slot> | null, fields: Partial<Run> = {}): Run => ({
  ...opened({ run: null, code: "code-1", now: 0 }, "low", "loop"),
  slots,
  began: slots === null ? null : "code-1",
  ...fields
})

/** The world with that run in it. */
export const world = (run: Run | null, fields: Partial<Model> = {}): Model => ({
  run,
  code: "code-1",
  now: 0,
  ...fields
})

export const clean: Slot = { is: "clean", attempts: 1 }
export const flawed: Slot = { is: "issues", attempts: 1 }
export const runs = (says: Says, endsAt: number, tries = 1): Slot => ({
  is: "running",
  attempts: tries,
  tries,
  says,
  endsAt
})

export const parts = (...says: ReadonlyArray<Says>): ReadonlyArray<Part> =>
  says.map((one) => ({ says: one, slow: false }))

/** A call of loop mode from low to low, of one reviewer that finds nothing. */
export const call = (fields: Partial<Call> = {}): Call => ({
  floor: "low",
  ceiling: "low",
  size: 1,
  fresh: false,
  bounded: false,
  parts: parts("clean"),
  ...fields
})
