// completions: what the shells offer is what the program takes.
// Rule: what a script offers is asked of the shell; its text is searched only for names.
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { completions, settings } from "../../../src/cli/completions.ts"
import { flags, shells } from "../../../src/cli/flags.ts"
import { subcommands } from "../../../src/cli/subcommands.ts"
import { commanding } from "../../../src/commandLayers.ts"
import { carryOut } from "../../../src/cli/command.ts"
import * as ci from "../../../src/cli/commands/ci.ts"
import * as config from "../../../src/cli/commands/config.ts"
import * as converge from "../../../src/cli/commands/converge.ts"
import * as dismiss from "../../../src/cli/commands/dismiss.ts"
import * as fleet from "../../../src/cli/commands/fleet.ts"
import * as hook from "../../../src/cli/commands/hook.ts"
import * as implement from "../../../src/cli/commands/implement.ts"
import * as result from "../../../src/cli/commands/result.ts"
import * as undo from "../../../src/cli/commands/undo.ts"
import { grammar } from "../../support/commands.ts"

const bash = (code: string) => spawnSync("bash", ["--norc", "-c", code], { encoding: "utf8" })
const noBash = bash("true").status !== 0

/** What bash offers for the last of these words, which it takes apart at every `=`, as it does for its user. */
const offered = (...given: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = ["ooda-codex-review", ...given]
  const pieces = line.flatMap((word) => word.split(/(?==)|(?<==)/))
  const quoted = pieces.map((word) => `'${word}'`).join(" ")
  const last = pieces.at(-1) ?? ""
  const { stderr, stdout } = bash(
    `${completions("bash")}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${pieces.length - 1}; COMP_LINE='${line.join(" ")}'\n` +
      `_ooda_codex_review_line ooda-codex-review '${last === "=" ? "" : last}'; ` +
      "printf '%s\\n' \"${COMPREPLY[@]}\""
  )
  assert.strictEqual(stderr, "")
  return stdout.split("\n").filter((word) => word !== "")
}

