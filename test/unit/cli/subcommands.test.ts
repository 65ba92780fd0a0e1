// Recognising a subcommand: only the first argument, only a name in the table.
import { assert, describe, it } from "vitest"
import { called, subcommands } from "../../../src/cli/subcommands.ts"
import { usage } from "../../../src/cli/usage.ts"

describe("a subcommand", () => {
  it("is the first argument, with all that follows", () => {
    assert.deepEqual(called(["runs"]), { name: "runs", argv: [] })
    assert.deepEqual(called(["runs", "--help", "--", "runs"]), { name: "runs", argv: ["--help", "--", "runs"] })
  })

  const others: ReadonlyArray<ReadonlyArray<string>> = [
    [],
    [""],
    ["run"],
    ["RUNS"],
    ["--json", "runs"],
    ["--", "runs"],
    ["__proto__"],
    ["toString"],
    ["has"]
  ]
  it("is nothing else", () => assert.deepEqual(others.map(called), others.map(() => null)))

  it.each([...subcommands.keys()])(
    "stands in the usage block, in one entry: %s",
    (name) => assert.lengthOf(usage.split("\n").filter((line) => line.startsWith(`  ${name} `)), 1)
  )
})
