// dismiss: the subcommand `dismiss`: keeps a finding from blocking, for one run or for the repository, for a reason.
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import type { Setting } from "../../run/Setting.ts"
import { without } from "../values.ts"
import { placeText, priorityName } from "../../review/findings/words.ts"
import { dayProblem, type Dismissal, fingerprintProblem, Priority, RepoDismissal, Scope } from "../../run/Dismissal.ts"
import { documentText, RunName, runName, version } from "../../run/Document.ts"
import { brief, oneLine } from "../../text/Untrusted.ts"
import { dismissalsOf, dismissFinding, type DismissRequest, withdrawDismissal } from "../../read/Dismiss.ts"
import type { RunRef } from "../../log/Refs.ts"
import { reviewed } from "../../read/Findings.ts"
import { findingNameProblem, oneFinding, oneNamed } from "../../read/OneFinding.ts"
import { table } from "../../text/Paint.ts"
import { excludeEachOther } from "../targetOptions.ts"
import { type Naming, readerCall } from "../../run/Naming.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { Output } from "../../platform/Process.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { flagAs, flagsFor, json, operand, optional, optionalOperand, reasonFlag, rootFlags } from "../options.ts"
import { namingOf, runFlag, selectorOf, targetFlags } from "../selector.ts"

/** The action: a finding is dismissed, its dismissal is taken back, or dismissals are listed. */
export type Action =
  | ({ readonly _tag: "Dismiss" } & DismissRequest)
  | { readonly _tag: "Undo"; readonly fingerprint: string; readonly scope: Scope }
  | { readonly _tag: "List" }

export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly action: Action
  readonly json: boolean
}

