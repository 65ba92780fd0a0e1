// TargetName: a pull request has one name, in whatever spelling of its repository's URL.
import { Result } from "effect"
import { assert, it } from "vitest"
import { namedTarget, repoIdOf, targetNamed } from "../../../src/fleet/Submission.ts"

it.each(["https://github.com/a/x#7", "https://GitHub.com/a/x/#7", "https://github.com:443/a/x#7"])("is %s", (text) => {
  const name = Result.getOrThrow(targetNamed(text))
  assert.deepStrictEqual(name, { repo: "https://github.com/a/x", pr: 7 })
  assert.deepStrictEqual(namedTarget("pg:1", name), {
    root: "pg:1",
    repoId: repoIdOf("https://github.com/a/x"),
    targetKey: "pr/7"
  })
})

it.each([
  "",
  "7",
  "#7",
  "https://github.com/a/x",
  "https://github.com/a/x#0",
  "ssh://h/x#7",
  "https://u:s3cret@h.de/x#7"
])(
  "is not %j",
  (text) => {
    const named = targetNamed(text)
    assert.isTrue(Result.isFailure(named))
    assert.notMatch(JSON.stringify(named), /s3cret/)
  }
)
