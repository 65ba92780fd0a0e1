// dismiss: the subcommand `dismiss`: keeps a finding from blocking, for one run or for the repository, for a reason.
import { Effect, Result } from "effect"
import { path, type Value } from "../cli/values.ts"
import { placeText, priorityName } from "../core/findings/ReportText.ts"
import { dayProblem, fingerprintProblem, reasonProblem, type Scope } from "../core/run/Dismissal.ts"
import { oneLine } from "../core/text/Text.ts"
import { brief } from "../core/text/Untrusted.ts"
import { type Dismissed, dismissFinding } from "../runs/DismissFinding.ts"
import { select, type Selector } from "../runs/SelectRun.ts"
import { Output } from "../services/Output.ts"
import type { Called } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { runOptions, selectorOf } from "./selector.ts"
import { type CommandSpec, rootOptions, valueOf, type Words } from "./words.ts"

/** What is dismissed, of which run. */
export interface Asked extends Dismissed {
  readonly stateRoot: string | null
  readonly selector: Selector
}

/** The table of `dismiss`. */
export const spec: CommandSpec = {
  name: "dismiss",
  about: [
    "Keeps a finding from blocking strict runs: it is still reported, with the reason, and does not count.",
    "FINGERPRINT is its name, as findings shows it. It is known again as findings are merged: in other words at the",
    "same place, and in the same words elsewhere in the file. Dismissed again it has the new reason and day.",
    "--scope run keeps it in the run's log. --scope repo adds a line to .ooda/dismissals.jsonl: a file to commit, and",
    "part of the code, so that what was reviewed before it was added is reviewed again. Exits 0, 6 when it could not,",
    "64 on misuse."
  ],
  operand: "FINGERPRINT",
  options: [
    { option: "--reason", metavar: "TEXT", text: "Why it is not to block. Required." },
    { option: "--until", metavar: "DATE", text: "The last day, such as 2026-12-31 (UTC). Default: no end." },
    { option: "--scope", metavar: "SCOPE", text: "run or repo. Default run." },
    ...runOptions.map((option) =>
      option.option === "--run" ? { ...option, text: "That run. Default: the newest of this worktree." } : option
    ),
    ...rootOptions
  ]
}

const checked = (problem: (text: string) => string | null): Value<string> => (text) => {
  const found = problem(text)
  return found === null ? Result.succeed(text) : Result.fail(found)
}

const scope: Value<Scope> = (text) =>
  text === "run" || text === "repo" ? Result.succeed(text) : Result.fail("expected run or repo")

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    if (words.operand === null) return yield* Result.fail("FINGERPRINT is required; findings shows it")
    const name = yield* Result.mapError(
      checked(fingerprintProblem)(words.operand),
      (problem) => `FINGERPRINT: ${problem}`
    )
    const why = yield* valueOf(words, "--reason", checked(reasonProblem), null)
    if (why === null) return yield* Result.fail("--reason TEXT is required")
    const until = yield* valueOf(words, "--until", checked(dayProblem), null)
    const holds = yield* valueOf(words, "--scope", scope, "run" as const)
    const selector = yield* selectorOf({ ...words, operand: null })
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    return { stateRoot, selector, fingerprint: name, reason: why, until, scope: holds }
  })

/** Dismisses, and says what. */
export const run = Effect.fn("dismiss.run")(function*({ selector, stateRoot, ...asked }: Asked, { cwd }: Called) {
  const directory = yield* cwd
  const ref = yield* select(selector, { stateRoot, cwd: directory })
  const { dismissal, strict } = yield* dismissFinding(ref, asked, directory)
  const [first] = dismissal.wordings
  const what = `${priorityName(dismissal)} ${placeText({ path: dismissal.path, lines: first?.lines ?? null })} ` +
    brief(first?.title ?? "", 120)
  const until = asked.until === null ? "" : ` until ${asked.until}`
  const plain = strict ? "" : "; its run is not strict and hands it off all the same"
  const line = `dismissed for the ${asked.scope}${until}: ${asked.fingerprint} ${what}${plain}`
  yield* (yield* Output).write(`${oneLine(line)}\n`)
  return exited(exits.done)
})
