// The arguments of `ci`: a workflow hands on all of its inputs, and an empty one is none.
import { assert, describe, it } from "vitest"
import * as ci from "../../../../src/cli/commands/ci.ts"
import { type Request, read } from "../../../../src/cli/commands/ci.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(ci)
const plain: Request = {
  action: "run",
  mode: "review",
  levels: ["high"],
  failOn: "findings",
  forkTests: false,
  author: "github-actions[bot]",
  out: null,
  texts: new Map()
}

describe("ci", () => {
  it("reads as the command does", () => assert.strictEqual(ci.read, read))

  it("has a default for everything, also where all is handed on empty", async () => {
    assert.deepStrictEqual(await asked("run"), plain)
    const empty = [
      "--mode=",
      "--base=",
      "--levels=",
      "--test=",
      "--agent=",
      "--max-time=",
      "--fail-on=",
      "--fork-tests="
    ]
    assert.deepStrictEqual(await asked(["run", ...empty, "--comment-author=", "--out-dir="]), plain)
    assert.deepStrictEqual(await asked(["run", "-n="]), plain)
  })

  it("takes levels, tests of several lines and what a person allows", async () => {
    const given = [
      "run",
      "--mode=converge",
      "--levels=low..high",
      "--test=a b\n\nc\n",
      "--allow=unsandboxed, red-baseline"
    ]
    assert.deepStrictEqual(await asked(given), {
      ...plain,
      mode: "converge",
      levels: ["low", "medium", "high"],
      texts: new Map([["--test", ["a b", "c"]], ["--allow", ["unsandboxed", "red-baseline"]]])
    })
    assert.deepInclude(await asked(["run", "-n=4", "--trust-state-root", "--fork-tests=always"]), {
      forkTests: true,
      texts: new Map([["-n", ["4"]], ["--trust-state-root", [""]]])
    })
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [[], /^ACTION is required$/],
    [["publish"], /^ACTION "publish": expected run or post$/],
    [["run", "--levels=high..low"], /^--levels "high\.\.low": expected LVL or LVL\.\.LVL, the lower first$/],
    [["run", "--levels=low..medium..high"], /^--levels .*: expected LVL or/],
    [["run", "--levels=top"], /^--levels "top": expected low, medium/],
    [["run", "--fail-on=P4"], /^--fail-on "P4": expected never, error/],
    [["run", "--test=npm test"], /^--test "npm test": it needs --mode converge$/],
    [["run", "--uncommitted"], /^unknown flag --uncommitted/]
  ]
  it.each(wrong)("%j is misuse", async (argv, message) => assert.match(await problem(argv), message))
})
