// grammar: what the arguments of a subcommand amount to, for the tests of each subcommand.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, ManagedRuntime, Result } from "effect"
import { Command } from "effect/cli"
import { assert } from "vitest"
import type { SubcommandName } from "../../../../src/cli/subcommands.ts"
import { carryOut } from "../../../../src/cli/command.ts"

const machine = ManagedRuntime.make(NodeServices.layer)

/** A subcommand, and how its arguments are read together. */
interface Read<Name extends SubcommandName, Given, A, R> {
  readonly command: Command.Command<Name, Given, {}, never, R>
  readonly read: (given: Given) => Result.Result<A, string>
}

/** Reads the arguments behind a subcommand's name, separated by spaces, and carries nothing out. */
export const grammar = <Name extends SubcommandName, Given, A, R>({ command, read }: Read<Name, Given, A, R>) => {
  const reading = async (line: string | ReadonlyArray<string>) => {
    const found: Array<A> = []
    const recording = Command.withHandler(
      command,
      (given) => Effect.sync(() => void found.push(Result.getOrThrow(read(given))))
    )
    const argv = typeof line !== "string" ? line : line === "" ? [] : line.split(" ")
    const called = { cwd: Effect.die("unused"), version: "0" }
    const ending = await machine.runPromise(carryOut(recording, argv, called))
    return { ...ending, found }
  }
  return {
    name: command.name,
    /** What the subcommand prints about itself. */
    help: async (): Promise<string> => (await reading("--help")).stdout,
    /** What a valid line asks for. */
    asked: async (line: string | ReadonlyArray<string>): Promise<A> => {
      const { found, stderr } = await reading(line)
      assert.strictEqual(stderr, "", `${line}`)
      return found[0] ?? assert.fail(`${line} asks for nothing`)
    },
    /** What is wrong with a line. */
    problem: async (line: string | ReadonlyArray<string>): Promise<string> => {
      const { code, found, stderr, stdout } = await reading(line)
      assert.deepStrictEqual([code, found], [64, []], `${line}`)
      const [, message = "", meant, call = ""] =
        /^(?:error|UsageError): ([^\n]*)\n(?:did you mean ([^\n]*)\?\n)?see '([^\n]*) --help'\n$/.exec(stderr) ??
          assert.fail(stderr)
      assert.match(call, new RegExp(`^ooda-codex-review ${command.name}( |$)`))
      if (stdout !== "") assert.deepInclude(JSON.parse(stdout).error, { tag: "UsageError", message })
      return meant === undefined ? message : `${message} (did you mean ${meant}?)`
    }
  }
}
