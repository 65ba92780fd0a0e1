// The error of a file that was asked for, in words: every reason has its message and its remedy.
import { assert, it } from "vitest"
import { OutFileFailed, type OutFileReason } from "../../../src/read/UserFiles.ts"

const reasons: ReadonlyArray<readonly [OutFileReason, string]> = [
  [{ _tag: "NoDirectory", directory: "/a" }, "there is no directory /a [make it, or name another file]"],
  [{ _tag: "IsDirectory" }, "it is a directory [name a file in it]"],
  [
    { _tag: "NoPlainFile" },
    "it is not a regular file [name another one, or leave the flag out and redirect standard output]"
  ],
  [
    { _tag: "SystemRefused", code: "EROFS", call: "open", said: "x" },
    "the file system is read-only (EROFS: open) [name another file]"
  ]
]

it.each(reasons)(
  "$_tag has its message",
  (reason, text) => assert.strictEqual(new OutFileFailed({ path: "/a/r.html", reason }).message, `/a/r.html: ${text}`)
)
