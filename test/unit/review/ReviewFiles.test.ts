// The error of a reviewer's files in words.
import { assert, it } from "vitest"
import { ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"

it("names the file that was refused, which may be another one than the log", () => {
  const said = "ENOENT: no such file or directory, open '/b/low-1.out'"
  const failed = new ReviewFilesFailed({
    path: "/b/low-1.log",
    reason: { _tag: "SystemRefused", code: "ENOENT", call: "open", said }
  })
  assert.strictEqual(failed.message, `/b/low-1.log: ${said}`)
})

it("explains what is no refused call", () => {
  const failed = new ReviewFilesFailed({ path: "/b/low-1.log", reason: { _tag: "LockHeld", seconds: 10 } })
  assert.strictEqual(
    failed.message,
    "/b/low-1.log: another process has held the lock for 10 seconds; call again when it has ended"
  )
})
