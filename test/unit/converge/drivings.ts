// drivings: a run that somebody has just begun to drive, on a machine in memory.
import { Effect } from "effect"
import { openDriver } from "../../../src/agents/Driver.ts"
import type { Driving } from "../../../src/converge/Driving.ts"
import { unspent } from "../../../src/runs/Spending.ts"
import { openedStrict } from "../runs/opened.ts"
import { settings } from "./driven.ts"

/** A driven run without a round. */
export const drivingRun = Effect.fnUntraced(function*(change: Partial<Driving> = {}) {
  const run = yield* openedStrict()
  const { repoId, root, targetKey } = run.ref
  return {
    id: "d1",
    pid: 7,
    onRun: () => Effect.void,
    isStopped: Effect.succeed(false),
    settings: settings(),
    cwd: "/repo",
    place: { repository: { root: "/repo", id: repoId }, target: { root, repoId, targetKey } },
    run,
    untrusted: false,
    driver: yield* openDriver(run.ref),
    standing: null,
    spent: unspent,
    ...change
  } satisfies Driving
})
