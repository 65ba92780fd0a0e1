// The arguments of `hook`: each of its subcommands has flags of its own, and help of its own.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commanding } from "../../../../src/commandLayers.ts"
import { carryOut } from "../../../../src/cli/command.ts"
import { command } from "../../../../src/cli/commands/hook.ts"

const called = (line: string) => {
  const argv = line.split(" ").filter((word) => word !== "")
  return Effect.runPromise(
    Effect.provide(carryOut(command, argv, { cwd: Effect.die("unused"), version: "0" }), commanding)
  )
}

describe("hook", () => {
  it.each([
    ["", "hook needs a subcommand: install, uninstall, status, dismiss"],
    ["remove", "remove"],
    ["install --scope mine", '--scope "mine": expected user, project or local'],
    ["install --gate none", '--gate "none": expected off, fails, review or ladder'],
    ["install --plans never", '--plans "never": expected after or before'],
    ["uninstall --gate off", "unknown flag --gate"],
    ["install --json", "unknown flag --json"],
    ["status --scope user", "unknown flag --scope"],
    ["dismiss a.ts", "--reason"],
    ["dismiss --reason why", "NAME"]
  ])("%s is misuse", async (line, text) => {
    const { code, stderr } = await called(line)
    assert.strictEqual(code, 64)
    assert.include(stderr.split("\n")[0], text)
    assert.match(stderr, /\nsee 'ooda-codex-review hook( [a-z]+)? --help'\n$/)
  })

  it("has help of its own for each subcommand", async () => {
    const { code, stdout } = await called("install --help")
    assert.strictEqual(code, 0)
    for (const words of ["--gate GATE", "default review", "hook install"]) assert.include(stdout, words)
    const { stdout: all } = await called("--help")
    for (const name of ["install", "uninstall", "status", "dismiss"]) assert.include(all, name)
  })
})
