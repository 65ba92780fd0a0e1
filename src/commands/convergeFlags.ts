// convergeFlags: the flags of `converge`, and what they ask for together.
// The texts of its settings go through the parsers of a step, so that both refuse the same in the same words.
import { Result } from "effect"
import { Command, Flag } from "effect/cli"
import { excludeEachOther } from "../cli/targets.ts"
import { convergeTable } from "./convergeTable.ts"
import { checkedAlone, telling, type Texts } from "./convergeSettings.ts"
import { flagsOf, textsGiven } from "./flagTable.ts"
import { optional } from "./flags.ts"

/** What is asked for. */
export interface Asked {
  /** What the command line gives: the nearest of the sources of `configured`. */
  readonly texts: Texts
  readonly fresh: boolean
  readonly inspect: boolean
  readonly json: boolean
  readonly events: boolean
  readonly notify: string | null
}

/** The flags, for a command of effect/cli. Every text is read by `read`. */
export const flags = {
  ...flagsOf(convergeTable),
  commit: optional(Flag.String("commit").pipe(Flag.withHidden))
}

/** What was given on the command line. */
export type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or one line that says what is wrong. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    if (all.commit !== null) {
      return yield* Result.fail(
        "--commit cannot converge: a commit does not change; name its branch with --base or --pr"
      )
    }
    const told = textsGiven(all)
    const on = telling(told)
    const clash = ["--json", "--events"].filter((option) => on.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    yield* checkedAlone(on)
    return {
      texts: told,
      fresh: on.has("--fresh"),
      inspect: on.has("--inspect"),
      json: on.has("--json"),
      events: on.has("--events"),
      notify: on.get("--notify")?.[0] ?? null
    }
  })
