// stop: the arguments of `stop`.
// The one rule: it is told what to stop as a step is told what to review; nothing is stopped by default.
import { Result } from "effect"
import type { StopCommand } from "./Subcommand.ts"
import { head, level, path } from "../cli/values.ts"
import { selectorOf, targetOptions } from "./selector.ts"
import { type CommandSpec, jsonOption, rootOption, valueOf, type Words } from "./words.ts"

/** The table of `stop`. */
export const spec: CommandSpec = {
  name: "stop",
  about: [
    "Ends the reviewers of a target's current batch and records it. A step that waits for them ends in DoneAborted",
    "(8), and so does stop itself, also where nothing runs; 6 when it could not, 64 on misuse. Finished reviews are",
    "kept: the next step runs only what was not finished."
  ],
  operand: null,
  options: [
    ...targetOptions.map((option) => ({ ...option, text: option.text.replace("The latest run", "The current run") })),
    { option: "--level", metavar: "LVL", text: "Only a run with this floor. Default: whatever its floor." },
    { option: "--expect-head", metavar: "SEQ:HASH", text: "Fail (6) unless the run's log ends in this commit." },
    rootOption,
    jsonOption
  ]
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words): Result.Result<StopCommand, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const floor = yield* valueOf(words, "--level", level, null)
    const expectHead = yield* valueOf(words, "--expect-head", head, null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    if (selector._tag !== "Latest") {
      return yield* Result.fail("one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required")
    }
    const { target } = selector
    return { _tag: "Stop", stateRoot, target, floor, expectHead, json: words.given("--json") !== null }
  })
