// selector: how the words of a subcommand name a run: one name at most, the newest run without any.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import * as replay from "../../../src/cli/commands/replay.ts"
import { selectorOf } from "../../../src/cli/selector.ts"
import { BranchName, CommitSha, PrNumber, type Target } from "../../../src/run/Target.ts"
import { grammar } from "../../support/commands.ts"

const { asked, problem } = grammar(replay)
const sha = "ab".repeat(20)

const selector = async (line: string) => (await asked(line)).selector

it("without a name it is the newest run", () => {
  const nothing = { operand: null, run: null, uncommitted: false, base: null, commit: null, pr: null }
  assert.deepEqual(Result.getOrThrow(selectorOf(nothing)), { _tag: "Newest" })
})

const targets: ReadonlyArray<readonly [string, Target]> = [
  ["--uncommitted", { _tag: "Uncommitted" }],
  ["--base feature/x", { _tag: "Base", branch: BranchName.make("feature/x") }],
  [`--commit ${sha.toUpperCase()}`, { _tag: "Commit", sha: CommitSha.make(sha) }],
  ["--pr 12", { _tag: "PullRequest", number: PrNumber.make(12) }]
]
it.each(targets)(
  "%s is the latest run of a target",
  async (line, target) => assert.deepEqual(await selector(line), { _tag: "Latest", target })
)

it.each(["2026", "--run 2026"])(
  "%s is the beginning of an id",
  async (line) => assert.deepEqual(await selector(line), { _tag: "Named", prefix: "2026" })
)

describe("a run is not named by", () => {
  const problems: ReadonlyArray<readonly [string, string]> = [
    ["2026 --uncommitted", "RUN and --uncommitted exclude each other"],
    ["2026 --run 2027", "RUN and --run exclude each other"],
    ["--run 2026 --pr 1", "--run and --pr exclude each other"],
    ["--run=", '--run "": expected a run\'s id or the beginning of it'],
    ["--base main --pr 1", "--base and --pr exclude each other"],
    ["--base a..b", "--base \"a..b\": a branch name cannot contain '..'"],
    ["--commit abc", '--commit "abc": expected a full commit id of 40 hexadecimal digits']
  ]
  it.each(problems)("%s", async (line, message) => assert.strictEqual(await problem(line), message))
})
