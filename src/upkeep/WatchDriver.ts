// WatchDriver: whether a driver is at work on a watched run, where it stands, and how it ended.
import { Effect } from "effect"
import type { RunRef } from "../core/run/Refs.ts"
import { gatherView, unknown } from "../runs/GatherView.ts"
import type { Spent } from "../runs/Spending.ts"
import { isAtWork } from "../runs/DriverSeen.ts"

const lastDriver = ({ driver }: Spent) => driver?.walked.state?.drivers.at(-1) ?? null

/** Whether a driver is at work on a run that is driven up the ladder. */
export const isDriven = (run: RunRef, spent: Spent) => isAtWork(run, lastDriver(spent))

/** How the last driver ended: in which header, or null where it was killed. */
export const driverEnd = (spent: Spent) =>
  ({ _tag: "DriverEnded", outcome: lastDriver(spent)?.outcome ?? null }) as const

/** Where a driven run stands; nothing where no driver is at work. */
export const drivenNow = Effect.fn("WatchDriver.drivenNow")(
  function*(run: RunRef, spent: Spent, driven: boolean, now: number) {
    const view = driven ? yield* gatherView(run, spent, unknown, now) : null
    return view === null ? {} : { driven: view }
  }
)
