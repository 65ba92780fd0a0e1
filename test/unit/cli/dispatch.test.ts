// dispatch: each name leads to its own subcommand, whose help is its own.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { subcommandIn, subcommands } from "../../../src/cli/subcommands.ts"
import { usageOn } from "../../../src/cli/usage.ts"
import { dispatch } from "../../../src/cli/dispatch.ts"
import { commanding } from "../../../src/commandLayers.ts"

const usage = usageOn(null)

const ended = (argv: ReadonlyArray<string>) => {
  const recognised = subcommandIn(argv) ?? assert.fail(`no subcommand: ${argv.join(" ")}`)
  const where = { cwd: Effect.succeed("/"), version: "0" }
  return Effect.runPromise(Effect.provide(dispatch(recognised, where), commanding))
}

describe.each([...subcommands.keys()])("%s", (name) => {
  it.each([["--help"], ["-h"], ["--nonsense", "--help"], ["a", "b", "c", "-h"]])(
    "has a help of its own: %s",
    async (...argv) => {
      const { code, stderr, stdout } = await ended([name, ...argv])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, `\nUSAGE\n  ooda-codex-review ${name} `)
      assert.notStrictEqual(stdout, `${usage}\n`)
      assert.match(stdout, new RegExp(`\nEXAMPLES\n {2}# .*\n {2}ooda-codex-review ${name}\\b`))
      for (const line of stdout.slice(0, -1).split("\n")) {
        assert.isAtMost(line.length, 120, line)
        assert.match(line, /^[\x20-\x7e]*$/)
      }
    }
  )

  it("reports misuse in two lines; the second names its help", async () => {
    const { code, stderr } = await ended([name, "--nonsense"])
    assert.strictEqual(code, 64)
    const word = name === "converge" || name === "implement" ? "UsageError" : "error"
    assert.strictEqual(stderr, `${word}: unknown flag --nonsense\nsee 'ooda-codex-review ${name} --help'\n`)
  })
})
