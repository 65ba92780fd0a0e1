// ReviewRunReader: how the log of a review run is shown.
import type { Event } from "../core/run/Event.ts"
import { reviewRun, type WalkedRun } from "../core/run/ReviewRun.ts"
import { usedBy } from "../runs/Spending.ts"
import { changesOf, type Value, valueText } from "./Changes.ts"
import { describe } from "./Describe.ts"
import type { LogReader } from "./LogReader.ts"

export const reviewRunReader: LogReader<Event, WalkedRun, Value> = {
  kind: reviewRun,
  used: usedBy,
  stateName: "manifest",
  describe,
  changes: changesOf,
  valueText
}
