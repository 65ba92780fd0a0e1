// storeOption: a store on a command line is one alone, holds no password, and is repeated in no message.
import { Result } from "effect"
import { assert, it } from "vitest"
import { storeOption } from "../../../src/cli/targetOptions.ts"

const asked = (store: string | null, root: string | null = null) =>
  Result.getOrElse(
    storeOption((flag) => [flag === "--store" ? store : root].filter((text) => text !== null)),
    (problem) => ({ problem })
  )

it("is null where none is named, whatever the state root", () =>
  assert.deepStrictEqual([asked(null), asked(null, "/state")], [null, null]))

it("is a URL of PostgreSQL", () => {
  for (const url of ["postgres://u@h/x", "postgresql://h/x?host=%2Frun"]) assert.strictEqual(asked(url), url)
  for (const text of ["", "mysql://annabel@h/x", "postgres://annabel@h", "annabel"]) {
    const { problem } = Object(asked(text))
    assert.match(problem, /^--store: /)
    assert.notInclude(problem, "annabel")
  }
})

it("holds no password, which others could read", () => {
  for (const url of ["postgres://u:s3cret@h/x", "postgres://u@h/x?password=s3cret"]) {
    assert.deepStrictEqual(asked(url), {
      problem: "--store: others can read a password on a command line; give the URL by $OODA_STORE, or the password " +
        "by $PGPASSWORD"
    })
  }
})

it("excludes a state root", () =>
  assert.deepStrictEqual(asked("postgres://h/x", "/state"), {
    problem: "--store and --state-root exclude each other"
  }))
