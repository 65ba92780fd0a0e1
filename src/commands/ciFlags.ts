// ciFlags: the flags of `ci`, and what they ask for together.
// A workflow hands on every input, given or not: an empty text is no text.
import { Result } from "effect"
import type { Command, Flag } from "effect/cli"
import { badValue } from "../cli/quoted.ts"
import { level, oneOf, type Value } from "../cli/values.ts"
import { FailOn } from "../core/ci/FailOn.ts"
import { compare, type Level, levels } from "../core/run/Level.ts"
import { type Texts } from "./convergeSettings.ts"
import { convergeTable } from "./convergeTable.ts"
import { operand, optional, valued } from "./flags.ts"
import { flagsOf, textsGiven } from "./flagTable.ts"

/** The flags of `converge` and of a step that a workflow can hand on. */
const handed: ReadonlyArray<string> = [
  ...["--base", "-n", "--jobs", "--retries", "--review-timeout", "--idle-timeout", "--codex-bin", "--state-root"],
  ...["--test", "--test-timeout", "--agent", "--agent-cmd", "--agent-model", "--agent-effort", "--allow"],
  ...["--max-rounds", "--max-time", "--max-tokens", "--max-batches"]
]

/** The flags that only a call which works on the code has a use for. */
const ofConverge: ReadonlyArray<string> = handed.slice(handed.indexOf("--test"))

/** `high`, or all levels from one to another as `low..high`. */
const span: Value<ReadonlyArray<Level>> = (text) =>
  Result.gen(function*() {
    const [first = "", last = first, ...more] = text.split("..")
    const [from, to] = [yield* level(first), yield* level(last)]
    if (more.length > 0 || compare(from, to) > 0) return yield* Result.fail("expected LVL or LVL..LVL, the lower first")
    return levels.filter((one) => compare(one, from) >= 0 && compare(one, to) <= 0)
  })

const orNothing = <A>(parser: Value<A>): Value<A | null> => (text) => text === "" ? Result.succeed(null) : parser(text)

const given = <A>(name: string, metavar: string, parser: Value<A>, text: string): Flag.Flag<A | null> =>
  optional(valued(name, metavar, orNothing(parser), text))

/** What `ci` does. */
export const actions = ["run", "post"] as const

/** The flags and the action. */
export const flags = {
  action: operand("ACTION", oneOf(actions), "What to do: run the reviews, or post the comment."),
  mode: given(
    "mode",
    "MODE",
    oneOf(["review", "converge"]),
    "review (default) edits nothing; converge has agents fix."
  ),
  levels: given("levels", "LVL", span, "The level, or the levels as low..high. Default high."),
  failOn: given(
    "fail-on",
    "WHAT",
    oneOf(FailOn.literals),
    "What fails the job: never, error, findings (default), or a priority from P0 to P3 and what is graver."
  ),
  forkTests: given(
    "fork-tests",
    "WHEN",
    oneOf(["never", "always"]),
    "Whether converge works on a pull request from a fork, whose tests then run. Default never: it is reviewed."
  ),
  author: given(
    "comment-author",
    "LOGIN",
    (text) => Result.succeed(text),
    "Who comments. Default github-actions[bot]."
  ),
  out: given("out-dir", "DIR", (text) => Result.succeed(text), "Where files are written. Default $RUNNER_TEMP."),
  ...flagsOf(convergeTable.filter(({ option }) => handed.includes(option)))
}

type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for. `texts` are those of `converge`; null `out` is the runner's directory. */
export interface Asked {
  readonly action: "run" | "post"
  readonly mode: "review" | "converge"
  readonly levels: ReadonlyArray<Level>
  readonly failOn: FailOn
  readonly forkTests: boolean
  readonly author: string
  readonly out: string | null
  readonly texts: Texts
}

const separators: Readonly<Record<string, RegExp>> = { "--test": /\n/, "--allow": /[\s,]+/ }

/** The texts that say something; a text for several values is taken apart. */
const saying = (texts: Texts): Texts =>
  new Map(
    [...texts].map(([option, all]) => {
      const separator = separators[option]
      const parts = separator === undefined ? all : all.flatMap((text) => text.split(separator))
      return [
        option,
        option === "--trust-state-root" ? all : parts.map((part) => part.trim()).filter((part) => part !== "")
      ] as const
    }).filter(([, all]) => all.length > 0)
  )

/** What is asked for, or one line that says what is wrong with the arguments together. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const { action, author, failOn, forkTests, levels, mode, out } = all
    const texts = saying(textsGiven(all))
    const useless = mode === "converge" ? undefined : [...texts.keys()].find((option) => ofConverge.includes(option))
    if (useless !== undefined) {
      return yield* Result.fail(badValue(useless, texts.get(useless)?.[0] ?? "", "it needs --mode converge"))
    }
    return {
      action,
      mode: mode ?? "review",
      levels: levels ?? ["high"],
      failOn: failOn ?? "findings",
      forkTests: forkTests === "always",
      author: author ?? "github-actions[bot]",
      out,
      texts
    }
  })
