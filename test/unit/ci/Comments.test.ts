// The error of a comment that could not be written, in words.
import { assert, it } from "vitest"
import { CommentFailed, type CommentReason } from "../../../src/ci/Comments.ts"

const gh = (said: string): CommentReason => ({ _tag: "ProgramFailed", program: "gh", status: 1, said })
const reasons: ReadonlyArray<readonly [CommentReason, string]> = [
  [{ _tag: "Unreadable" }, "gh returned no list of comments [post it again: ooda-codex-review ci post]"],
  [{ _tag: "ProgramMissing", program: "gh" }, "gh is not installed or not on PATH [install gh]"],
  [gh("gh: Forbidden (HTTP 403)"), "gh: Forbidden (HTTP 403) [the job's token needs pull-requests: write]"],
  [gh("gh: Not Found (HTTP 404)"), "gh: Not Found (HTTP 404) [the job's token needs pull-requests: write]"],
  [gh("gh: Bad credentials (HTTP 401)"), "[check the token: github-token of the action, or GH_TOKEN]"],
  [gh("To get started with GitHub CLI, please run:  gh auth login"), "[check the token: github-token of the action"],
  [gh("gh: API rate limit exceeded (HTTP 403)"), "[post it again later: ooda-codex-review ci post]"],
  [gh("error connecting to api.github.com"), "[post it again: ooda-codex-review ci post]"]
]

it.each(reasons)("%o has its message and its remedy", (reason, text) => {
  const { message } = new CommentFailed({ number: 7, reason })
  assert.match(message, /^no comment on pull request 7: [^\n]+\]$/)
  assert.include(message, text)
})
