// hook: its arguments, and what it does with them on real settings.
import { hookSubcommands } from "../../../../src/hook/Flags.ts"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commanding } from "../../../../src/commandLayers.ts"
import { carryOut } from "../../../../src/cli/command.ts"
import * as hook from "../../../../src/cli/commands/hook.ts"
import { command } from "../../../../src/cli/commands/hook.ts"
import { emptySession, encodeSessionState, recordFail } from "../../../../src/hook/Session.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { eachInDirectory } from "../../../support/directories.ts"

const called = (line: string) => {
  const argv = line.split(" ").filter((word) => word !== "")
  return Effect.runPromise(
    Effect.provide(carryOut(command, argv, { cwd: Effect.die("unused"), version: "0" }), commanding)
  )
}

describe("hook", () => {
  it.each([
    ["", `hook needs a subcommand: ${hookSubcommands.join(", ")}`],
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

describe("hook on real settings", () => {
  const dir = eachInDirectory()

  const called = (...argv: ReadonlyArray<string>) => calledWith("", ...argv)
  const calledWith = async (path: string, ...argv: ReadonlyArray<string>) => {
    const written: Array<string> = []
    const ending = await Effect.runPromise(
      carryOut(hook.command, argv, { cwd: Effect.succeed(dir()), version: "0" }).pipe(
        Effect.provideService(Output, { write: (text) => Effect.sync(() => void written.push(text)) }),
        Effect.provide(commanding),
        Effect.provideService(Environment, { HOME: dir(), PATH: path })
      )
    )
    return { code: ending.code, stderr: ending.stderr, text: written.join("") }
  }

  it("says what it did, and what that means for sessions", async () => {
    const path = dir(".claude", "settings.json")
    const dry = await called("install", "--dry-run")
    assert.deepStrictEqual([dry.code, dry.stderr], [0, ""])
    assert.match(dry.text, /^would be installed with gate review: /)
    assert.isFalse(existsSync(path))
    const { code, stderr, text } = await called("install")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(text.replace("installed", "would be installed"), dry.text)
    const [first, what = "", ...lines] = text.trimEnd().split("\n")
    assert.strictEqual(first, `installed with gate review: ${path}`)
    assert.match(what, /call codex, which sends /)
    assert.includeMembers(lines, [
      "  after each edit of a file: in the background",
      "  when Claude stops: holds the session up to 180 s"
    ])
    assert.lengthOf(lines, 8)
    assert.strictEqual((await called("install")).text, `installed already: ${path}\n`)
    assert.include(readFileSync(path, "utf8"), "ooda-codex-review hook --gate review")
    assert.strictEqual((await called("uninstall")).text, `uninstalled: ${path}\n`)
    assert.strictEqual((await called("uninstall")).text, `${path} holds no hooks of ooda-codex-review\n`)
    writeFileSync(path, "{")
    assert.deepStrictEqual(await called("install"), {
      code: 6,
      stderr: `error: ${path}: malformed JSON on line 1, so nothing was changed ` +
        "[fix it; Claude Code ignores it too]\n",
      text: ""
    })
  })

  it("dismisses a FAIL of the session that it is called in, and refuses what is not open", async () => {
    const state = recordFail(
      emptySession,
      { path: dir("a.ts"), change: "0".repeat(64), seq: 1, at: Date.now() },
      "wrong"
    )
    const name = createHash("sha256").update("s").digest("hex")
    mkdirSync(dir("state", "sessions"), { recursive: true, mode: 0o700 })
    writeFileSync(dir("state", "sessions", `${name}.json`), encodeSessionState(state))
    const dismiss = (...argv: ReadonlyArray<string>) =>
      calledWith(
        process.env["PATH"] ?? "",
        "dismiss",
        "--reason",
        "it is right",
        "--state-root",
        dir("state"),
        ...argv
      )
    assert.match((await dismiss("a.ts")).stderr, /not in a session of Claude Code \[--session ID/)
    assert.match((await dismiss("b.ts", "--session", "s")).stderr, /no open FAIL is named b\.ts \[open: a\.ts\]/)
    assert.strictEqual((await dismiss("a.ts", "--session", "s")).text, "dismissed: 1 FAIL of a.ts\n")
    assert.strictEqual((await dismiss("a.ts", "--session", "s")).code, 6)
  })

  it("exits with 1 where what is installed cannot work", async () => {
    assert.strictEqual((await called("status")).code, 0)
    await called("install", "--scope", "project")
    const { code, text } = await called("status", "--json")
    assert.deepStrictEqual([code, JSON.parse(text).ok], [1, false])
    assert.match((await called("status")).text, /^wrong +program/m)
  })
})
