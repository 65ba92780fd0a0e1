// around: what every subcommand has, whichever it is: help with examples, completions, words for misuse, plain streams.
// The subcommands come from the program's own table, so that a new one is covered by itself.
import { execFile, spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { assert, describe } from "vitest"
import { shells } from "../../src/cli/flags.ts"
import { type SubcommandName, subcommands } from "../../src/cli/subcommands.ts"
import { documents } from "./schemas/documents.ts"
import { it, type World } from "./support.ts"
import { helpFlags } from "./helpFlags.ts"

const isName = (name: string): name is SubcommandName => subcommands.has(name)
const names = [...subcommands.keys()].filter(isName)
const program = resolve(import.meta.dirname, "../../dist/ooda-codex-review.cjs")
const call = (world: World, ...args: ReadonlyArray<string>) => world.stepFrom({ stateRoot: null }, ...args)

const flags = await helpFlags()

const help = (name: string, env: Readonly<Record<string, string>> = {}) =>
  new Promise<string>((resolve, reject) => {
    const where = { env: { PATH: process.env["PATH"] ?? "", ...env } }
    execFile(process.execPath, [program, name, "--help"], where, (error, stdout, stderr) => {
      if (error !== null || stderr !== "") reject(error ?? new Error(stderr))
      else resolve(stdout)
    })
  })

describe.concurrent("every subcommand", () => {
  for (const name of names) {
    const tags = name === "findings" ? [] : ["slow"]
    it(`${name} has help with examples, the same whatever the terminal wants`, { tags }, async () => {
      const plain = await help(name)
      const [, examples = ""] = plain.split("\nEXAMPLES\n")
      assert.include(examples, `ooda-codex-review ${name}`)
      assert.notInclude(plain, "\u001b")
      assert.isAtMost(Math.max(...plain.split("\n").map((line) => line.length)), 120)
      for (const env of [{ FORCE_COLOR: "1", CLICOLOR_FORCE: "1" }, { NO_COLOR: "1", TERM: "dumb", COLUMNS: "20" }]) {
        assert.strictEqual(await help(name, env), plain, JSON.stringify(env))
      }
    })

    it(`${name} suggests the right spelling of a flag and of its own name`, { tags }, async ({ world }) => {
      // The flags of `hook` and `fleet` belong to their subcommands.
      const own = flags.filter(({ command }) => command === name || command.startsWith(`${name} `))
      const [longest] = own.toSorted((a, b) => b.flag.length - a.flag.length)
      assert.isDefined(longest)
      const wrong = await call(world, ...longest.command.split(" "), `${longest.flag}x`)
      assert.deepStrictEqual([wrong.exit, wrong.stdout], [64, ""])
      assert.match(wrong.stderr, new RegExp(`^(UsageError|error): .*\\ndid you mean .*${longest.flag}\\b`))
      // Of a name of two letters a slip leaves too little to guess by.
      if (name.length < 3) return
      const misspelt = await call(world, `${name}x`)
      assert.strictEqual(misspelt.header, `UsageError: unexpected argument "${name}x" (did you mean ${name}?)`)
    })
  }

  it.each(shells)("is completed in %s, with its flags", (shell) => {
    const { status, stdout } = spawnSync(process.execPath, [program, "--completions", shell], { encoding: "utf8" })
    assert.strictEqual(status, 0)
    for (const name of names) assert.match(stdout, new RegExp(`\\b${name}\\b`), name)
    for (const { flag } of flags) {
      assert.include(stdout, shell !== "fish" ? flag : flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag[1]}`)
    }
  })

  it("is completed by bash itself: names, flags, values", () => {
    const code = [
      `eval "$("$0" "$1" --completions bash)"; shift`,
      String.raw`fn=$(complete -p ooda-codex-review | sed -n 's/.*-F \([^ ]*\).*/\1/p')`,
      `try() { COMP_WORDS=(ooda-codex-review $1); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=()`,
      `  COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}`,
      `  $fn ooda-codex-review "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"; echo "\${COMPREPLY[@]}"; }`,
      `for words; do try "$words"; done`
    ].join("\n")
    const asked = ["rep", "--level m", ...names.map((name) => `${name} --`)]
    const { stdout } = spawnSync("bash", ["-c", code, process.execPath, program, ...asked], { encoding: "utf8" })
    const [found, values, ...offered] = stdout.split("\n").map((line) => line.split(" "))
    assert.deepStrictEqual([found, values], [["replay", "report"], ["medium"]])
    for (const [i, name] of names.entries()) {
      const own = flags.filter(({ command, flag }) => command === name && flag.startsWith("--")).map(({ flag }) => flag)
      assert.includeMembers(offered[i] ?? [], own, name)
    }
  })

  it("prints documents with --json, by a schema", () => {
    // A flag of `hook status` is one of `hook`.
    const printing = new Set(flags.filter(({ flag }) => flag === "--json").map(({ command }) => command.split(" ")[0]))
    assert.deepStrictEqual(
      names.filter((name) => printing.has(name) !== ((documents[name]?.flag ?? null) !== null)),
      []
    )
  })
})
