// The arguments of `runs`: what each command line asks for, and every misuse in one line.
import { assert, describe, it } from "vitest"
import * as runs from "../../../src/commands/runs.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(runs)
const plain = { stateRoot: null, all: false, json: false, action: { _tag: "List" } } as const

describe("runs", () => {
  it("lists by default, with every option off", () => assert.deepStrictEqual(asked(""), plain))

  it("takes its options in any order and spelling", () => {
    const all = { ...plain, stateRoot: "/s", all: true, json: true }
    assert.deepStrictEqual(asked("--all --json --state-root /s"), all)
    assert.deepStrictEqual(asked("--state-root=/s --json --all"), all)
  })

  it("takes whatever follows an option with a value as the value", () => {
    assert.deepInclude(asked("--state-root --help"), { stateRoot: "--help" })
    assert.deepInclude(asked("--state-root --json"), { stateRoot: "--json", json: false })
  })

  it("removes with --prune what is old enough", () => {
    const action = { _tag: "Prune", olderThan: 36 * 3_600_000, dryRun: false, transcripts: false } as const
    assert.deepStrictEqual(asked("--prune 1d12h"), { ...plain, action })
    assert.deepStrictEqual(asked("--prune 1d12h --dry-run --all --json"), {
      ...plain,
      all: true,
      json: true,
      action: { ...action, dryRun: true, transcripts: false }
    })
  })

  it("cuts transcripts with --transcripts, of whatever age where none is given", () => {
    const action = { _tag: "Prune", olderThan: 0, dryRun: false, transcripts: true } as const
    assert.deepStrictEqual(asked("--prune --transcripts --all"), { ...plain, all: true, action })
    const aged = { ...action, olderThan: 24 * 3_600_000, dryRun: true }
    assert.deepStrictEqual(asked("--transcripts --prune 1d --dry-run"), { ...plain, action: aged })
  })

  const problems: ReadonlyArray<readonly [string, string]> = [
    ["2026", 'unexpected argument "2026"'],
    ["--follow", "unknown option --follow of runs"],
    ["--all=true", "--all takes no value"],
    ["--all --all", "--all is given more than once"],
    ["--state-root", "--state-root needs a value: --state-root PATH"],
    ["--state-root=", '--state-root "": expected a path, not an empty text'],
    ["--uncommitted", "unknown option --uncommitted of runs"],
    ["-x", "unknown option -x of runs"],
    ["--dry-run", "--dry-run goes with --prune"],
    ["--transcripts", "--transcripts goes with --prune"],
    ["--prune 5", '--prune "5": expected an age with its unit, such as 30d, 12h or 1d12h']
  ]
  it.each(problems)("%s is misuse", (line, message) => assert.strictEqual(problem(line), message))
})
