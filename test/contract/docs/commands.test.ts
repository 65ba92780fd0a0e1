// Every command line of this program in the README and in docs/ is one that the program takes, and what the pages for
// contributors name is there.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { parse } from "../../../src/cli/parse.ts"
import { type SubcommandName } from "../../../src/cli/subcommands.ts"
import * as attest from "../../../src/commands/attest.ts"
import * as audit from "../../../src/commands/audit.ts"
import * as ci from "../../../src/commands/ci.ts"
import * as config from "../../../src/commands/config.ts"
import * as converge from "../../../src/commands/converge.ts"
import * as dismiss from "../../../src/commands/dismiss.ts"
import * as doctor from "../../../src/commands/doctor.ts"
import * as implement from "../../../src/commands/implement.ts"
import * as findings from "../../../src/commands/findings.ts"
import * as hook from "../../../src/commands/hook.ts"
import * as replay from "../../../src/commands/replay.ts"
import * as report from "../../../src/commands/report.ts"
import * as result from "../../../src/commands/result.ts"
import * as runs from "../../../src/commands/runs.ts"
import * as stop from "../../../src/commands/stop.ts"
import * as undo from "../../../src/commands/undo.ts"
import * as watch from "../../../src/commands/watch.ts"
import { grammar } from "../../unit/commands/grammar.ts"

const root = resolve(import.meta.dirname, "../../..")
const pages = [
  "README.md",
  ...["docs", "plugin"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md")).map((name) => join(folder, name))
  )
]

/** The arguments of every line of a code block that calls the program, up to a comment, a pipe or a redirection. */
const commandLines = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^ *ooda-codex-review (.*)$/gm)].map(([, line = ""]) =>
    [...line.replace(/ (#|<|>|\||2>).*$/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, word = ""]) => text ?? word)
  )

const read: Readonly<Record<SubcommandName, (argv: ReadonlyArray<string>) => Promise<unknown>>> = {
  converge: grammar(converge).asked,
  implement: grammar(implement).asked,
  runs: grammar(runs).asked,
  replay: grammar(replay).asked,
  report: grammar(report).asked,
  attest: grammar(attest).asked,
  audit: grammar(audit).asked,
  findings: grammar(findings).asked,
  hook: grammar(hook).asked,
  ci: grammar(ci).asked,
  dismiss: grammar(dismiss).asked,
  watch: grammar(watch).asked,
  stop: grammar(stop).asked,
  undo: grammar(undo).asked,
  result: grammar(result).asked,
  config: grammar(config).asked,
  doctor: grammar(doctor).asked
}

describe("the command lines of the documentation", () => {
  const lines = pages.flatMap((page) => commandLines(page).map((argv) => ({ page, argv })))

  it.each(lines)("$page: $argv", async ({ argv }) => {
    const found = await Effect.runPromise(parse(argv))
    if (found._tag === "Subcommand") await read[found.name](found.argv)
    else assert.strictEqual(found._tag, "Step", JSON.stringify(found))
  })

  it("among them the recipe and a mark that answers it", () => {
    const recipes = lines.filter(({ argv, page }) => page === "README.md" && argv.includes("--step-timeout"))
    assert.lengthOf(recipes, 2)
    for (const { argv } of recipes) assert.include(argv, "--strict")
  })
})

describe("the pages for contributors", () => {
  const pages = ["CONTRIBUTING.md", "AGENTS.md"]
  const textOf = (page: string): string => readFileSync(join(root, page), "utf8")

  it.each(pages)("%s names files and folders that are there", (page) => {
    const named = [...textOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = ""]) => path)
      .filter((path) => path.includes("/") || /\.(ts|md|mjs|jsonl)$/.test(path))
    assert.isNotEmpty(named)
    // A bare name such as `Rules.ts` stands beside another file of its folder, which is named before it.
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    const isThere = (path: string): boolean =>
      existsSync(join(root, path)) ||
      [...sources, ...tests].some((file) => `/${file}`.endsWith(`/${path}`.replace(/\/$/, "")))
    assert.deepStrictEqual(named.filter((path) => !isThere(path)), [])
  })

  it("name every folder of src in their map", () => {
    const map = textOf("CONTRIBUTING.md")
    const folders = (path: string): ReadonlyArray<string> =>
      readdirSync(join(root, path), { withFileTypes: true }).filter((one) => one.isDirectory()).map(({ name }) => name)
    assert.deepStrictEqual(folders("src").filter((name) => !map.includes(`\`${name}/\``)), [])
    assert.deepStrictEqual(folders("src/core").filter((name) => !map.includes(`\`${name}\``)), [])
  })

  it.each(pages)("%s names commands that are there", (page) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const named = [...textOf(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name)
    assert.isNotEmpty(named)
    for (const name of named) assert.property(scripts, name)
  })
})
