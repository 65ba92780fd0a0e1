// What completions offer for a value is what the subcommand takes, all of it and nothing else.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commanding } from "../../../src/commandLayers.ts"
import { carryOut } from "../../../src/cli/command.ts"
import * as ci from "../../../src/cli/commands/ci.ts"
import * as config from "../../../src/cli/commands/config.ts"
import * as converge from "../../../src/cli/commands/converge.ts"
import * as dismiss from "../../../src/cli/commands/dismiss.ts"
import * as fleet from "../../../src/cli/commands/fleet.ts"
import * as hook from "../../../src/cli/commands/hook.ts"
import * as implement from "../../../src/cli/commands/implement.ts"
import * as result from "../../../src/cli/commands/result.ts"
import { settings } from "../../../src/cli/completions.ts"
import { grammar } from "./commands/grammar.ts"

const call = { cwd: Effect.die("unused"), version: "0" }
const misuse = async (ending: Promise<{ readonly stderr: string }>) => (await ending).stderr.split("\n")[0] ?? ""

/** What is wrong with the arguments of each subcommand, and what stands before the flag in question. */
const problems: Readonly<
  Record<string, readonly [string, (args: ReadonlyArray<string>) => Promise<string>]>
> = {
  ci: ["run", grammar(ci).problem],
  config: ["show --uncommitted", grammar(config).problem],
  converge: ["--uncommitted --no-test", grammar(converge).problem],
  dismiss: ["0123456789abcdef --reason x", grammar(dismiss).problem],
  fleet: [
    "worker",
    (args) => misuse(Effect.runPromise(Effect.provide(carryOut(fleet.command, args, call), commanding)))
  ],
  hook: [
    "install",
    (args) => misuse(Effect.runPromise(Effect.provide(carryOut(hook.command, args, call), commanding)))
  ],
  implement: ["plan.md --no-test", grammar(implement).problem],
  result: ["--task-id 1", grammar(result).problem]
}

const cases = Object.entries(settings).flatMap(([name, all]) =>
  all.flatMap(({ flag, words }) => words === undefined ? [] : [{ name, flag, words }])
)
  // `ci` reads these when it knows what it reviews.
  .filter(({ flag, name }) => name !== "ci" || (flag !== "--agent" && flag !== "--allow"))

describe("what is offered for a value", () => {
  it.each(cases)("of $name $flag is what it takes", async ({ flag, name, words }) => {
    const [before, problem] = problems[name] ?? assert.fail(name)
    const expected = [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((one) => one !== "").join(" or ")
    assert.include(await problem([...before.split(" "), `${flag}=wrong`]), `"wrong": expected ${expected}`)
  })
})
