// The arguments of `runs`: what each command line asks for, and every misuse in one line.
import { assert, describe, it } from "vitest"
import * as runs from "../../../../src/cli/commands/runs.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(runs)
const plain = { stateRoot: null, all: false, json: false, action: { _tag: "List" } } as const

describe("runs", () => {
  it("lists by default, with every option off", async () => assert.deepStrictEqual(await asked(""), plain))

  it("removes with --prune what is old enough", async () => {
    const action = { _tag: "Prune", olderThan: 36 * 3_600_000, dryRun: false, transcripts: false } as const
    assert.deepStrictEqual(await asked("--prune 1d12h"), { ...plain, action })
    assert.deepStrictEqual(await asked("--prune=1d12h"), { ...plain, action })
    assert.deepStrictEqual(await asked("1d12h --prune"), { ...plain, action })
    assert.deepStrictEqual(await asked("--prune 1d12h --dry-run --all --json"), {
      ...plain,
      all: true,
      json: true,
      action: { ...action, dryRun: true, transcripts: false }
    })
  })

  it("cuts transcripts with --transcripts, of whatever age where none is given", async () => {
    const action = { _tag: "Prune", olderThan: 0, dryRun: false, transcripts: true } as const
    assert.deepStrictEqual(await asked("--prune --transcripts --all"), { ...plain, all: true, action })
    const aged = { ...action, olderThan: 24 * 3_600_000, dryRun: true }
    assert.deepStrictEqual(await asked("--transcripts --prune 1d --dry-run"), { ...plain, action: aged })
  })

  const problems: ReadonlyArray<readonly [string, string]> = [
    ["2026", 'AGE "2026": expected an age with its unit, such as 30d, 12h or 1d12h'],
    ["30d", "AGE goes with --prune"],
    ["--dry-run", "--dry-run goes with --prune"],
    ["--transcripts", "--transcripts goes with --prune"],
    ["--prune", "--prune needs an AGE, such as 30d, or --transcripts"],
    ["--prune=1d 2d", "--prune takes one AGE"],
    ["--prune=5", '--prune "5": expected an age with its unit, such as 30d, 12h or 1d12h'],
    ["--prune 5", 'AGE "5": expected an age with its unit, such as 30d, 12h or 1d12h']
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})
