// The error of a plain file in words: every reason has its message, behind the file's name.
import { assert, it } from "vitest"
import { PlainFileFailed, type PlainFileReason, plainFileReasonText } from "../../../src/code/PlainFiles.ts"

const reasons: ReadonlyArray<readonly [PlainFileReason, string]> = [
  [{ _tag: "NoCommit", revision: "v1" }, "v1 names no commit here"],
  [{ _tag: "NoPlainFile" }, "not a regular file (links are not followed)"],
  [{ _tag: "TooLarge", most: 7 }, "it is larger than 7 bytes"],
  [{ _tag: "ProgramMissing", program: "git" }, "git is not installed or not on PATH"],
  [{ _tag: "SystemRefused", code: "EACCES", call: "open", said: "x" }, "no permission (EACCES: open)"]
]

it.each(reasons)("$_tag has its message", (reason, text) => {
  assert.strictEqual(plainFileReasonText(reason), text)
  assert.strictEqual(new PlainFileFailed({ name: "a/b", reason }).message, `a/b: ${text}`)
})
