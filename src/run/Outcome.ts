// Outcome: the result of an invocation, with its exit code, its header and its prompt.
import { Schema } from "effect"
import { oneLine, promptBlock } from "../text/Untrusted.ts"

/** The decide-layer actions that a header can name. */
export const ActionKind = Schema.Literals(["RunReviews", "AwaitReviews", "AddressBatch", "Retrospective"])
export type ActionKind = typeof ActionKind.Type

/** The question to a person. A step asks only for triage; a driver of steps asks the others too. */
export const HumanAction = Schema.Literals([
  "TestsFailedTriage",
  "ConsentNeeded",
  "TaskBlocked",
  "AgentFailed",
  "GitStateChanged"
])
export type HumanAction = typeof HumanAction.Type

/**
 * The result of an invocation. `usage` is the usage block that follows a UsageError's header, `reviews` how many reviews
 * failed for good.
 */
export const Outcome = Schema.TaggedUnion({
  DoneFixedPoint: {},
  StuckRepeated: { action: ActionKind, key: Schema.String, advice: Schema.optionalKey(Schema.String) },
  StuckCapReached: { action: ActionKind, key: Schema.String },
  HandoffHuman: { action: HumanAction, prompt: Schema.String },
  WouldAdvance: { action: ActionKind },
  HandoffAgent: { action: Schema.Literals(["AddressBatch", "Retrospective"]), prompt: Schema.String },
  BinaryError: { message: Schema.String, reviews: Schema.optionalKey(Schema.Int) },
  Idle: {},
  DoneAborted: {},
  UsageError: { message: Schema.String, usage: Schema.String }
})
export type Outcome = typeof Outcome.Type

/** The contract's exit code of every outcome. */
export const exitCodes = {
  DoneFixedPoint: 0,
  StuckRepeated: 1,
  StuckCapReached: 2,
  HandoffHuman: 3,
  WouldAdvance: 4,
  HandoffAgent: 5,
  BinaryError: 6,
  Idle: 7,
  DoneAborted: 8,
  UsageError: 64
} as const satisfies Record<Outcome["_tag"], number>

/** The exit code of an outcome. */
export const exitCode = (outcome: Outcome): number => exitCodes[outcome._tag]

/** The header: the first line on standard error, without its newline. */
export const header = Outcome.match({
  DoneFixedPoint: () => "DoneFixedPoint",
  StuckRepeated: ({ action, advice, key }) =>
    `StuckRepeated: ${action}:${oneLine(key)}${advice === undefined ? "" : ` (${oneLine(advice)})`}`,
  StuckCapReached: ({ action, key }) => `StuckCapReached: ${action}:${oneLine(key)}`,
  HandoffHuman: ({ action }) => `HandoffHuman: ${action}`,
  WouldAdvance: ({ action }) => `WouldAdvance: ${action}`,
  HandoffAgent: ({ action }) => `HandoffAgent: ${action}`,
  BinaryError: ({ message }) => `BinaryError: ${oneLine(message)}`,
  Idle: () => "Idle",
  DoneAborted: () => "DoneAborted",
  UsageError: ({ message }) => `UsageError: ${oneLine(message)}`
})

/** Everything an outcome writes to standard error, ending in a newline: header, then prompt or usage block. */
export const stderrText = (outcome: Outcome): string => {
  const first = header(outcome)
  if (outcome._tag === "HandoffAgent" || outcome._tag === "HandoffHuman") {
    return `${first}\n${promptBlock(outcome.prompt)}\n`
  }
  if (outcome._tag === "UsageError") return `${first}\n${outcome.usage.replace(/\n*$/, "\n")}`
  return `${first}\n`
}
