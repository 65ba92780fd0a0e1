// Completion scripts, tried in the shell where there is one.
// Rule: what a script offers is asked of the shell; its text is searched only for names.
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { completions } from "../../../src/cli/completions.ts"
import { flags } from "../../../src/cli/flags.ts"

const script = (shell: string): string => completions(shell) ?? assert.fail(`no completions for ${shell}`)

const bash = (code: string) => spawnSync("bash", ["--norc", "-c", code], { encoding: "utf8" })
const noBash = bash("true").status !== 0

/** What bash offers for the last of these words. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = ["ooda-codex-review", ...words]
  const quoted = line.map((word) => `'${word}'`).join(" ")
  const { stderr, stdout } = bash(
    `${script("bash")}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; COMP_LINE='${line.join(" ")}'\n` +
      "_ooda_codex_review; printf '%s\\n' \"${COMPREPLY[@]}\""
  )
  assert.strictEqual(stderr, "")
  return stdout.split("\n").filter((word) => word !== "")
}

describe("completions", () => {
  it("exist for three shells and no other", () => {
    assert.deepEqual(
      ["bash", "zsh", "fish", "powershell", "sh", "BASH", "", "toString"].map((shell) => completions(shell) !== null),
      [true, true, true, false, false, false, false, false]
    )
  })

  it.each(["bash", "zsh", "fish"])("name every valid flag and no internal name in %s", (shell) => {
    const text = script(shell)
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
})
