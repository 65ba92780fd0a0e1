// The errors of `gh` in words: every reason has its message.
import { assert, describe, it } from "vitest"
import { GitHubFailed, type GitHubReason } from "../../../src/code/GitHub.ts"

describe("no base of a pull request for", () => {
  const texts: {
    readonly [T in GitHubReason["_tag"]]: readonly [Extract<GitHubReason, { readonly _tag: T }>, string]
  } = {
    ProgramMissing: [{ _tag: "ProgramMissing", program: "gh" }, "gh is not installed or not on PATH"],
    ProgramTooSlow: [{ _tag: "ProgramTooSlow", program: "gh" }, "gh did not answer in time"],
    ProgramFailed: [{ _tag: "ProgramFailed", program: "gh", status: 1, said: "no such thing" }, "no such thing"],
    UnusableBase: [
      { _tag: "UnusableBase", problem: "it is empty" },
      "answered with an unusable base branch: it is empty"
    ]
  }
  it.each(Object.values(texts))(
    "%o",
    (reason, text) =>
      assert.strictEqual(
        new GitHubFailed({ number: 7, reason }).message,
        `gh pr view 7: ${text} [check \`gh auth status\`, or review with --base BRANCH]`
      )
  )
})

it("a base branch that is another one here comes with the command that fetches it", () => {
  const reason: GitHubReason = { _tag: "UnusableBase", problem: "main is old", fetch: "git fetch origin main" }
  assert.strictEqual(
    new GitHubFailed({ number: 7, reason }).message,
    "gh pr view 7: main is old [git fetch origin main]"
  )
})
