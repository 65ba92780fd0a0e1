// runs: the subcommand `runs`: lists the runs of this repository or of all, or removes those that are over and old.
import { Effect, Result } from "effect"
import { age, path } from "../cli/values.ts"
import { runsJson, runsTable } from "../history/RunsTable.ts"
import { runs } from "../history/Summary.ts"
import { Git } from "../services/Git.ts"
import { Output } from "../services/Output.ts"
import { prune } from "../upkeep/Prune.ts"
import type { Called } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { type CommandSpec, jsonOption, rootOptions, valueOf, type Words } from "./words.ts"

/** Which runs, and what is done with them. `olderThan` in milliseconds. */
export interface Asked {
  readonly stateRoot: string | null
  readonly all: boolean
  readonly json: boolean
  readonly action:
    | { readonly _tag: "List" }
    | {
      readonly _tag: "Prune"
      readonly olderThan: number
      readonly dryRun: boolean
      readonly transcripts: boolean
    }
}

/** The table of `runs`. */
export const spec: CommandSpec = {
  name: "runs",
  about: [
    "Lists the runs of this repository, newest first: target, levels from the floor to the current one, batches,",
    "reviews, duration, where each run stands, and whose each is where other checkouts have some too. Reads only;",
    "exits 0, 6 when it could not, 64 on misuse.",
    "",
    "With --prune it removes the runs that are over and were last touched AGE ago or earlier, and prints them. A run",
    "is over at its fixed point, when a newer run has taken its place, or when its worktree is gone. Never removed: a",
    "run whose reviewers live, one that the next step would go on with, one that cannot be read. Exits 1 when a run",
    "that was to go could not be removed.",
    "",
    "With --prune --transcripts it removes no run. It cuts transcripts over 128 kB down to both their ends: those of",
    "runs that are over, of attempts that failed, and of batches that a newer one of their level has replaced. An",
    "audit then says that they were pruned; a fixed point that rests on one is no longer proven."
  ],
  operand: null,
  options: [
    { option: "--all", metavar: null, text: "The runs of every repository under the state root." },
    { option: "--prune", metavar: "AGE", text: "Remove what is over and this old: 30d, 12h, 1d12h." },
    { option: "--transcripts", metavar: null, text: "With --prune, whose AGE may then be left out: cut transcripts." },
    { option: "--dry-run", metavar: null, text: "With --prune: say what would be removed, remove nothing." },
    ...rootOptions,
    jsonOption
  ]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const has = (option: string): boolean => words.given(option) !== null
    // No age looks like this: it was left out.
    const ageless = words.given("--prune") === "--transcripts"
    const olderThan = ageless ? 0 : yield* valueOf(words, "--prune", age, null)
    const [dryRun, transcripts] = [has("--dry-run"), ageless || has("--transcripts")]
    if (olderThan === null && dryRun) return yield* Result.fail("--dry-run goes with --prune")
    if (olderThan === null && transcripts) return yield* Result.fail("--transcripts goes with --prune")
    const action: Asked["action"] = olderThan === null
      ? { _tag: "List" }
      : { _tag: "Prune", olderThan, dryRun, transcripts }
    return { stateRoot, all: has("--all"), json: has("--json"), action }
  })

/** Lists or removes, and writes which. */
export const run = Effect.fn("runs.run")(function*({ action, all, json, stateRoot }: Asked, { cwd }: Called) {
  const where = { stateRoot, cwd: yield* cwd }
  switch (action._tag) {
    case "List": {
      const summaries = yield* runs(where, all)
      const here = yield* Effect.option((yield* Git).repository(where.cwd))
      const top = here._tag === "Some" ? here.value.root : null
      const elsewhere = summaries.some(({ worktree }) => worktree !== null && worktree !== top)
      const columns = { repository: all, worktree: elsewhere }
      yield* (yield* Output).write(json ? runsJson(summaries) : runsTable(summaries, columns))
      return exited(exits.done)
    }
    case "Prune": {
      const { dryRun, olderThan, transcripts } = action
      const clean = yield* prune({ all, json, dryRun, transcripts, age: olderThan }, where)
      return exited(clean ? exits.done : exits.wrong)
    }
  }
})
