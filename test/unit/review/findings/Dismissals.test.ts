// The error of the repository's dismissals in words: every reason has its message, on one line.
import { assert, it } from "vitest"
import { DismissalsFailed, type DismissalsReason } from "../../../../src/review/findings/Dismissals.ts"

const reasons: ReadonlyArray<readonly [DismissalsReason, RegExp]> = [
  [{ _tag: "NoCommit", revision: "v1" }, /: v1 names no commit here$/],
  [{ _tag: "NoPlainFile" }, /: not a regular file \(links/],
  [
    { _tag: "Ignored" },
    /: git ignores it, so that adding to it causes no new review; stop ignoring it, or/
  ],
  [{ _tag: "TooLarge", most: 7 }, /: it is larger than 7 bytes$/],
  [{ _tag: "NoDismissal", line: 3 }, /: line 3 is not a valid dismissal; correct or remove that line$/],
  [{ _tag: "ProgramMissing", program: "git" }, /: git is not installed/],
  [{ _tag: "SystemRefused", code: "EACCES", call: "open", said: "x" }, /: no permission/]
]

it.each(reasons)("$_tag has its message", (reason, message) => {
  const failed = new DismissalsFailed({ reason })
  assert.match(failed.message, message)
  assert.match(failed.message, /^\.ooda\/dismissals\.jsonl: /)
})
