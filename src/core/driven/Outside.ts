// Outside: the project's tests outside of rounds and cycles: they show what is red although nobody is at work.
import type { Consent } from "../agent/TaskEvent.ts"
import type { DrivenState, TestState } from "./DrivenState.ts"
import { suite } from "./Suite.ts"

/** What the decision needs of the settings. */
export interface TestedBy {
  readonly tests: ReadonlyArray<string>
  readonly allow: ReadonlyArray<Consent>
}

/** What comes next: a test, or the second failure of one in a row. `running` is a test whose end is taken first. */
export type OutsideTests =
  | { readonly _tag: "Next"; readonly command: string; readonly running: number | null }
  | { readonly _tag: "Red"; readonly command: string; readonly test: number }

/** Whether a person has allowed something, now or earlier in the run. */
export const allowed = (state: DrivenState, allow: ReadonlyArray<Consent>, consent: Consent): boolean =>
  state.agents.consents.has(consent) || allow.includes(consent)

/** What comes next after these runs of the tests; null where they are green, or red is allowed. */
export const testing = (
  state: DrivenState,
  { allow, tests }: TestedBy,
  runs: ReadonlyArray<TestState>
): OutsideTests | null => {
  const stands = suite(tests, runs)
  if (stands._tag === "Next") {
    const { command, running } = stands
    return { _tag: "Next", command, running: running?.started.test ?? null }
  }
  return stands._tag === "Green" || allowed(state, allow, "red-baseline")
    ? null
    : { _tag: "Red", command: stands.command, test: stands.test.test }
}

/** What comes next of the tests since the last agent, for this driver. */
export const outside = (state: DrivenState, settings: TestedBy, driver: string): OutsideTests | null => {
  const agents = state.agents.agents.length
  // Ended runs of an earlier driver do not count: since then, means that no content shows may have mended what was red.
  const runs = state.tests.filter((run) =>
    run.started.round === 0 && (run.standing._tag === "Running" || run.driver === driver && run.agents === agents)
  )
  return testing(state, settings, runs)
}
