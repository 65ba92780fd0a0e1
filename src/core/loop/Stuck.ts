// Stuck: what a loop has done so far, and when that makes it end: the same reviews twice in a row, or too many turns.
import type { Decision } from "./Decide.ts"
import type { Outcome } from "./Outcome.ts"
import type { Settings } from "./Settings.ts"

/** What an invocation has done so far: its iterations toward the cap, and the key of the reviews that it ran last. */
export interface Turns {
  readonly iterations: number
  readonly lastRun: string | null
}

/** Those of an invocation that begins. */
export const noTurns: Turns = { iterations: 0, lastRun: null }

/** The most iterations of one call where none are given. */
export const defaultCap = 50

/** The decision, or a halt if the loop would now run the same reviews that it has just run. */
export const unlessRepeated = (decision: Decision, { lastRun }: Turns): Decision =>
  decision._tag === "RunReviews" && decision.key === lastRun
    ? { _tag: "Halt", outcome: { _tag: "StuckRepeated", action: decision._tag, key: decision.key } }
    : decision

/** The turns once a decision has been acted on. Waiting counts only toward a cap that was given. */
export const advanced = (
  { iterations, lastRun }: Turns,
  decision: Decision,
  maxIter: Settings["maxIter"]
): Turns => {
  switch (decision._tag) {
    case "Halt":
      return { iterations, lastRun }
    case "RunReviews":
      return { iterations: iterations + 1, lastRun: decision.key }
    case "AwaitReviews":
      return { iterations: maxIter === null ? iterations : iterations + 1, lastRun }
  }
}

/** The outcome of a loop that has reached its cap by acting on a decision, or null while it may go on. */
export const capReached = (
  { iterations }: Turns,
  decision: Decision,
  maxIter: Settings["maxIter"]
): Outcome | null =>
  decision._tag === "Halt" || iterations < (maxIter ?? defaultCap)
    ? null
    : { _tag: "StuckCapReached", action: decision._tag, key: decision.key }
