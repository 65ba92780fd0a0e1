// Line: who writes its lines, and the error for a line that cannot be used.
import { assert, describe, it } from "vitest"
import { lineError, thisProcess } from "../../../src/log/LogFile.live.ts"
import { version } from "../../../src/platform/Version.ts"

describe("the author of a line", () => {
  it("is this process of this version", () => assert.deepInclude(thisProcess, { version, pid: process.pid }))
})

describe("the error of a line", () => {
  const after = { seq: 4, hash: "x", offset: 99 }

  it("names the line after the last good one, and where it begins", () =>
    assert.deepInclude({ ...lineError("/log", { _tag: "Damaged", kind: "bad hash", torn: false }, after) }, {
      path: "/log",
      kind: "bad hash",
      line: 5,
      offset: 99
    }))

  it("is no damage where the line is of a newer version", () => {
    const newer = { _tag: "UnknownEvent", line: 5, event: "FromTheFuture" } as const
    const error = lineError("/log", { _tag: "TooNew", newer }, after)
    assert.deepInclude({ ...error }, { _tag: "LogTooNew", path: "/log", reason: newer })
  })
})
