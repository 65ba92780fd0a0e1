// drivings: a run that was just started to be driven, on a machine in memory.
import { Effect } from "effect"
import { openDriver } from "../../../../src/drive/converge/State.ts"
import type { ConvergeDrive } from "../../../../src/drive/converge/Drive.ts"
import { unspent } from "../../../../src/drive/Spending.ts"
import { openedStrict } from "../../run/opened.ts"
import { settings } from "./driven.ts"

/** A driven run without a round. */
export const drivingRun = Effect.fnUntraced(function*(change: Partial<ConvergeDrive> = {}) {
  const run = yield* openedStrict()
  return {
    call: "converge",
    id: "d1",
    pid: 7,
    options: {},
    settings: settings(),
    cwd: "/repo",
    run,
    untrusted: false,
    driver: yield* openDriver(run.ref),
    assignment: null,
    spent: unspent,
    ...change
  } satisfies ConvergeDrive
})