describe("completions", () => {
  it.each(shells)("name every valid flag and no internal name in %s", (shell) => {
    const text = completions(shell)
    for (const { flag: option } of flags) {
      const inFish = option.startsWith("--") ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`
      const spelt = shell === "fish" ? inFish : option
      assert.strictEqual(text.includes(spelt), option !== "--criteria", `${shell} ${option}`)
    }
    if (shell === "zsh") {
      assert.include(text, "--level=[")
      assert.notInclude(text, "--uncommitted=[")
    }
    assert.notInclude(text, "ooda-short")
    assert.notMatch(text, /--no-(?!test)|--n\b(?!-)/)
  })

  it.skipIf(noBash)("offer what can follow a flag and its =, in bash", () => {
    assert.deepEqual(offered("--level=h"), ["high"])
    assert.deepEqual(offered("--level="), ["low", "medium", "high", "xhigh"])
    assert.deepEqual(offered("--uncommitted", "--ceiling=x"), ["xhigh"])
    assert.deepEqual(offered("stop", "--level=xh"), ["xhigh"])
    assert.deepEqual(offered("hook", "install", "--gate=l"), ["ladder"])
    assert.deepEqual(offered("hook", "install", "--scope=user", "--gate="), ["off", "fails", "review", "ladder"])
    assert.deepEqual(offered("fleet", "submit", "--level=m"), ["medium"])
    assert.deepEqual(offered("--state-root=/us"), ["/usr"])
    assert.deepEqual(offered("--level=high", "--lev"), [])
    assert.deepEqual(offered("--level=high", "--ceil"), ["--ceiling"])
  })

  it.skipIf(noBash)("offer nothing that cannot follow a flag, in bash", () => {
    assert.deepEqual(offered("--block", ""), ["P0", "P1", "P2", "P3"])
    for (const flag of ["--commit", "--base", "-n", "--link"]) assert.deepEqual(offered(flag, "a"), [], flag)
    assert.deepEqual(offered("--uncommitted", "aud"), [])
    assert.deepEqual(offered("--uncommitted", "audit", "--recl"), [])
    assert.deepEqual(offered("--uncommitted", "audit", "--lev"), ["--level"])
  })

  it.each(["zsh", "fish"] as const)("have the values of subcommands in %s", (shell) => {
    const text = completions(shell)
    const [of, values] = shell === "zsh"
      ? [text.slice(text.indexOf("_ooda_codex_review_converge() {")), "(low medium high xhigh)"]
      : [text.slice(text.indexOf("__fish_seen_subcommand_from converge")), "'low medium high xhigh'"]
    assert.include(of.split("\n").find((line) => /level[ =]/.test(line) && !line.includes("log-level")), values)
    for (const { words } of Object.values(settings).flat()) assert.include(text, words?.join(" ") ?? "")
  })

  it.skipIf(noBash)("offer what can follow a subcommand, in bash", () => {
    assert.includeMembers([...offered("")], [...subcommands.keys()])
    assert.deepEqual(offered("audit", "--re"), ["--reclassify"])
    assert.deepEqual(offered("stop", "--level", ""), ["low", "medium", "high", "xhigh"])
    assert.deepEqual(offered("dismiss", "--scope", "re"), ["repo"])
    assert.deepEqual(offered("hook", "un"), ["uninstall"])
    assert.deepEqual(offered("hook", "install", "--scope", "pro"), ["project"])
    assert.deepEqual(offered("fleet", "su"), ["submit"])
    assert.deepEqual(offered("fleet", "worker", "--retro", ""), ["park", "clean"])
    assert.deepEqual(offered("fleet", "init", "--work", "/us"), ["/usr"])
    assert.deepEqual(offered("fleet", "init", "--cap"), [])
    assert.deepEqual(offered("ci", "run", "--mode", "c"), ["converge"])
    assert.deepEqual(offered("audit", "--attestation", "/us"), ["/usr"])
    assert.deepEqual(offered("implement", "/us"), ["/usr"])
    assert.deepEqual(offered("doctor", "--state-root", "/us"), ["/usr"])
    for (const name of subcommands.keys()) assert.deepEqual(offered(name, "--hel"), ["--help"])
    assert.deepEqual(offered("audit", "--isolate"), [])
  })
})

const call = { cwd: Effect.die("unused"), version: "0" }
const misuse = async (ending: Promise<{ readonly stderr: string }>) => (await ending).stderr.split("\n")[0] ?? ""

/** What is wrong with the arguments of each subcommand, and what precedes the flag in question. */
const problems: Readonly<
  Record<string, readonly [string, (args: ReadonlyArray<string>) => Promise<string>]>
> = {
  ci: ["run", grammar(ci).problem],
  config: ["show --uncommitted", grammar(config).problem],
  converge: ["--uncommitted --no-test", grammar(converge).problem],
  dismiss: ["0123456789abcdef --reason x", grammar(dismiss).problem],
  fleet: [
    "worker",
    (args) => misuse(Effect.runPromise(Effect.provide(carryOut(fleet.command, args, call), commanding)))
  ],
  hook: [
    "install",
    (args) => misuse(Effect.runPromise(Effect.provide(carryOut(hook.command, args, call), commanding)))
  ],
  implement: ["plan.md --no-test", grammar(implement).problem],
  result: ["--task-id 1", grammar(result).problem],
  undo: ["--all", grammar(undo).problem]
}

const cases = Object.entries(settings).flatMap(([name, all]) =>
  all.flatMap(({ flag, words }) => words === undefined ? [] : [{ name, flag, words }])
)
  // `ci` reads these when it knows what it reviews.
  .filter(({ flag, name }) => name !== "ci" || (flag !== "--agent" && flag !== "--allow"))

describe("what is offered for a value", () => {
  it.each(cases)("of $name $flag is what it takes", async ({ flag, name, words }) => {
    const [before, problem] = problems[name] ?? assert.fail(name)
    const expected = [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((one) => one !== "").join(" or ")
    assert.include(await problem([...before.split(" "), `${flag}=wrong`]), `"wrong": expected ${expected}`)
  })
})
