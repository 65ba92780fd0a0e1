// The error of a file that was to be read, in words: every reason has its message and its remedy.
import { assert, it } from "vitest"
import { InFileFailed, type InFileReason } from "../../../src/read/UserFiles.ts"

const reasons: ReadonlyArray<readonly [InFileReason, string]> = [
  [{ _tag: "NoPlainFile" }, "it is not a regular file [name another one]"],
  [{ _tag: "TooLarge", most: 7 }, "it is larger than 7 bytes [name another file]"],
  [
    { _tag: "SystemRefused", code: "EACCES", call: "open", said: "x" },
    "no permission (EACCES: open) [name another file]"
  ]
]

it.each(reasons)(
  "$_tag has its message",
  (reason, text) => assert.strictEqual(new InFileFailed({ path: "/a/r.json", reason }).message, `/a/r.json: ${text}`)
)
