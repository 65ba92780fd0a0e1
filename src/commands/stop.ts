// stop: the subcommand `stop`: ends the reviewers of a run.
// It alone ends in an Outcome, as a step does.
import { Effect, Result } from "effect"
import { head, level, path } from "../cli/values.ts"
import { ending } from "../cli/ending.ts"
import { oneLine } from "../core/text/Text.ts"
import { Environment } from "../services/Environment.ts"
import { outcomeOf, type StepFailure, type StepResult } from "../step/StepResult.ts"
import { stepJson } from "../step/StepJson.ts"
import { type Stopping, stopStep } from "../step/StopStep.ts"
import type { Called } from "./Command.ts"
import { selectorOf, runOptions } from "./selector.ts"
import { type CommandSpec, jsonOption, rootOptions, valueOf, type Words } from "./words.ts"

/** What to stop. */
export interface Asked extends Stopping {
  readonly json: boolean
}

/** The table of `stop`. */
export const spec: CommandSpec = {
  name: "stop",
  about: [
    "Ends the reviewers of a run and records it. RUN is a run's id or the beginning of it; without one it is this",
    "worktree's run under way, and an error where several are. A step that waits for them ends in DoneAborted (8),",
    "and so does stop itself, also where nothing runs; 6 when it could not, 64 on misuse. Finished reviews are kept:",
    "the next step runs only what was not finished."
  ],
  operand: "RUN",
  options: [
    ...runOptions.map((option) => ({ ...option, text: option.text.replace("The latest run", "The current run") })),
    { option: "--level", metavar: "LVL", text: "Only a run with this floor. Default: whatever its floor." },
    { option: "--expect-head", metavar: "SEQ:HASH", text: "Fail (6) unless the run's log ends in this commit." },
    ...rootOptions,
    jsonOption
  ]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const floor = yield* valueOf(words, "--level", level, null)
    const expectHead = yield* valueOf(words, "--expect-head", head, null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const target = selector._tag === "Latest" ? selector.target : null
    const run = selector._tag === "Named" ? selector.prefix : null
    return { stateRoot, target, run, floor, expectHead, json: words.given("--json") !== null }
  })

const failed = (failure: StepFailure): StepResult => ({ line: null, outcome: outcomeOf(failure), run: null })

/** Stops, and tells it as a step tells its outcome. */
export const run = Effect.fn("stop.run")(function*(asked: Asked, { cwd }: Called) {
  const env = yield* Environment
  const result = yield* Effect.flatMap(cwd, (directory) => stopStep(asked, directory, env)).pipe(
    Effect.catch((failure) => Effect.succeed(failed(failure)))
  )
  const { line, outcome } = result
  return ending(asked.json ? yield* stepJson(result) : line === null ? "" : `${oneLine(line)}\n`, outcome)
})
