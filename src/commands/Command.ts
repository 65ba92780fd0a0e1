// Command: what the file of a subcommand gives, and how one is carried out: its words are read, it runs, it ends.
import { Effect, Result } from "effect"
import { type Ending, misused, printed } from "../cli/ending.ts"
import { TrustStateRoot } from "../services/RunStore.ts"
import type { BadEnvironment } from "../step/PollInterval.ts"
import { type Failure, failed } from "./Exits.ts"
import { type CommandSpec, readWords, usageOf, type Words } from "./words.ts"

/** Where a subcommand is called, and by which version of the program. */
export interface Called {
  readonly cwd: Effect.Effect<string, BadEnvironment>
  readonly version: string
}

/** A subcommand: its table, what its words ask for or what is wrong with them, and what it then does. */
export interface Command<A, E extends Failure, R> {
  readonly spec: CommandSpec
  readonly read: (words: Words) => Result.Result<A, string>
  readonly run: (asked: A, called: Called) => Effect.Effect<Ending, E, R>
}

/**
 * The result of reading the arguments of a subcommand. Texts have no newline at their end. `trust`: `TrustStateRoot`.
 */
export type Parsed<A> =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Usage"; readonly message: string; readonly usage: string }
  | { readonly _tag: "Asked"; readonly asked: A; readonly trust: boolean }

/** Reads the arguments behind a subcommand's name. */
export const parsed = <A, E extends Failure, R>(
  { read, spec }: Command<A, E, R>,
  argv: ReadonlyArray<string>
): Parsed<A> => {
  const usage = usageOf(spec)
  const found = readWords(spec, argv)
  if (found._tag === "Help") return { _tag: "Help", text: usage }
  if (found._tag === "Problem") return { _tag: "Usage", message: found.message, usage }
  const trust = found.words.given("--trust-state-root") !== null
  return Result.match(read(found.words), {
    onFailure: (message): Parsed<A> => ({ _tag: "Usage", message, usage }),
    onSuccess: (asked): Parsed<A> => ({ _tag: "Asked", asked, trust })
  })
}

/** Does what was asked; every failure is an ending of its own. */
export const perform = <A, E extends Failure, R>(
  { run }: Command<A, E, R>,
  asked: A,
  called: Called
): Effect.Effect<Ending, never, R> => Effect.catch(run(asked, called), (failure) => Effect.succeed(failed(failure)))

/** Carries a subcommand out, from its arguments to its ending. */
export const carryOut = <A, E extends Failure, R>(
  command: Command<A, E, R>,
  argv: ReadonlyArray<string>,
  called: Called
): Effect.Effect<Ending, never, R> => {
  const found = parsed(command, argv)
  switch (found._tag) {
    case "Help":
      return Effect.succeed(printed(found.text))
    case "Usage":
      return Effect.succeed(misused(found.message, found.usage))
    case "Asked":
      return Effect.provideService(perform(command, found.asked, called), TrustStateRoot, found.trust)
  }
}
