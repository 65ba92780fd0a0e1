// The error of a comment that could not be written, in words.
import { assert, it } from "vitest"
import { CommentFailed, type CommentReason } from "../../../src/ci/Comments.ts"

const remedy = "[the job's token needs pull-requests: write]"
const reasons: ReadonlyArray<readonly [CommentReason, string]> = [
  [{ _tag: "Unreadable" }, "gh returned no list of comments"],
  [{ _tag: "ProgramMissing", program: "gh" }, "gh"]
]

it.each(reasons)("$_tag has its message", (reason, text) => {
  const { message } = new CommentFailed({ number: 7, reason })
  assert.match(message, /^no comment on pull request 7: [^\n]+$/)
  assert.include(message, text)
  assert.isTrue(message.endsWith(remedy))
})
