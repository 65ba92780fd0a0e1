// ProgramOutput: what a program does at the moment, why it failed and what it advises, by what it wrote.
// Nothing that a terminal would obey comes through.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { activityOf, adviceIn, reasonIn, terminalLine } from "../../../src/text/ProgramOutput.ts"

const banner = "OpenAI Codex v0.169.0\n--------\nsession id: x\n--------\nuser\ncurrent changes\n"

describe("the last activity", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["of nothing is nothing", "", ""],
    ["after the banner is its last line", banner, "current changes"],
    [
      "is the command that runs",
      `${banner}exec\n/bin/bash -lc 'git diff --stat' in /repo\n`,
      "$ git diff --stat"
    ],
    [
      "is still the command while its output comes",
      `exec\n/bin/bash -lc "rg 'a b' src" in /repo\n succeeded in 277ms:\nsrc/a.ts: a b\n\n`,
      "$ rg 'a b' src"
    ],
    ["is a command without a shell, unchanged", "exec\ngit status in /repo\n", "$ git status"],
    ["is the newest command", "exec\none in /r\n succeeded in 1ms:\nexec\ntwo in /r\n", "$ two"],
    ["is a search", "exec\none in /r\n\nweb search: effect 4\n", "web search: effect 4"],
    [
      "is a lost connection",
      `${banner}ERROR: Reconnecting... waiting for network\n`,
      "ERROR: Reconnecting... waiting for network"
    ],
    ["is the answer once it is written", "exec\none in /r\n\ncodex\nThe change is sound.\n", "answering"],
    ["an exec without its command yet is not yet one", "thinking\nexec\n", "exec"],
    ["of a tail that begins within a line is taken as it is", "f --git a/x b/x\n+const x = 1\n", "+const x = 1"]
  ]
  it.each(cases)("%s", (_, tail, expected) => assert.strictEqual(activityOf(tail), expected))

  it("holds no sequence of a terminal", () => {
    const hostile = "\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u009b1A\u202eevil\u0000\u200b\ttab\u001bM"
    assert.strictEqual(activityOf(`exec\n${hostile} in /r\n`), "$ red 1Aevil tab")
  })

  it("is one line of visible characters, bounded, whatever the transcript", () =>
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (text) => {
      const found = activityOf(text)
      assert.notMatch(found, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
      assert.isAtMost(found.length, 200)
      assert.strictEqual(terminalLine(found), found)
    })))
})

describe("the reason of a failure", () => {
  it.each<readonly [string, string]>([
    ["fatal: not a git repository\nUse '--' to separate", "fatal: not a git repository"],
    ["warning: unable to access '/etc/x'\n\n  fatal: bad object HEAD\n", "fatal: bad object HEAD"],
    ["+ exec git\nerror: pathspec 'x' did not match", "error: pathspec 'x' did not match"],
    ["TypeError: x is not a function", "TypeError: x is not a function"],
    ["warning: could not read the keyring\nHTTP 401: Bad credentials", "HTTP 401: Bad credentials"],
    ["hint: Using 'master'\nWarning: old\nno such host", "no such host"],
    ["warning: old\nhint: new", ""],
    ["", ""]
  ])("of %j the reason is %j", (complaint, reason) => assert.strictEqual(reasonIn(complaint), reason))
})

describe("the advice of git", () => {
  const complaint = "fatal: detected dubious ownership in repository at '/x y'\n" +
    "To add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/x y'\n"

  it("is the command as git words it, and nothing where git gives none", () => {
    assert.strictEqual(adviceIn(complaint), "git config --global --add safe.directory '/x y'")
    assert.isNull(adviceIn("fatal: not a git repository (or any of the parent directories): .git\n"))
  })
})