/** The settings of `dismiss`, by their names. */
export const dismissSettings = {
  list: { flag: "--list", kind: "switch", text: "List the dismissals of the run and of the repository." },
  undo: { flag: "--undo", kind: "switch", text: "Take the dismissal of FINDING back, in the scope that --scope says." },
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
  finding: optionalOperand(
    operand(
      "FINDING",
      without(findingNameProblem),
      "Its number as findings shows it, or its fingerprint or the beginning of it."
    )
  ),
  reason: optional(reasonFlag),
  ...flagsFor(dismissSettings),
  until: optional(flagAs(dismissSettings.until, without(dayProblem))),
  run: runFlag("That run. Default: the newest of this worktree."),
  ...targetFlags,
  ...rootFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const actionOf = ({ finding, list, reason, scope, undo, until }: FlagValues): Result.Result<Action, string> => {
  if (list && undo) return Result.fail(excludeEachOther(["--list", "--undo"]))
  if (list) return finding === null ? Result.succeed({ _tag: "List" }) : Result.fail("--list takes no FINDING")
  if (finding === null) return Result.fail("name a finding: its number or its fingerprint, as findings shows them")
  if (undo) return Result.succeed({ _tag: "Undo", fingerprint: finding, scope })
  if (reason === null) return Result.fail("--reason is needed: why it is not to block")
  return Result.succeed({ _tag: "Dismiss", fingerprint: finding, reason, until, scope })
}

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { json, stateRoot } = given
    const selector = yield* selectorOf({ ...given, operand: null })
    return { stateRoot, selector, action: yield* actionOf(given), json }
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

/** The document of `dismiss --list --json`. */
export class DismissalList extends Schema.Class<DismissalList>("Dismissals")({
  schema: version,
  run: RunName,
  dismissals: Schema.Array(Schema.Struct({ ...RepoDismissal.fields, scope: Scope }))
}) {}

const listText = (all: ReadonlyArray<Dismissal>): string =>
  all.length === 0 ? "no dismissals\n" : table([
    ["FINGERPRINT", "SCOPE", "UNTIL", "PLACE", "REASON"],
    ...all.map(({ fingerprint, path, reason, scope, until }) => [
      fingerprint,
      scope,
      until ?? "-",
      path === null ? "-" : brief(path, 60),
      brief(reason, 110)
    ])
  ])

/** The name of a finding, also if its number or the beginning of its name is given. */
const nameOf = Effect.fnUntraced(function*(ref: RunRef, name: string, naming: Naming) {
  if (fingerprintProblem(name) === null) return name
  return (yield* oneFinding(ref, name, {}, naming)).fingerprint
})

/** Dismisses a finding, and reports it. */
const dismissing = Effect.fnUntraced(function*(
  ref: RunRef,
  asked: DismissRequest,
  directory: string,
  json: boolean,
  naming: Naming
) {
  const { reason, scope, until } = asked
  const fingerprint = yield* nameOf(ref, asked.fingerprint, naming)
  const { dismissal, strict } = yield* dismissFinding(ref, { ...asked, fingerprint }, directory)
  if (json) {
    const { path, priority } = dismissal
    const fields = { run: runName(ref), strict, fingerprint, reason, until, scope, path, priority }
    return documentText(DismissDocument, fields)
  }
  const [first] = dismissal.wordings
  const what = `${priorityName(dismissal)} ${placeText({ path: dismissal.path, lines: first?.lines ?? null })} ` +
    brief(first?.title ?? "", 120)
  const end = until === null ? "" : ` until ${until}`
  const plain = strict ? "" : "; its run is not strict and hands it off all the same"
  const inRepo = scope === "repo" ? " --scope repo" : ""
  return `${oneLine(`dismissed for the ${scope}${end}: ${fingerprint} ${what}${plain}`)}\n` +
    `take it back: ${readerCall(`dismiss --undo ${fingerprint}${inRepo}`, naming)}\n`
})

/** Takes a dismissal back, and reports it. */
const undoing = Effect.fnUntraced(function*(
  ref: RunRef,
  name: string,
  scope: Scope,
  directory: string,
  json: boolean,
  naming: Naming
) {
  const all = (yield* dismissalsOf(ref, directory)).filter((one) => one.scope === scope)
  const meant = /^\d{1,3}$/.test(name) ? yield* nameOf(ref, name, naming) : name
  const dismissal = yield* oneNamed(all, meant, readerCall("dismiss --list", naming))
  yield* withdrawDismissal(ref, dismissal, directory)
  const { fingerprint } = dismissal
  return json
    ? documentText(DismissalList, { run: runName(ref), dismissals: yield* dismissalsOf(ref, directory) })
    : `taken back for the ${scope}: ${fingerprint}; it blocks again\n`
})

/** Dismisses, takes back or lists, and reports it. */
export const run = Effect.fn("dismiss.run")(
  function*({ action, json, selector, stateRoot }: Request, { cwd }: CallContext) {
    const directory = yield* cwd
    const { opened: { ref } } = yield* reviewed(yield* select(selector, { stateRoot, cwd: directory }))
    const naming = yield* namingOf(selector, ref)
    const written = Effect.gen(function*() {
      switch (action._tag) {
        case "Dismiss":
          return yield* dismissing(ref, action, directory, json, naming)
        case "Undo":
          return yield* undoing(ref, action.fingerprint, action.scope, directory, json, naming)
        case "List": {
          const all = yield* dismissalsOf(ref, directory)
          return json ? documentText(DismissalList, { run: runName(ref), dismissals: all }) : listText(all)
        }
      }
    })
    yield* (yield* Output).write(yield* written)
    return exited(exits.done)
  }
)

export const command = Command.make("dismiss", flags).pipe(subcommand({
  read,
  run,
  about: [
    "keeps a finding from blocking strict runs; it is still reported, with the reason.",
    "",
    "FINDING is its number or its fingerprint, as findings shows them, or the beginning of that. It is recognised in",
    "other words at the same place, and in the same words elsewhere in the file. Dismissing it again replaces the",
    "reason and the day.",
    "It is kept in the run's log. --scope repo also adds a line to .ooda/dismissals.jsonl, for later runs: a file to",
    "commit, and part of the code, so that what was reviewed before it was added is reviewed again. --undo takes one",
    "back: in the run's log, and with --scope repo in that file too. Exits 0, 6 when it could not, 64 on misuse."
  ],
  examples: [
    {
      command: 'ooda-codex-review dismiss 3f2a9c0d11e4b7a6 --reason "generated code"',
      description: "Dismiss one finding for this run."
    },
    { command: "ooda-codex-review dismiss --list", description: "Show what is dismissed." },
    { command: "ooda-codex-review dismiss --undo 3f2a9c0d", description: "Let it block again." }
  ]
}))
