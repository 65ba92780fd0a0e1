// StoreUrl: an address is one or is refused in words that repeat nothing of it; a password is where no process reads it.
import fc from "fast-check"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { storeUrlProblem, withPassword } from "../../../src/cli/targetOptions.ts"

const [shown, hidden] = [{ shown: true }, { shown: false }]

describe("the address of a store", () => {
  it.each([
    "postgres://h/x",
    "postgresql://u@h:5433/x?sslmode=require",
    "postgres://u@localhost/x?host=/run/postgresql",
    "postgres://h/x?sslmode=no-verify"
  ])("may be %s", (url) => {
    assert.isNull(storeUrlProblem(url, shown))
    assert.isNull(storeUrlProblem(url, hidden))
  })

  it.each([
    ["", /expected the URL/],
    ["x", /expected the URL/],
    ["http://h/x", /expected the URL/],
    ["postgres://h", /names its database/],
    ["postgres://h/", /names its database/],
    ["postgres://h/x?sslmode=sometimes", /is one of disable, allow, prefer, no-verify, require, verify-ca, verify-full/]
  ])("is not %j", (url, why) => assert.match(`${storeUrlProblem(url, hidden)}`, why))

  it.each(["postgres://u:s3cret@h/x", "postgres://h/x?password=s3cret"])(
    "that others read holds no password",
    (url) => {
      assert.isNull(storeUrlProblem(url, hidden))
      assert.match(`${storeUrlProblem(url, shown)}`, /\$PGPASSWORD/)
    }
  )

  it("is repeated by no refusal", () =>
    fc.assert(fc.property(fc.string({ minLength: 4 }), (text) => {
      const problem = storeUrlProblem(text, shown)
      if (problem !== null) assert.isTrue(!problem.includes(text) || /^[a-z ]+$/i.test(text))
    })))
})

describe("a password of the environment", () => {
  it.each([
    ["postgres://u@h/x", "p@ss/1", "postgres://u:p%40ss%2F1@h/x"],
    ["postgres://u:own@h/x", "other", "postgres://u:own@h/x"],
    ["postgres://h/x?password=own", "other", "postgres://h/x?password=own"],
    ["postgres://u@h/x", null, "postgres://u@h/x"]
  ])(
    "with %j and %j is %j",
    (url, password, expected) => assert.deepStrictEqual(withPassword(url, password), Result.succeed(expected))
  )
})
