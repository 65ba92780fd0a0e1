// vocabulary: a flag of one name means one thing in the step and in every subcommand: the same word for its value, the
// same description, the same way to read it.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Array } from "effect"
import { assert, describe, it } from "vitest"
import { findFlag } from "../../src/cli/flags.ts"
import { helpText } from "../../src/run/Setting.ts"
import { helpFlags } from "./helpFlags.ts"

const program = resolve(import.meta.dirname, "../../dist/ooda-codex-review.cjs")
const flags = await helpFlags()

// Commands that select a run name its target in the words of the commands that review. A flag has no other meanings
// than these two and the ones that follow, each with its commands.
const select = ["replay", "audit", "attest", "findings", "report", "dismiss", "status", "watch", "stop", "undo"]
const ownMeanings: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  "--uncommitted": [select],
  "--base": [select, ["fleet submit"]],
  "--commit": [select],
  "--pr": [select, ["fleet submit"]],
  // A run that is selected by its floor; a log that holds a line; the batch that is shown.
  "--level": [["stop"]],
  "--expect-head": [["audit"]],
  "--batch": [["findings"]],
  // What blocks where strictness goes without saying.
  "--block": [["converge", "implement", "config"]],
  // A pull request that is submitted from outside of its repository, against a commit, for the places of a fleet.
  "-n": [["fleet submit"]],
  "--head": [["fleet submit"], ["fleet wait"]],
  // No agent of a fleet looks over a clean level.
  "--retro": [["fleet worker"]],
  // What is set up for all workers, and what one of them takes.
  "--account": [["fleet init"], ["fleet worker"]],
  // A stream has one document a line. `config` reads them as `converge` does.
  "--json": [["replay", "status", "watch"]],
  // A log that has no end, and a run that is over some time.
  "--follow": [["status"]],
  // What is written into a file, where the files of the project name it otherwise.
  "--test": [["init"]],
  // Where a run is not an argument.
  "--run": [["dismiss"]],
  "--scope": [["hook install", "hook uninstall"]],
  // What an undo leaves out, what it restores, and what it only shows.
  "--allow": [["undo"]],
  "--force": [["undo"]],
  "--all": [["undo"], ["findings"]],
  "--list": [["dismiss"]],
  "--dry-run": [["undo"], ["hook install"]]
}

describe("one vocabulary", () => {
  const meanings = new Map(Object.entries(Array.groupBy(flags, ({ flag }) => flag)))

  it.each([...meanings])("%s is one thing", (flag, uses) => {
    const step = findFlag(flag)
    const all = step === undefined
      ? uses
      : [...uses, { command: "step", flag, metavar: step.metavar ?? "", text: helpText(step, "step") }]
    // Who submits has no clone, in which a branch could be looked for. A worker names the account whose cap init sets.
    const others: Readonly<Record<string, string>> = { "--base": "fleet submit", "--account": "fleet worker" }
    const named = all.filter(({ command }) => others[flag] !== command)
    assert.lengthOf(new Set(named.map(({ metavar }) => metavar)), 1, JSON.stringify(all))
    const ofMeaning = Object.values(Array.groupBy(all, ({ text }) => text)).map((some) =>
      some.map(({ command }) => command)
    )
    const own = ownMeanings[flag] ?? []
    const rest = ofMeaning.filter((some) => !own.some((one) => `${one.toSorted()}` === `${some.toSorted()}`))
    assert.isAtMost(rest.length, 1, JSON.stringify(rest))
  })

  it.each(Object.keys(ownMeanings))("%s has exactly its documented meanings", (flag) => {
    const of = Object.values(Array.groupBy(meanings.get(flag) ?? [], ({ text }) => text))
      .map((some) => `${some.map(({ command }) => command).toSorted()}`)
    for (const one of ownMeanings[flag] ?? []) assert.include(of, `${one.toSorted()}`)
  })

  it("has the same words for a run, a target, the state root and the log in all commands that read runs", () => {
    const reads = flags.filter(({ flag }) => flag === "--run").map(({ command }) => command)
    assert.sameMembers(reads, select)
    for (const name of reads) {
      const own = flags.filter(({ command }) => command === name).map(({ flag }) => flag)
      assert.includeMembers(own, ["--uncommitted", "--base", "--commit", "--pr", "--state-root", "--trust-state-root"])
    }
  })

  it("has durations and numbers that are refused alike wherever they are", async () => {
    const world = mkdtempSync(join(tmpdir(), "ooda-around-"))
    const drivers = ["--uncommitted", "converge", "config"]
    for (const [flag, value] of [["--review-timeout", "8"], ["-n", "0"], ["--level", "top"], ["--state-root", ""]]) {
      const said = drivers.map((first) => {
        const target = first === "--uncommitted" ? [] : first === "config" ? ["show"] : ["--uncommitted", "--no-test"]
        const args = [program, first, ...target, `${flag}=${value}`]
        const { status, stderr } = spawnSync(process.execPath, args, { cwd: world, encoding: "utf8" })
        return [status, stderr.split("\n", 1)[0]?.replace(/^(UsageError|error): /, "")]
      })
      assert.deepStrictEqual(said, [said[0], said[0], said[0]], flag)
      assert.strictEqual(said[0]?.[0], 64)
    }
    rmSync(world, { recursive: true })
  })
})
