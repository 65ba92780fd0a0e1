// What completions offer for a value is what the subcommand takes, all of it and nothing else.
import { assert, describe, it } from "vitest"
import * as ci from "../../../src/cli/commands/ci.ts"
import { choices } from "../../../src/cli/completions.ts"
import * as config from "../../../src/cli/commands/config.ts"
import * as converge from "../../../src/cli/commands/converge.ts"
import * as fleet from "../../../src/cli/commands/fleet.ts"
import * as implement from "../../../src/cli/commands/implement.ts"
import { grammar } from "./commands/grammar.ts"

const told: Readonly<Record<string, (args: ReadonlyArray<string>) => Promise<string | null>>> = {
  ci: grammar(ci).problem,
  config: grammar(config).problem,
  converge: grammar(converge).problem,
  fleet: grammar(fleet).problem,
  implement: grammar(implement).problem
}
/** What may stand before a flag, and whose flag it is where several have it. */
const lines: Readonly<Record<string, ReadonlyArray<string>>> = {
  agent: ["converge", "--uncommitted", "--no-test"],
  allow: ["converge", "--uncommitted", "--no-test"],
  retro: ["converge", "--uncommitted", "--no-test"],
  "fail-on": ["ci", "run"],
  "fork-tests": ["ci", "run"],
  mode: ["ci", "run"],
  "fleet retro": ["fleet", "submit"],
  then: ["implement", "plan.md", "--no-test"]
}

describe("what is offered for a value", () => {
  it.each(Object.entries(choices).filter(([named]) => !/install /.test(named)))(
    "of %s is what it takes",
    async (named, words) => {
      const [name = "", own] = named.split(" ").reverse()
      const [subcommand = "", ...args] = name === "ACTION" ? [own, "wrong"] : [...lines[named] ?? [], `--${name}=wrong`]
      const expected = [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((one) => one !== "").join(" or ")
      assert.include(await told[subcommand]?.(args) ?? "", `"wrong": expected ${expected}`)
    }
  )
})
