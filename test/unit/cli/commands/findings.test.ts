// The arguments of `findings`.
import { assert, describe, it } from "vitest"
import * as findings from "../../../../src/cli/commands/findings.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(findings)
const plain = {
  stateRoot: null,
  selector: { _tag: "Newest" },
  finding: null,
  all: false,
  batch: null,
  format: "table",
  trustFrom: null
} as const
const command = (line = "") => asked(line)

describe("findings", () => {
  it("shows the last batch of the newest run as a table", async () => assert.deepStrictEqual(await command(), plain))

  it("takes a batch as level and number", async () =>
    assert.deepStrictEqual(await command("--batch xhigh/12 --state-root /other"), {
      ...plain,
      stateRoot: "/other",
      batch: { level: "xhigh", batch: 12 }
    }))

  it("takes one finding by its number or the beginning of its name, or all of the run", async () => {
    assert.deepStrictEqual(await command("2 --run 2026"), {
      ...plain,
      finding: "2",
      selector: { _tag: "Named", prefix: "2026" }
    })
    for (const name of ["3f2a", "12", "0123456789012345"]) assert.deepInclude(await command(name), { finding: name })
    for (const run of ["2026", "20261127"]) assert.deepInclude(await command(run), { finding: null })
    assert.deepInclude(await command("--all --json"), { all: true, format: "json" })
  })

  const formats: ReadonlyArray<readonly [string, findings.Request["format"]]> = [
    ["--json", "json"],
    ["--sarif", "sarif"],
    ["--markdown", "markdown"],
    ["--github", "github"]
  ]
  it.each(formats)(
    "%s is the format %s",
    async (option, format) => assert.deepInclude(await command(option), { format })
  )

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--batch", "low"], /^--batch "low": expected a level and the number of a batch, such as low\/2$/],
    [["--batch", "low/0"], /^--batch "low\/0": expected/],
    [["--batch", "low/1x"], /expected/],
    [["--batch", "lowest/1"], /expected/],
    [["--batch", "low/1\n"], /expected/],
    [["--batch", "toString/1"], /expected/],
    [["--json", "--sarif"], /^--json and --sarif exclude each other$/],
    [["--all", "2"], /^--all shows every finding/],
    [["--all", "--batch", "low/1"], /^--all and --batch exclude each other$/],
    [["2", "--sarif"], /^--sarif is a format of a whole batch$/]
  ]
  it.each(wrong)("%j is misuse", async (argv, reason) => assert.match(await problem(argv), reason))
})
