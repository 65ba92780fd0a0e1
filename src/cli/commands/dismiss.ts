// dismiss: the subcommand `dismiss`: keeps a finding from blocking, for one run or for the repository, for a reason.
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import type { Setting } from "../../run/Setting.ts"
import { without } from "../values.ts"
import { placeText, priorityName } from "../../review/findings/words.ts"
import { dayProblem, fingerprintProblem, Priority } from "../../run/Dismissal.ts"
import { documentText, RunName, runName, version } from "../../run/Document.ts"
import { brief, oneLine } from "../../text/Untrusted.ts"
import { type DismissRequest, dismissFinding } from "../../review/findings/Dismiss.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { Output } from "../../platform/Process.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { choiceOrDefault, flagAs, json, operand, optional, reasonFlag, rootFlags } from "../options.ts"
import { runFlag, selectorOf, targetFlags } from "../selector.ts"

export interface Request extends DismissRequest {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly json: boolean
}

/** The settings of `dismiss`, by their names. */
export const dismissSettings = {
  until: {
    flag: "--until",
    metavar: "DATE",
    kind: "text",
    otherwise: "no end",
    text: "The last day in UTC, such as 2026-12-31."
  },
  scope: {
    flag: "--scope",
    metavar: "SCOPE",
    kind: "word",
    words: ["run", "repo"],
    default: "run",
    text: "Where it is kept: run or repo."
  }
} as const satisfies Record<string, Setting>

const flags = {
  fingerprint: operand("FINGERPRINT", without(fingerprintProblem), "The name of a finding, as findings shows it."),
  reason: reasonFlag,
  until: optional(flagAs(dismissSettings.until, without(dayProblem))),
  scope: choiceOrDefault(dismissSettings.scope),
  run: runFlag("That run. Default: the newest of this worktree."),
  ...targetFlags,
  ...rootFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { fingerprint, json, reason, scope, stateRoot, until } = given
    const selector = yield* selectorOf({ ...given, operand: null })
    return { stateRoot, selector, fingerprint, reason, until, scope, json }
  })

/** The document of `dismiss --json`. */
export class DismissDocument extends Schema.Class<DismissDocument>("Dismiss")({
  schema: version,
  run: RunName,
  strict: Schema.Boolean,
  fingerprint: Schema.String,
  reason: Schema.String,
  until: Schema.NullOr(Schema.String),
  scope: Schema.Literals(["run", "repo"]),
  path: Schema.NullOr(Schema.String),
  priority: Schema.NullOr(Priority)
}) {}

/** Dismisses, and says what. */
export const run = Effect.fn("dismiss.run")(
  function*({ json, selector, stateRoot, ...asked }: Request, { cwd }: CallContext) {
    const directory = yield* cwd
    const ref = yield* select(selector, { stateRoot, cwd: directory })
    const { dismissal, strict } = yield* dismissFinding(ref, asked, directory)
    if (json) {
      const { path, priority } = dismissal
      const document = documentText(DismissDocument, { run: runName(ref), strict, ...asked, path, priority })
      yield* (yield* Output).write(document)
      return exited(exits.done)
    }
    const [first] = dismissal.wordings
    const what = `${priorityName(dismissal)} ${placeText({ path: dismissal.path, lines: first?.lines ?? null })} ` +
      brief(first?.title ?? "", 120)
    const until = asked.until === null ? "" : ` until ${asked.until}`
    const plain = strict ? "" : "; its run is not strict and hands it off all the same"
    const line = `dismissed for the ${asked.scope}${until}: ${asked.fingerprint} ${what}${plain}`
    yield* (yield* Output).write(`${oneLine(line)}\n`)
    return exited(exits.done)
  }
)

export const command = Command.make("dismiss", flags).pipe(subcommand({
  read,
  run,
  about: [
    "keeps a finding from blocking strict runs; it is still reported, with the reason.",
    "",
    "FINGERPRINT is its name, as findings shows it. The finding is recognised in other words at the same place, and in",
    "the same words elsewhere in the file. Dismissing it again replaces the reason and the day.",
    "It is kept in the run's log. --scope repo also adds a line to .ooda/dismissals.jsonl, for later runs: a file to",
    "commit, and part of the code, so that what was reviewed before it was added is reviewed again. Exits 0, 6 when it",
    "could not, 64 on misuse."
  ],
  examples: [
    {
      command: 'ooda-codex-review dismiss 3f2a9c0d11e4b7a6 --reason "generated code"',
      description: "Dismiss one finding for this run."
    }
  ]
}))
