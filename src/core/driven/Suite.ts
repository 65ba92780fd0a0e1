// Suite: how the project's tests stand: which runs next, whether all are green, or which one is red.
// A red test is run once more before it counts, and a stopped one says nothing.
import type { TestState } from "./DrivenState.ts"
import type { DrivenEventOf } from "./Event.ts"

/** How the tests stand. `test` of a red suite is the second failure of `command`. */
export type Suite =
  /** `running` is a test that was started and has no end yet: its end is taken before anything is started. */
  | { readonly _tag: "Next"; readonly command: string; readonly running: TestState | null }
  | { readonly _tag: "Green"; readonly flaky: ReadonlyArray<string> }
  | { readonly _tag: "Red"; readonly command: string; readonly test: DrivenEventOf<"TestFinished"> }

/** How the tests stand after these runs of them, oldest first. */
export const suite = (commands: ReadonlyArray<string>, runs: ReadonlyArray<TestState>): Suite => {
  const running = runs.find(({ standing }) => standing._tag === "Running")
  if (running !== undefined) return { _tag: "Next", command: running.started.command, running }
  const flaky: Array<string> = []
  for (const command of commands) {
    const ends = runs.flatMap(({ standing, started }) =>
      started.command === command && standing._tag === "Finished" ? [standing.finished] : []
    )
    if (ends.some(({ exit }) => exit === 0)) {
      if (ends.length > 1) flaky.push(command)
      continue
    }
    const second = ends[1]
    return second === undefined
      ? { _tag: "Next", command, running: null }
      : { _tag: "Red", command, test: second }
  }
  return { _tag: "Green", flaky }
}
