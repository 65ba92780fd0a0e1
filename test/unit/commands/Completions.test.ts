// Completion scripts, tried in the shell where there is one.
// Rule: what a script offers is asked of the shell; its text is searched only for names.
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { completions } from "../../../src/commands/Completions.ts"
import { flags } from "../../../src/cli/flags.ts"
import { shells } from "../../../src/cli/parse.ts"
import { subcommands } from "../../../src/cli/subcommands.ts"

const bash = (code: string) => spawnSync("bash", ["--norc", "-c", code], { encoding: "utf8" })
const noBash = bash("true").status !== 0

/** What bash offers for the last of these words. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = ["ooda-codex-review", ...words]
  const quoted = line.map((word) => `'${word}'`).join(" ")
  const { stderr, stdout } = bash(
    `${completions("bash")}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; COMP_LINE='${line.join(" ")}'\n` +
      `_ooda_codex_review ooda-codex-review '${words.at(-1) ?? ""}'; ` +
      "printf '%s\\n' \"${COMPREPLY[@]}\""
  )
  assert.strictEqual(stderr, "")
  return stdout.split("\n").filter((word) => word !== "")
}

describe("completions", () => {
  it.each(shells)("name every valid flag and no internal name in %s", (shell) => {
    const text = completions(shell)
    for (const { option } of flags) {
      const inFish = option.startsWith("--") ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`
      const spelt = shell === "fish" ? inFish : option
      assert.strictEqual(text.includes(spelt), option !== "--criteria", `${shell} ${option}`)
    }
    assert.notInclude(text, "ooda-short")
    assert.notMatch(text, /--no-|--n\b(?!-)/)
  })

  it.skipIf(noBash)("offer what can follow, in bash", () => {
    assert.deepEqual(offered("--lev"), ["--level"])
    assert.deepEqual(offered("--level", ""), ["low", "medium", "high", "xhigh"])
    assert.deepEqual(offered("--completions", ""), ["bash", "zsh", "fish"])
    assert.include(offered("-"), "-n")
    assert.notInclude(offered("--fresh", "--f"), "--fresh")
    assert.deepEqual(offered("-n", "").filter((word) => word.startsWith("-")), [])
  })

  it.skipIf(noBash)("offer what can follow a subcommand, in bash", () => {
    assert.includeMembers([...offered("")], [...subcommands.keys()])
    assert.deepEqual(offered("audit", "--re"), ["--reclassify"])
    assert.deepEqual(offered("stop", "--level", ""), ["low", "medium", "high", "xhigh"])
    assert.deepEqual(offered("dismiss", "--scope", "re"), ["repo"])
    assert.deepEqual(offered("doctor", "--state-root", "/us"), ["/usr"])
    for (const name of subcommands.keys()) assert.deepEqual(offered(name, "--he"), ["--help"])
    assert.deepEqual(offered("audit", "--isolate"), [])
  })
})
