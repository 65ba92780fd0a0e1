// The options that name a target, as a step and the subcommands read them.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { flags } from "../../../src/cli/flags.ts"
import { excludeEachOther, targetOf, targetRequired } from "../../../src/cli/targetOptions.ts"

const modes = flags.filter(({ group }) => group === "Mode").map(({ flag }) => flag)
const read = (option: string, text: string) => targetOf((flag) => flag === option ? [text] : [], targetRequired)

describe("a target", () => {
  it("is what the value says", () => {
    const targets = [
      read("--uncommitted", ""),
      read("--base", "a/b"),
      read("--commit", "AB".repeat(20)),
      read("--pr", "7")
    ]
    assert.deepEqual<object>(targets.map(Result.getOrThrow), [
      { _tag: "Uncommitted" },
      { _tag: "Base", branch: "a/b" },
      { _tag: "Commit", sha: "ab".repeat(20) },
      { _tag: "PullRequest", number: 7 }
    ])
  })

  it("is refused where the value cannot be one", () =>
    assert.deepEqual(
      modes.map((option) => [option, Result.isFailure(read(option, "-x"))]),
      [["--uncommitted", false], ["--base", true], ["--commit", true], ["--pr", true]]
    ))

  it("that is missing is asked for by every option", () => {
    for (const option of modes) assert.include(targetRequired, option)
    assert.deepStrictEqual(read("--none", ""), Result.fail(targetRequired))
  })
})

it("options that exclude each other are named", () =>
  assert.strictEqual(excludeEachOther(["--a", "--b", "--c"]), "--a and --b and --c exclude each other"))
