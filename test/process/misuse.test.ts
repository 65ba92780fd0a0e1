// What a person sees of a mistake in a command line: the error first, and nothing that pushes it off the screen.
import { assert, describe } from "vitest"
import { it } from "./world.ts"

describe.concurrent("a wrong command line", () => {
  it("is at most three lines, the error first, of every kind of subcommand", async ({ world }) => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["converge --uncomitted", "UsageError: unknown flag --uncomitted\ndid you mean --uncommitted?\n"],
      ["converge --uncommitted", "UsageError: "],
      ["implement", "UsageError: PLAN is required\n"],
      ["findings --jsno", "error: unknown flag --jsno\ndid you mean --json?\n"],
      ["hook instal", 'error: unknown subcommand "instal"\ndid you mean install?\n'],
      ["dismiss abc", "error: "]
    ]
    for (const [line, begin] of cases) {
      const { exit, stderr, stdout } = await world.step(...line.split(" "))
      assert.deepEqual([exit, stdout], [64, ""], line)
      assert.isTrue(stderr.startsWith(begin), stderr)
      assert.isAtMost(stderr.trimEnd().split("\n").length, 3, stderr)
      assert.match(stderr, /\nsee 'ooda-codex-review [a-z ]+ --help'\n$/)
    }
  })

  it("of a step has the header of the contract and fits on a screen of 25 lines", async ({ world }) => {
    for (const line of ["--uncomitted", "stauts", "-v"]) {
      const { exit, stderr } = await world.step(line)
      assert.strictEqual(exit, 64)
      assert.match(stderr, /^UsageError: .* \(did you mean (--uncommitted|status|--version)\?\)\n/)
      assert.isAtMost(stderr.trimEnd().split("\n").length, 25)
    }
  })

  it("and a failure are documents, too, with --json", async ({ world }) => {
    for (const [argv, code, tag] of [[["findings", "--x"], 64, "UsageError"], [["audit"], 6, "NoSuchRun"]] as const) {
      const { exit, stderr, stdout } = await world.step(...argv, "--json")
      assert.strictEqual(exit, code)
      assert.match(stderr, /^error: /)
      assert.deepInclude(JSON.parse(stdout), { schema: 1 })
      assert.deepInclude(JSON.parse(stdout).error, { tag, exitCode: code })
    }
  })
})
