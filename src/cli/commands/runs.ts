// runs: the subcommand `runs`: lists the runs of this repository or of all, or removes those that are old and over.
import { Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { badValue } from "../argv.ts"
import { age } from "../values.ts"
import { look } from "../../read/Look.ts"
import { runsJson, runsTable } from "../../read/Runs.ts"
import { outputPage } from "../../platform/Page.ts"
import { Output } from "../../platform/Process.ts"
import { prune } from "../../read/Prune.ts"
import { CallPlace } from "../../run/Naming.ts"
import { selectAll, selectOwn } from "../../step/Selection.ts"
import { type CallContext, subcommand } from "../command.ts"
import type { Setting } from "../../run/Setting.ts"
import { exited } from "../ending.ts"
import { sharedSettings } from "../flags.ts"
import { exits } from "../../platform/Failure.ts"
import { flagsFor, json, operand, optional, optionalOperand, storeFlags, textFlag } from "../options.ts"

/** The runs, and the action. `olderThan` in milliseconds. */
export interface Request {
  readonly stateRoot: string | null
  readonly all: boolean
  readonly json: boolean
  readonly action:
    | { readonly _tag: "List" }
    | {
      readonly _tag: "Prune"
      readonly olderThan: number
      readonly dryRun: boolean
      readonly force: boolean
      readonly transcripts: boolean
    }
}

const settings = {
  all: sharedSettings.everyRun,
  prune: {
    flag: "--prune",
    metavar: "AGE",
    kind: "text",
    text: "Remove what is over and this old: --prune 30d, 12h, 1d12h."
  },
  transcripts: {
    flag: "--transcripts",
    kind: "switch",
    text: "With --prune, whose AGE may then be left out: cut transcripts."
  },
  dryRun: { flag: "--dry-run", kind: "switch", text: "With --prune: say what would be removed, remove nothing." },
  force: { flag: "--force", kind: "switch", text: "With --prune: remove also what undo has moved aside, and list it." }
} as const satisfies Record<string, Setting>

const flags = {
  ...flagsFor(settings),
  prune: optional(Flag.withOptionalValue(textFlag(settings.prune), "")),
  age: optionalOperand(operand("AGE", age, "With --prune: how long ago a run was last touched, at the least.")),
  ...storeFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { all, dryRun, force, json, prune, stateRoot, transcripts } = given
    if (prune === null) {
      if (given.age !== null) return yield* Result.fail("AGE goes with --prune")
      if (dryRun) return yield* Result.fail("--dry-run goes with --prune")
      if (transcripts) return yield* Result.fail("--transcripts goes with --prune")
      if (force) return yield* Result.fail("--force goes with --prune")
      return { stateRoot, all, json, action: { _tag: "List" } }
    }
    if (prune !== "" && given.age !== null) return yield* Result.fail("--prune takes one AGE")
    const inline = prune === "" ? null : yield* Result.mapError(age(prune), (why) => badValue("--prune", prune, why))
    const olderThan = inline ?? given.age ?? (transcripts ? 0 : null)
    if (olderThan === null) return yield* Result.fail("--prune needs an AGE, such as 30d, or --transcripts")
    return { stateRoot, all, json, action: { _tag: "Prune", olderThan, dryRun, force, transcripts } }
  })

/** Lists or removes, and reports which. */
export const run = Effect.fn("runs.run")(function*(
  { action, all, json, stateRoot }: Request,
  { columns = null, cwd }: CallContext
) {
  const where = { stateRoot, cwd: yield* cwd }
  switch (action._tag) {
    case "List": {
      const { elsewhere, runs, worktree } = all
        ? { runs: yield* selectAll(where, true), worktree: null, elsewhere: 0 }
        : yield* selectOwn(where)
      const views = yield* Effect.forEach(runs, look)
      const page = yield* outputPage(columns)
      const text = json ? runsJson(views, elsewhere) : runsTable(views, worktree, elsewhere, page, yield* CallPlace)
      yield* (yield* Output).write(text)
      return exited(exits.done)
    }
    case "Prune": {
      const { dryRun, force, olderThan, transcripts } = action
      const clean = yield* prune({ all, json, dryRun, force, transcripts, age: olderThan }, where)
      return exited(clean ? exits.done : exits.wrong)
    }
  }
})

export const command = Command.make("runs", flags).pipe(subcommand({
  read,
  run,
  scope: () => Effect.succeed({ _tag: "All" }),
  about: [
    "lists the runs of this repository, newest first, or removes those that are over and old.",
    "",
    "Each line shows target, levels from the floor to the current one, rounds, reviews, duration, state, and the worktree",
    "where other ones have some too. Without a remote a repository is known by its directory's name alone: then only the",
    "runs of this worktree are listed, and the others of that name are counted. --all lists every run. Without --prune",
    "it reads only; exits 0, 6 when it could not, 64 on misuse.",
    "",
    "With --prune it removes the runs of this repository that are over and were last touched AGE ago or earlier, and prints them. A run",
    "is over at its fixed point, when a newer run has taken its place, or when its worktree is gone. Never removed: a",
    "run whose reviewers live, one that the next step would go on with, one that cannot be read, and without --force one",
    "in which undo has moved something aside. Exits 1 when a run that was to go could not be removed.",
    "",
    "With --prune --transcripts it removes no run. It cuts transcripts over 128 kB down to both their ends: those of",
    "runs that are over, of attempts that failed, and of batches that a newer one of their level has replaced. An",
    "audit then says that they were pruned; a fixed point that rests on one is no longer proven."
  ],
  examples: [
    { command: "ooda-codex-review runs --all", description: "List every run." },
    { command: "ooda-codex-review runs --prune 30d --dry-run", description: "Say what is over and a month old." },
    { command: "ooda-codex-review runs --prune --transcripts", description: "Make space and keep every run." }
  ]
}))
