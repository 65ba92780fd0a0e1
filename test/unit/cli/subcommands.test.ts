// subcommands: only the first argument is one, and only a name in the table.
import { assert, describe, it } from "vitest"
import { subcommandGroups, subcommandIn, subcommands, suggestion } from "../../../src/cli/subcommands.ts"
import { usageOn } from "../../../src/cli/usage.ts"

const usage = usageOn(null)

describe("a subcommand", () => {
  it("is the first argument, with all that follows", () => {
    assert.deepEqual(subcommandIn(["runs"]), { name: "runs", argv: [] })
    assert.deepEqual(subcommandIn(["runs", "--help", "--", "runs"]), { name: "runs", argv: ["--help", "--", "runs"] })
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
  it("is nothing else", () => assert.deepEqual(others.map(subcommandIn), others.map(() => null)))

  it("is guessed from a slip of the finger, and from nothing that only looks alike", () => {
    const slips = ["audti", "AUDIT", "run", "Runs", "replya", "finding", "dismis", "wach", "sto", "resul", "docter"]
    assert.deepStrictEqual(slips.map(suggestion), [
      ...["audit", "audit", "runs", "runs", "replay", "findings", "dismiss", "watch", "stop", "result", "doctor"]
    ])
    const others = ["", "main", "reviews", "rs", "toString", "a".repeat(100_000)]
    assert.deepStrictEqual(others.map(suggestion), others.map(() => null))
  })

  it("is guessed from the name that other programs have for it", () => {
    const names = ["help", "version", "log", "list", "show", "fix", "revert", "cancel"]
    assert.deepStrictEqual(names.map(suggestion), [
      ...["--help", "--version", "replay", "runs", "status", "converge", "undo", "stop"]
    ])
  })

  it("has its place in the help, and only one", () => {
    const placed = subcommandGroups.flatMap(({ names }) => [...names])
    assert.deepStrictEqual(placed.toSorted(), [...subcommands.keys()].toSorted())
  })

  it.each([...subcommands.keys()])(
    "is in the usage block, in one entry: %s",
    (name) => assert.lengthOf(usage.split("\n").filter((line) => line.startsWith(`  ${name} `)), 1)
  )
})
