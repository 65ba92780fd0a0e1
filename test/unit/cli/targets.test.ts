// The options that name a target, as a step and the subcommands read them.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { flags } from "../../../src/cli/flags.ts"
import { excludeEachOther, targetRequired, targets } from "../../../src/cli/targetOptions.ts"

const read = (option: string, text: string): object => {
  const found = targets.find(([name]) => name === option) ?? assert.fail(`no option ${option}`)
  return Result.getOrThrow(found[1](text))
}

describe("a target", () => {
  it("is named by each mode flag of a step", () =>
    assert.deepEqual(
      targets.map(([option]) => option),
      flags.filter(({ group }) => group === "Mode").map(({ option }) => option)
    ))

  it("is what the value says", () => {
    assert.deepEqual(read("--uncommitted", ""), { _tag: "Uncommitted" })
    assert.deepEqual(read("--base", "a/b"), { _tag: "Base", branch: "a/b" })
    assert.deepEqual(read("--commit", "AB".repeat(20)), { _tag: "Commit", sha: "ab".repeat(20) })
    assert.deepEqual(read("--pr", "7"), { _tag: "PullRequest", number: 7 })
  })

  it("is refused where the value cannot be one", () =>
    assert.deepEqual(
      targets.map(([option, parser]) => [option, Result.isFailure(parser("-x"))]),
      [["--uncommitted", false], ["--base", true], ["--commit", true], ["--pr", true]]
    ))

  it("that is missing is asked for by every option", () => {
    for (const [option] of targets) assert.include(targetRequired, option)
  })
})

it("options that exclude each other are named", () =>
  assert.strictEqual(excludeEachOther(["--a", "--b", "--c"]), "--a and --b and --c exclude each other"))
