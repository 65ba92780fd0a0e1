// all: the arguments of every subcommand, read by its own table.
// The one rule: loaded only when a subcommand is called, and it parses only; what a subcommand does is not known here.
import { Result } from "effect"
import type { Subcommand } from "./Subcommand.ts"
import type { SubcommandName } from "../cli/subcommands.ts"
import * as audit from "./audit.ts"
import * as doctor from "./doctor.ts"
import * as findings from "./findings.ts"
import * as replay from "./replay.ts"
import * as runs from "./runs.ts"
import * as stop from "./stop.ts"
import * as watch from "./watch.ts"
import { type CommandSpec, readWords, usageOf, type Words } from "./words.ts"

interface Parser {
  readonly spec: CommandSpec
  readonly command: (words: Words) => Result.Result<Subcommand, string>
}

const parsers: Readonly<Record<SubcommandName, Parser>> = { runs, replay, audit, findings, watch, stop, doctor }

/** What the arguments of a subcommand ask for. Texts have no newline at their end. */
export type SubcommandParse =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Usage"; readonly message: string; readonly usage: string }
  | { readonly _tag: "Subcommand"; readonly command: Subcommand }

/** Reads the arguments of a subcommand. */
export const parseSubcommand = (name: SubcommandName, argv: ReadonlyArray<string>): SubcommandParse => {
  const { command, spec } = parsers[name]
  const usage = usageOf(spec)
  const read = readWords(spec, argv)
  if (read._tag === "Help") return { _tag: "Help", text: usage }
  if (read._tag === "Problem") return { _tag: "Usage", message: read.message, usage }
  return Result.match(command(read.words), {
    onFailure: (message): SubcommandParse => ({ _tag: "Usage", message, usage }),
    onSuccess: (command): SubcommandParse => ({ _tag: "Subcommand", command })
  })
}
