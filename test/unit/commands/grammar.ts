// grammar: what the words behind a subcommand's name amount to, for the tests of each subcommand.
import { assert } from "vitest"
import { type Command, parsed } from "../../../src/commands/Command.ts"
import type { Failure } from "../../../src/commands/Exits.ts"

/** Reads the words behind a command's name, separated by spaces. */
export const grammar = <A, E extends Failure, R>(command: Command<A, E, R>) => {
  const words = (line: string): ReadonlyArray<string> => line === "" ? [] : line.split(" ")
  return {
    /** What a valid line asks for. */
    asked: (line: string): A => {
      const found = parsed(command, words(line))
      return found._tag === "Asked" ? found.asked : assert.fail(`${line}: ${JSON.stringify(found)}`)
    },
    /** What is wrong with a line. */
    problem: (line: string | ReadonlyArray<string>): string => {
      const found = parsed(command, typeof line === "string" ? words(line) : line)
      if (found._tag !== "Usage") return assert.fail(`${line}: ${JSON.stringify(found)}`)
      assert.match(found.usage, new RegExp(`^Usage: ooda-codex-review ${command.spec.name} `))
      return found.message
    }
  }
}
