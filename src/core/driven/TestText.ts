// TestText: how tests ended, a line each, for people who follow a driven run.
import { brief } from "../text/Untrusted.ts"
import type { DrivenState } from "./DrivenState.ts"

const endOf = (exit: number | null): string =>
  exit === 0 ? "green" : exit === null ? "red: it was killed" : `red: exit status ${exit}`

/** How each test ended that has ended in `after` and not in `before`. */
export const testLines = (before: Pick<DrivenState, "tests">, after: Pick<DrivenState, "tests">) =>
  after.tests.flatMap(({ standing, started }, i): ReadonlyArray<string> =>
    standing._tag === "Finished" && before.tests[i]?.standing._tag !== "Finished"
      ? [`${brief(started.command, 80)} is ${endOf(standing.finished.exit)}`]
      : []
  )
