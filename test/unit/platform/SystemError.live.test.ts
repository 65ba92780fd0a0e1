// What a caught value says: system calls by code and call, everything else in its own words.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { NoLockProgram } from "../../../src/platform/Flock.ts"
import { hasCode, isFull, isSystemError, systemFault, systemRefused } from "../../../src/platform/SystemError.ts"

const thrown = (step: () => unknown): unknown => {
  try {
    step()
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}
const missing = thrown(() => readFileSync("/no/such/file"))
const dead = thrown(() => process.kill(2 ** 22 + 1, 0))

describe("an error of a system call", () => {
  it("is known by its code", () => {
    assert.isTrue(isSystemError(missing))
    assert.isTrue(hasCode(missing, "ENOENT"))
    assert.isFalse(hasCode(missing, "EEXIST"))
    assert.isTrue(hasCode(dead, "ESRCH"))
  })

  it("keeps its code, its call and the path it was about", () =>
    assert.deepStrictEqual(systemFault(missing), {
      _tag: "SystemRefused",
      code: "ENOENT",
      call: "open",
      said: "ENOENT: no such file or directory, open '/no/such/file'"
    }))

  it("is want of space where the disk or the user's share of it is full", () => {
    const coded = (code: string) => Object.assign(new Error(code), { code, syscall: "write" })
    for (const code of ["ENOSPC", "EDQUOT"]) assert.isTrue(isFull(coded(code)))
    for (const error of [missing, dead, coded("EMFILE")]) assert.isFalse(isFull(error))
  })

  it("is a refused call", () => assert.deepStrictEqual(systemRefused(missing), systemFault(missing)))
})

describe("another caught value", () => {
  it.each([["an error", new Error("odd"), "odd"], ["a text", "odd", "odd"], ["nothing", undefined, "undefined"]])(
    "that is %s is no system error and keeps its words",
    (_, value, words) => {
      assert.isFalse(isSystemError(value))
      assert.isFalse(hasCode(value, "ENOENT"))
      assert.deepStrictEqual(systemFault(value), { _tag: "SystemRefused", code: null, call: null, said: words })
    }
  )

  it("that carries a code but no call is no system error", () =>
    assert.isFalse(hasCode(Object.assign(new Error("gone"), { code: "ENOENT" }), "ENOENT")))

  it("that says that no program can lock is a fault of its own", () =>
    assert.deepStrictEqual(systemFault(new NoLockProgram()), { _tag: "NoLockProgram" }))
})
