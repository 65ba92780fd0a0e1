// Recognising a subcommand: only the first argument, only a name in the table.
// Rule: tried with a table of its own, so that it holds whichever subcommands exist.
import { assert, describe, it } from "vitest"
import { recognise } from "../../../src/cli/subcommands.ts"

const table: ReadonlyMap<string, string> = new Map([["runs", "List the runs."]])

describe("a subcommand", () => {
  it("is the first argument, with all that follows", () => {
    assert.deepEqual(recognise(table, ["runs"]), { name: "runs", argv: [] })
    assert.deepEqual(recognise(table, ["runs", "--help", "--", "runs"]), {
      name: "runs",
      argv: ["--help", "--", "runs"]
    })
  })

  const others: ReadonlyArray<ReadonlyArray<string>> = [
    [], [""], ["run"], ["RUNS"], ["stop"], ["--json", "runs"], ["--", "runs"], ["__proto__"], ["toString"], ["has"]
  ]
  it("is nothing else", () => {
    assert.deepEqual(others.map((argv) => recognise(table, argv)), others.map(() => null))
  })
})
