// The arguments of `report`. test/process/report.test.ts has where its page goes.
import { assert, describe, it } from "vitest"
import * as report from "../../../../src/cli/commands/report.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(report)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, out: null } as const

describe("report", () => {
  it("is of the newest run, on standard output", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes a run and a file", async () => {
    const named = { ...plain, selector: { _tag: "Named", prefix: "2026" } } as const
    assert.deepStrictEqual(await asked("2026 --out r.html"), { ...named, out: "r.html" })
    assert.deepStrictEqual(await asked("--run 2026"), named)
    assert.deepStrictEqual(await asked("--base main"), {
      ...plain,
      selector: { _tag: "Latest", target: { _tag: "Base", branch: BranchName.make("main") } }
    })
  })

  const problems: ReadonlyArray<readonly [string | ReadonlyArray<string>, RegExp]> = [
    [["--out", ""], /^--out "": /],
    ["--json", /^unknown flag --json/]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.match(await problem(line), message))
})
