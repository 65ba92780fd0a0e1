// A pull request's base through `gh`: what it is asked, and what is made of every kind of answer.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../../src/adapters/git/GitHubLive.ts"
import { PrNumber } from "../../../../src/core/run/Target.ts"
import { Environment } from "../../../../src/services/Environment.ts"
import { GitHub } from "../../../../src/services/GitHub.ts"
import { eachInHome, inHome } from "./repositories.ts"

eachInHome()

/** Asks for the base of a pull request with a fake `gh` that runs a shell script. */
const baseWith = (script: string | null): Promise<string> => {
  mkdirSync(inHome("bin"))
  mkdirSync(inHome("work"))
  if (script !== null) writeFileSync(inHome("bin", "gh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const path = script === null ? inHome("bin") : `${inHome("bin")}${delimiter}${process.env["PATH"]}`
  return Effect.runPromise(
    GitHub.use((github) => github.baseOf(inHome("work"), PrNumber.make(1234))).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (branch) => branch }),
      Effect.provide(layer),
      Effect.provideService(Environment, { PATH: path, GH_TOKEN: "secret" })
    )
  )
}

describe("the base of a pull request", () => {
  it("is what gh answers, asked in the worktree, without prompts and colours", async () => {
    const asked = inHome("asked")
    const script = `{ pwd; echo "$@"; echo "$GH_PROMPT_DISABLED $NO_COLOR $GH_TOKEN"; } >${asked}; echo release/1.2`
    assert.strictEqual(await baseWith(script), "release/1.2")
    assert.strictEqual(
      readFileSync(asked, "utf8"),
      [
        `${inHome("work")}\n`,
        "pr view 1234 --json baseRefName --jq .baseRefName\n",
        "1 1 secret\n"
      ].join("")
    )
  })

  it.each([
    ["no branch name", "echo --upload-pack=x", /^gh pr view 1234: answered with an unusable base branch: /],
    ["nothing", ":", /^gh pr view 1234: answered with an unusable base branch: /],
    [
      "a failure",
      "echo 'no pull requests found' >&2; exit 1",
      /^gh pr view 1234: no pull requests found \[see to gh, or review with --base BRANCH\]$/
    ],
    [
      "a failure without a word",
      "exit 4",
      /^gh pr view 1234: gh ended with exit status 4 \[see to gh, or review with --base BRANCH\]$/
    ]
  ])("is a typed error when it is %s", async (_, script, message) => assert.match(await baseWith(script), message))

  it("is a typed error when gh is missing", async () =>
    assert.strictEqual(
      await baseWith(null),
      "gh pr view 1234: gh is not installed or not on PATH [see to gh, or review with --base BRANCH]"
    ))
})
