// Stuck: what a loop has done so far, and when that makes it end: the same reviews twice in a row, or too many turns.
import { type Decision, movedKey } from "./Decide.ts"
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

/** What to do about code that changes again and again; nothing where the reviews are repeated for another reason. */
const adviceOn = (key: string, isolate: boolean): { readonly advice?: string } => {
  if (!key.endsWith(`/${movedKey}`)) return {}
  const still = "the code changed under review again and again: leave it unchanged while reviews run"
  return { advice: isolate ? still : `${still}, or call with --isolate, where a change counts only if it lasts` }
}

/** The decision, or a halt if the loop would now run the same reviews that it has just run. */
export const unlessRepeated = (decision: Decision, { lastRun }: Turns, isolate = false): Decision => {
  if (decision._tag !== "RunReviews") return decision
  const { _tag: action, key } = decision
  return decision.key === lastRun
    ? { _tag: "Halt", outcome: { _tag: "StuckRepeated", action, key, ...adviceOn(key, isolate) } }
    : decision
}

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
