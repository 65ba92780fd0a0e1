// Ends: how a call of a converging run ends in which nothing is proven: its header, and what a person is asked to do.
import { Effect } from "effect"
import type { ConvergeDriver } from "./State.ts"
import type { End } from "./Decide.ts"
import type { Budget } from "../State.ts"
import type { Outcome } from "../../run/Outcome.ts"
import type { Identity } from "../../run/Identity.ts"
import { type Ending as AnyEnding, human, protectedEnd, type Red, redText, rejectedEnd } from "../Ends.ts"

/** What an end is told from. */
export interface Ending extends Omit<AnyEnding, "call"> {
  readonly driver: ConvergeDriver
}

/** The same, for the texts that all drivers share. */
export const asConverge = ({ driver, settings }: Ending): AnyEnding => ({ call: "converge", driver, settings })

const contentName = (content: Identity): string => content._tag === "Unknown" ? "unknown" : content.tree ?? "empty"

const limits = { rounds: "max-rounds", time: "max-time", tokens: "max-tokens" } as const satisfies Record<
  Budget,
  string
>

/** Tests that stay red, or a commit that git refused: then there is no test. */
const redEnd = (ending: Ending, red: Omit<Red, "output" | "restored">) => {
  const made = ending.driver.state.rounds[red.round - 1]
  const restored = (made?.restored ?? null) !== null
  return redText(asConverge(ending), { ...red, restored, output: made?.commits.at(-1)?.output.text ?? "" })
}

/** The outcome of a call that decided to end. */
export const endOutcome = Effect.fn("Ends.endOutcome")(function*(ending: Ending, end: End) {
  switch (end._tag) {
    case "Circle":
      return { _tag: "StuckRepeated", action: "AddressBatch", key: contentName(end.content) } satisfies Outcome
    case "Patience":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: "patience" } satisfies Outcome
    case "Budget":
      return {
        _tag: "StuckCapReached",
        action: end.kind ?? "RunReviews",
        key: limits[end.budget]
      } satisfies Outcome
    case "RedBaseline":
      return human("ConsentNeeded", yield* redEnd(ending, { ...end, round: 0 }))
    case "TestsRed":
      return human("TestsFailedTriage", yield* redEnd(ending, end))
    case "Rejected":
      return rejectedEnd(asConverge(ending), end.agent)
    case "Protected":
      return protectedEnd(asConverge(ending), `round-${end.round}`, end.files)
    case "StopAsked":
      return { _tag: "DoneAborted" } satisfies Outcome
  }
})
